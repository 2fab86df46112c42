//! `/sign-in`: a name and a password, and where it is switched on a code.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{Response, StatusCode};

use super::csrf_form::Sent;
use super::page::{self, Frame, Outcome, wait};
use super::session::{By, Visitor};
use crate::accounts::ACCOUNT_WINDOW;
use crate::accounts::{Attempt, Busy, Verdict, second_factor};
use crate::app::App;
use crate::captcha::Purpose;
use crate::config::SignUp;
use crate::http::query::Query;
use crate::limits::bucket;
use rollcall_model::time::SECOND;
use rollcall_search::fold;
use rollcall_store::accounts::{self, Account};
use rollcall_store::login_sessions;

/// Where to go after signing in, unless somebody wanted to go elsewhere.
const HOME: &str = "/dashboard";
/// No name is longer; what is longer is nobody's.
const LONGEST_NAME: usize = 100;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignIn<'a> {
    frame: Frame,
    token: String,
    next: &'a str,
    username: &'a str,
    wrong: Option<String>,
    may_sign_up: bool,
    /// Strangers have guessed a lot at this account: a try costs a proof of work.
    proof: bool,
    /// He has just deleted his account.
    is_deleted: bool,
}

/// What `?done=` says after an account was deleted.
pub const DELETED: &str = "account-deleted";

pub async fn look(State(app): State<Arc<App>>, By(visitor): By<Visitor>, RawQuery(query): RawQuery) -> Outcome {
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let next = next(query.get("next").unwrap_or_default());
    if visitor.is_signed_in() {
        return Ok(page::go(next));
    }
    let page = SignIn { is_deleted: query.get("done") == Some(DELETED), ..page_of(&app, &visitor, next, "") };
    Ok(visitor.welcome(page::private(&page)))
}

fn page_of<'a>(app: &App, who: &Visitor, next: &'a str, username: &'a str) -> SignIn<'a> {
    SignIn {
        frame: Frame { here: HOME },
        token: who.token(),
        next,
        username,
        wrong: None,
        may_sign_up: app.accounts.settings.sign_up != SignUp::Closed,
        proof: false,
        is_deleted: false,
    }
}

fn form(app: &App, who: &Visitor, next: &str, username: &str, wrong: Option<String>, proof: bool) -> Response<Body> {
    page::private(&SignIn { wrong, proof, ..page_of(app, who, next, username) })
}

/// Only to pages of key holders and operators.
fn next(wanted: &str) -> &str {
    let ours = ["/dashboard", "/operator"]
        .iter()
        .any(|room| wanted.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    let plain = wanted.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_'));
    if ours && plain { wanted } else { HOME }
}

pub async fn send(State(app): State<Arc<App>>, sent: Sent<Visitor>) -> Outcome {
    let (visitor, next) = (&sent.who, next(sent.text("next")));
    let username: String = sent.text("username").chars().take(LONGEST_NAME).collect();
    let refuse = |status: StatusCode, wrong: String, proof: bool| {
        let mut response = visitor.welcome(form(&app, visitor, next, &username, Some(wrong), proof));
        *response.status_mut() = status;
        response
    };
    let name = username.clone();
    let account = app.pool.read(move |conn| accounts::find(conn, &name)).await?;
    let attempt = attempt(&app, visitor, &format!("password of {username}"), account.as_ref()).await?;
    let verdict = app.accounts.throttle.take(&attempt, visitor.now);
    match held_up(&app, &sent, &attempt, &verdict).await {
        None => {}
        Some(Held::Wait(seconds)) => {
            return Ok(wait(refuse(StatusCode::TOO_MANY_REQUESTS, wait_words(seconds), false), seconds));
        }
        Some(Held::Proof(words)) => return Ok(refuse(StatusCode::TOO_MANY_REQUESTS, words.into(), true)),
    }
    let kept = account.as_ref().map(|account| account.password.clone());
    // A few at once per address, so that no one of them takes all the places.
    let place = app.accounts.at_once.try_acquire(visitor.address).ok_or(Busy);
    let looked_at = match &place {
        Ok(_) => app.accounts.passwords.is_right(sent.raw("password"), kept).await,
        Err(_) => Err(Busy),
    };
    let Ok(right) = looked_at else {
        // What was not looked at was no guess.
        app.accounts.throttle.give_back(&attempt, &verdict);
        let words = "Many people are signing in right now. Try again in a moment.";
        return Ok(wait(refuse(StatusCode::SERVICE_UNAVAILABLE, words.into(), false), 1));
    };
    let Some(account) = account.filter(|_| right) else {
        let (words, proof) = ("The username or the password is wrong.", verdict == Verdict::Proof);
        return Ok(refuse(StatusCode::UNPROCESSABLE_ENTITY, words.into(), proof));
    };
    app.accounts.throttle.give_back(&attempt, &verdict);
    if account.disabled {
        let words = "This account is disabled. Whoever runs this service can tell you why.";
        return Ok(refuse(StatusCode::FORBIDDEN, words.into(), false));
    }
    let half = account.second_factor.is_some();
    let to = if half { format!("/sign-in/code?next={next}") } else { next.to_owned() };
    Ok(visitor.sign_in(&account, half, page::go(&to)).await?)
}

/// How a try is counted; `what` is guessed, and whose, so that no name stands for a code. A browser counts as known only
/// by the account that it signed in to.
async fn attempt(
    app: &App,
    visitor: &Visitor,
    what: &str,
    account: Option<&Account>,
) -> rollcall_store::Result<Attempt> {
    let (browser, now) = (visitor.browser(), visitor.now);
    let browser = match (browser, account.map(|account| account.n)) {
        (Some(hash), Some(n)) => {
            let mark = hash.clone();
            let known = app.ledger.read(move |conn| login_sessions::is_known_browser(conn, &mark, n, now)).await?;
            known.then_some(hash)
        }
        _ => None,
    };
    Ok(Attempt { bucket: bucket(visitor.address), account: fold(what), browser })
}

/// Why a try is not looked at.
enum Held {
    Wait(i64),
    /// What is said beside the request for a proof.
    Proof(&'static str),
}

/// Whoever brings a proof of work goes on, however often others have guessed.
async fn held_up(app: &App, sent: &Sent<Visitor>, attempt: &Attempt, verdict: &Verdict) -> Option<Held> {
    match verdict {
        Verdict::Go => None,
        Verdict::Wait(seconds) => Some(Held::Wait(*seconds)),
        Verdict::Proof if sent.raw("human").is_empty() => {
            app.accounts.throttle.give_back(attempt, verdict);
            Some(Held::Proof(PROOF_NEEDED))
        }
        Verdict::Proof => match app.human.spend(sent.raw("human"), Purpose::SignIn, sent.who.now).await {
            Ok(()) => None,
            Err(refused) => Some(Held::Proof(refused.message())),
        },
    }
}

const PROOF_NEEDED: &str = "Somebody has guessed at this account a lot, so a try now takes a moment of your computer's \
                            work. Send it once more.";

pub fn wait_words(seconds: i64) -> String {
    match (seconds + 59) / 60 {
        1 => "Too many wrong tries. Wait a minute, then try again.".to_owned(),
        minutes => format!("Too many wrong tries. Wait {minutes} minutes, then try again."),
    }
}

#[derive(Template)]
#[template(path = "sign_in_code.html")]
struct Code<'a> {
    frame: Frame,
    token: String,
    next: &'a str,
    wrong: Option<String>,
    proof: bool,
}

pub async fn look_code(By(visitor): By<Visitor>, RawQuery(query): RawQuery) -> Outcome {
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let next = next(query.get("next").unwrap_or_default());
    if visitor.half().is_none() {
        return Ok(page::go("/sign-in"));
    }
    Ok(page::private(&Code { frame: Frame { here: HOME }, token: visitor.token(), next, wrong: None, proof: false }))
}

pub async fn send_code(State(app): State<Arc<App>>, sent: Sent<Visitor>) -> Outcome {
    let (visitor, next) = (&sent.who, next(sent.text("next")));
    let Some(account) = visitor.half() else { return Ok(page::go("/sign-in")) };
    let refuse = |status: StatusCode, wrong: String, proof: bool| {
        let page = Code { frame: Frame { here: HOME }, token: visitor.token(), next, wrong: Some(wrong), proof };
        let mut response = page::private(&page);
        *response.status_mut() = status;
        response
    };
    // Whoever is here knows the password, and codes are short: no proof buys more tries of them. Recovery codes are too
    // long to be guessed, so the owner gets in by one whatever others have tried.
    let code = sent.text("code");
    let recovers = second_factor::recovery_hash(&account.id, code).is_some();
    let what = if recovers { "recovery code of" } else { "code of" };
    let attempt = attempt(&app, visitor, &format!("{what} {}", account.username), Some(account)).await?;
    let verdict = app.accounts.throttle.take(&attempt, visitor.now);
    match (&verdict, held_up(&app, &sent, &attempt, &verdict).await) {
        (_, None) if verdict == Verdict::Go || recovers => {}
        (_, Some(Held::Proof(words))) if recovers => {
            return Ok(refuse(StatusCode::TOO_MANY_REQUESTS, words.into(), true));
        }
        (verdict, _) => {
            let seconds = if let Verdict::Wait(seconds) = verdict { *seconds } else { ACCOUNT_WINDOW / SECOND };
            return Ok(wait(refuse(StatusCode::TOO_MANY_REQUESTS, wait_words(seconds), false), seconds));
        }
    }
    if !is_right(&app, visitor, account, code).await? {
        let words =
            "This code is wrong or was used before. Codes change every 30 seconds; is your device's clock right?";
        return Ok(refuse(StatusCode::UNPROCESSABLE_ENTITY, words.into(), verdict == Verdict::Proof));
    }
    app.accounts.throttle.give_back(&attempt, &verdict);
    let to = if recovers { "/dashboard/account?done=recovered" } else { next };
    Ok(visitor.sign_in(account, false, page::go(to)).await?)
}

/// A code of the app, or one for whoever has lost it; each is good once.
async fn is_right(app: &App, visitor: &Visitor, account: &Account, code: &str) -> rollcall_store::Result<bool> {
    let n = account.n;
    let secret = account.second_factor.as_deref().unwrap_or_default();
    if let Some(step) = second_factor::step_of(secret, code, visitor.now) {
        return app.ledger.write(move |conn| login_sessions::take_step(conn, n, step)).await;
    }
    let Some(hash) = second_factor::recovery_hash(&account.id, code) else { return Ok(false) };
    let author = visitor.as_author(&account.username);
    app.pool.write(move |conn| accounts::spend_recovery_code(conn, n, &hash, &author)).await
}

pub async fn sign_out(sent: Sent<Visitor>) -> Outcome {
    Ok(sent.who.sign_out(page::go("/sign-in")).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_elsewhere() {
        for ours in ["/dashboard", "/dashboard/keys/a1-b_2", "/operator/accounts"] {
            assert_eq!(next(ours), ours);
        }
        for other in [
            "",
            "/",
            "//evil.example",
            "/dashboard//evil.example/..",
            "https://evil.example",
            "/dashboard?x",
            "/dashboardx",
            "/dashboard\\@evil",
            "/dashboard%0d%0a",
            "/docs",
            "/dashboard/\r\nX: y",
            "javascript:alert(1)",
        ] {
            let led = next(other);
            assert!(led == HOME || (led.starts_with("/dashboard/") && !led.contains("..")), "{other} leads to {led}");
        }
    }
}
