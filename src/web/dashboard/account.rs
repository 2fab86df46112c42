//! `/dashboard/account`: the password, the sign-ins, and the end of the account.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::Desk;
use crate::accounts::{Attempt, Verdict};
use crate::app::App;
use crate::limits::bucket;
use crate::web::csrf_form::Sent;
use crate::web::page::{self, Frame, Outcome, Told};
use crate::web::session::{By, Holder, Named, found};
use crate::web::sign_in::{DELETED, wait_words};
use rollcall_model::time;
use rollcall_search::fold;
use rollcall_store::accounts;
use rollcall_store::login_sessions::{self, SignIn};

#[derive(Template)]
#[template(path = "dashboard/account.html")]
struct Page {
    frame: Frame,
    desk: Desk,
    created_at: String,
    second_factor: bool,
    recovery_codes: i64,
    sign_ins: Vec<Shown>,
    keys: usize,
}

/// A sign-in as its owner sees it.
struct Shown {
    id: String,
    agent: String,
    address: String,
    created_at: String,
    seen_at: String,
    is_this: bool,
}

pub async fn look(State(app): State<Arc<App>>, By(holder): By<Holder>, RawQuery(query): RawQuery) -> Outcome {
    page(&app, &holder, Desk::of(&holder, "/dashboard/account").after(query.as_deref())).await
}

async fn page(app: &App, holder: &Holder, desk: Desk) -> Outcome {
    let (n, generation, now) = (holder.account.n, holder.account.generation, holder.visitor.now);
    let sign_ins = app.ledger.read(move |conn| login_sessions::of_account(conn, n, generation, now)).await?;
    let (recovery_codes, keys) = app
        .pool
        .read(move |conn| Ok((accounts::recovery_codes(conn, n)?, rollcall_store::keys::of_account(conn, n)?.len())))
        .await?;
    let show = |sign_in: SignIn| Shown {
        is_this: sign_in.hash == holder.sign_in.hash,
        agent: agent_words(&sign_in.agent),
        address: sign_in.address,
        created_at: time::iso(sign_in.created_at),
        seen_at: time::iso(sign_in.seen_at),
        id: sign_in.id,
    };
    Ok(page::private(&Page {
        frame: Frame { here: "/dashboard" },
        desk,
        created_at: time::iso(holder.account.created_at),
        second_factor: holder.account.second_factor.is_some(),
        recovery_codes,
        sign_ins: sign_ins.into_iter().map(show).collect(),
        keys,
    }))
}

/// What people call their browser; what is none we know is shown as it is.
fn agent_words(agent: &str) -> String {
    const BROWSERS: [(&str, &str); 5] =
        [("Firefox/", "Firefox"), ("Edg/", "Edge"), ("OPR/", "Opera"), ("Chrome/", "Chrome"), ("Safari/", "Safari")];
    const SYSTEMS: [(&str, &str); 6] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ];
    let known =
        |list: &[(&str, &'static str)]| list.iter().find(|(part, _)| agent.contains(part)).map(|(_, name)| *name);
    match (known(&BROWSERS), known(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        _ if agent.is_empty() => "An unknown browser".to_owned(),
        _ => agent.chars().take(60).collect(),
    }
}

pub async fn refuse(app: &App, holder: &Holder, status: StatusCode, wrong: String) -> Outcome {
    let desk = Desk { wrong: Some(wrong), ..Desk::of(holder, "/dashboard/account") };
    let mut response = page(app, holder, desk).await?;
    *response.status_mut() = status;
    Ok(response)
}

/// Whoever sits at an unlocked screen is not yet the owner: what cannot be undone asks for the password.
pub async fn confirm(app: &App, sent: &Sent<Holder>) -> Result<(), Told> {
    match unconfirmed(app, sent).await {
        Some((status, wrong)) => Err(refuse(app, &sent.who, status, wrong).await?.into()),
        None => Ok(()),
    }
}

/// Why the password is not taken, if it is not.
pub async fn unconfirmed(app: &App, sent: &Sent<Holder>) -> Option<(StatusCode, String)> {
    let holder = &sent.who;
    let attempt = Attempt {
        bucket: bucket(holder.visitor.address),
        account: fold(&holder.account.username),
        browser: Some(holder.sign_in.hash.clone()),
    };
    let verdict = app.accounts.throttle.take(&attempt, holder.visitor.now);
    if let Verdict::Wait(seconds) = verdict {
        return Some((StatusCode::TOO_MANY_REQUESTS, wait_words(seconds)));
    }
    let kept = Some(holder.account.password.clone());
    match app.accounts.passwords.is_right(sent.raw("password"), kept).await {
        Ok(true) => {
            app.accounts.throttle.give_back(&attempt, &verdict);
            None
        }
        Ok(false) => {
            let wrong = "That is not your password, so nothing was changed.".to_owned();
            Some((StatusCode::UNPROCESSABLE_ENTITY, wrong))
        }
        Err(_) => {
            app.accounts.throttle.give_back(&attempt, &verdict);
            let wrong = "Many passwords are being checked right now. Try again in a moment.".to_owned();
            Some((StatusCode::SERVICE_UNAVAILABLE, wrong))
        }
    }
}

pub async fn change_password(State(app): State<Arc<App>>, sent: Sent<Holder>) -> Outcome {
    let holder = &sent.who;
    if sent.raw("new") != sent.raw("again") {
        let wrong = "The two new passwords are not the same.".to_owned();
        return refuse(&app, holder, StatusCode::UNPROCESSABLE_ENTITY, wrong).await;
    }
    confirm(&app, &sent).await?;
    let hash = match app.accounts.passwords.hash(sent.raw("new"), &holder.account.username).await {
        Ok(Ok(hash)) => hash,
        Ok(Err(wrong)) => return refuse(&app, holder, StatusCode::UNPROCESSABLE_ENTITY, wrong).await,
        Err(_) => {
            let wrong = "Many passwords are being checked right now. Try again in a moment.".to_owned();
            return refuse(&app, holder, StatusCode::SERVICE_UNAVAILABLE, wrong).await;
        }
    };
    // Whoever was signed out while this was under way changes nothing any more.
    let (n, author, cookie) = (holder.account.n, holder.author(), holder.sign_in.hash.clone());
    if !app.ledger.write(move |conn| login_sessions::end(conn, &cookie)).await? {
        return Ok(page::go("/sign-in"));
    }
    let held = holder.account.clone();
    let generation = app.pool.write(move |conn| match accounts::hold(conn, &held)? {
        true => accounts::set_password(conn, n, &hash, &author).map(Some),
        false => Ok(None),
    });
    let Some(generation) = generation.await? else { return Ok(page::go("/sign-in")) };
    // He stays in, with a cookie of the new generation.
    let account = accounts::Account { generation, ..holder.account.clone() };
    app.ledger.write(move |conn| login_sessions::end_all(conn, n)).await?;
    Ok(holder.visitor.sign_in(&account, false, page::go("/dashboard/account?done=password")).await?)
}

pub async fn end_sign_in(State(app): State<Arc<App>>, Named(id): Named, sent: Sent<Holder>) -> Outcome {
    let n = sent.who.account.n;
    let ended = app.ledger.write(move |conn| login_sessions::end_one(conn, n, &id)).await?;
    found(ended.then_some(()))?;
    Ok(page::go("/dashboard/account?done=sign-in-ended"))
}

pub async fn end_others(State(app): State<Arc<App>>, sent: Sent<Holder>) -> Outcome {
    let (n, hash) = (sent.who.account.n, sent.who.sign_in.hash.clone());
    app.ledger.write(move |conn| login_sessions::end_all_but(conn, n, &hash)).await?;
    Ok(page::go("/dashboard/account?done=others-ended"))
}

pub async fn delete(State(app): State<Arc<App>>, sent: Sent<Holder>) -> Outcome {
    let holder = &sent.who;
    if sent.text("sure") != "yes" {
        let wrong = "Tick the box to say that you are sure.".to_owned();
        return refuse(&app, holder, StatusCode::UNPROCESSABLE_ENTITY, wrong).await;
    }
    confirm(&app, &sent).await?;
    let (n, account, author) = (holder.account.n, holder.account.clone(), holder.author());
    let deleted = app.pool.write(move |conn| {
        let held = accounts::hold(conn, &account)?;
        if held {
            accounts::delete(conn, &account, &author)?;
        }
        Ok(held)
    });
    if !deleted.await? {
        return Ok(page::go("/sign-in"));
    }
    app.ledger.write(move |conn| login_sessions::forget_account(conn, n)).await?;
    Ok(holder.visitor.sign_out(page::go(&format!("/sign-in?done={DELETED}"))).await?)
}

#[cfg(test)]
mod tests {
    use super::agent_words;

    #[test]
    fn browsers_by_their_names() {
        let chrome =
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
        assert_eq!(agent_words(chrome), "Chrome on Linux");
        assert_eq!(agent_words("curl/8.5.0"), "curl/8.5.0");
        assert_eq!(agent_words(""), "An unknown browser");
    }
}
