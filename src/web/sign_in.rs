//! `/sign-in`: a name and a password, and where it is switched on a code.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header::{self, HeaderValue};
use axum::http::{Response, StatusCode};

use super::page::{self, Frame, Outcome};
use super::sent::Sent;
use super::visitor::{By, Visitor};
use crate::accounts::{Attempt, Verdict, second_factor};
use crate::app::App;
use crate::config::SignUp;
use crate::http::address::bucket;
use crate::model::text;
use crate::store::accounts::{self, Account};
use crate::store::sign_ins;
use crate::v1::Query;

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
}

pub async fn look(State(app): State<Arc<App>>, By(visitor): By<Visitor>, RawQuery(query): RawQuery) -> Outcome {
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let next = next(query.get("next").unwrap_or_default());
    if visitor.is_signed_in() {
        return Ok(page::go(next));
    }
    Ok(visitor.welcome(form(&app, &visitor, next, "", None, false)))
}

fn form(app: &App, who: &Visitor, next: &str, username: &str, wrong: Option<String>, proof: bool) -> Response<Body> {
    let may_sign_up = app.accounts.settings.sign_up != SignUp::Closed;
    page::private(&SignIn {
        frame: Frame { here: HOME },
        token: who.token(),
        next,
        username,
        wrong,
        may_sign_up,
        proof,
    })
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
    match verdict {
        Verdict::Go => {}
        Verdict::Wait(seconds) => {
            return Ok(wait(refuse(StatusCode::TOO_MANY_REQUESTS, wait_words(seconds), false), seconds));
        }
        Verdict::Proof => {
            let words =
                "Many wrong passwords were tried for this account, so this try needs a moment of your computer's work.";
            return Ok(refuse(StatusCode::TOO_MANY_REQUESTS, words.into(), true));
        }
    }
    let kept = account.as_ref().map(|account| account.password.clone());
    let Ok(right) = app.accounts.passwords.is_right(sent.raw("password"), kept).await else {
        // What was not looked at was no guess.
        app.accounts.throttle.give_back(&attempt, &verdict);
        let words = "Many people are signing in right now. Try again in a moment.";
        return Ok(wait(refuse(StatusCode::SERVICE_UNAVAILABLE, words.into(), false), 1));
    };
    let Some(account) = account.filter(|_| right) else {
        return Ok(refuse(StatusCode::UNPROCESSABLE_ENTITY, "The username or the password is wrong.".into(), false));
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

/// How a try is counted; `what` is guessed, and whose, so that no name stands for a code. A browser counts as known only by the account that it signed in to.
async fn attempt(app: &App, visitor: &Visitor, what: &str, account: Option<&Account>) -> crate::store::Result<Attempt> {
    let (browser, now) = (visitor.browser(), visitor.now);
    let browser = match (browser, account.map(|account| account.n)) {
        (Some(hash), Some(n)) => {
            let mark = hash.clone();
            let known = app.ledger.read(move |conn| sign_ins::is_known_browser(conn, &mark, n, now)).await?;
            known.then_some(hash)
        }
        _ => None,
    };
    Ok(Attempt { bucket: bucket(visitor.address), account: text::fold(what), browser })
}

pub fn wait_words(seconds: i64) -> String {
    match (seconds + 59) / 60 {
        1 => "Too many wrong tries. Wait a minute, then try again.".to_owned(),
        minutes => format!("Too many wrong tries. Wait {minutes} minutes, then try again."),
    }
}

pub fn wait(mut response: Response<Body>, seconds: i64) -> Response<Body> {
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

#[derive(Template)]
#[template(path = "sign_in_code.html")]
struct Code<'a> {
    frame: Frame,
    token: String,
    next: &'a str,
    wrong: Option<String>,
}

pub async fn look_code(By(visitor): By<Visitor>, RawQuery(query): RawQuery) -> Outcome {
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let next = next(query.get("next").unwrap_or_default());
    if visitor.half().is_none() {
        return Ok(page::go("/sign-in"));
    }
    Ok(page::private(&Code { frame: Frame { here: HOME }, token: visitor.token(), next, wrong: None }))
}

pub async fn send_code(State(app): State<Arc<App>>, sent: Sent<Visitor>) -> Outcome {
    let (visitor, next) = (&sent.who, next(sent.text("next")));
    let Some(account) = visitor.half() else { return Ok(page::go("/sign-in")) };
    let refuse = |status: StatusCode, wrong: String| {
        let page = Code { frame: Frame { here: HOME }, token: visitor.token(), next, wrong: Some(wrong) };
        let mut response = page::private(&page);
        *response.status_mut() = status;
        response
    };
    // Codes are short: they are counted apart from passwords, and strictly.
    let attempt = attempt(&app, visitor, &format!("code of {}", account.username), Some(account)).await?;
    let verdict = app.accounts.throttle.take(&attempt, visitor.now);
    if verdict != Verdict::Go {
        let seconds = if let Verdict::Wait(seconds) = verdict { seconds } else { 15 * 60 };
        return Ok(wait(refuse(StatusCode::TOO_MANY_REQUESTS, wait_words(seconds)), seconds));
    }
    if !is_right(&app, visitor, account, sent.text("code")).await? {
        let words =
            "This code is wrong or was used before. Codes change every 30 seconds; is your device's clock right?";
        return Ok(refuse(StatusCode::UNPROCESSABLE_ENTITY, words.into()));
    }
    app.accounts.throttle.give_back(&attempt, &verdict);
    Ok(visitor.sign_in(account, false, page::go(next)).await?)
}

/// A code of the app, or one for whoever has lost it; each is good once.
async fn is_right(app: &App, visitor: &Visitor, account: &Account, code: &str) -> crate::store::Result<bool> {
    let n = account.n;
    let secret = account.second_factor.as_deref().unwrap_or_default();
    if let Some(step) = second_factor::step_of(secret, code, visitor.now) {
        return app.ledger.write(move |conn| sign_ins::take_step(conn, n, step)).await;
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
