//! `/dashboard/account/second-factor`: codes from an app beside the password.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};

use super::Desk;
use super::account::{confirm, refuse, unconfirmed};
use crate::accounts::second_factor;
use crate::app::App;
use crate::web::csrf_form::Sent;
use crate::web::page::{self, Frame, Outcome};
use crate::web::session::{By, Holder};
use rollcall_store::accounts;
use rollcall_store::login_sessions;

#[derive(Template)]
#[template(path = "dashboard/second_factor.html")]
struct Page<'a> {
    frame: Frame,
    desk: Desk,
    secret: &'a str,
    /// In groups of four, to be typed.
    spaced: String,
    address: String,
    picture: Option<(i32, String)>,
}

#[derive(Template)]
#[template(path = "dashboard/recovery_codes.html")]
struct Codes {
    frame: Frame,
    desk: Desk,
    codes: Vec<String>,
}

pub async fn look(By(holder): By<Holder>) -> Outcome {
    if holder.account.second_factor.is_some() {
        return Ok(page::go("/dashboard/account"));
    }
    Ok(offer(&holder, &second_factor::generate(), None))
}

fn offer(holder: &Holder, secret: &str, wrong: Option<String>) -> Response<Body> {
    let host = holder.visitor.app.public_url.split("://").nth(1).unwrap_or_default();
    let address = second_factor::address(secret, &holder.account.username, host);
    let groups: Vec<&str> = secret.as_bytes().chunks(4).filter_map(|group| std::str::from_utf8(group).ok()).collect();
    page::private(&Page {
        frame: Frame { here: "/dashboard" },
        desk: Desk { wrong, ..Desk::of(holder, "/dashboard/account") },
        secret,
        spaced: groups.join(" "),
        picture: second_factor::picture(&address),
        address,
    })
}

/// The secret comes back with the form: it is only kept once a code has shown that the app has it.
pub async fn switch_on(State(app): State<Arc<App>>, sent: Sent<Holder>) -> Outcome {
    let holder = &sent.who;
    let secret = sent.text("secret").to_owned();
    if holder.account.second_factor.is_some() {
        return Ok(page::go("/dashboard/account"));
    }
    let refused_as = |status: StatusCode, secret: &str, wrong: String| {
        let mut response = offer(holder, secret, Some(wrong));
        *response.status_mut() = status;
        response
    };
    let refused = |secret: &str, wrong: &str| refused_as(StatusCode::UNPROCESSABLE_ENTITY, secret, wrong.to_owned());
    if !second_factor::is_formed(&secret) {
        return Ok(refused(&second_factor::generate(), "Begin anew: scan the picture below."));
    }
    // The same picture stays: the app has it by now.
    if let Some((status, wrong)) = unconfirmed(&app, &sent).await {
        return Ok(refused_as(status, &secret, wrong));
    }
    let n = holder.account.n;
    let step = second_factor::step_of(&secret, sent.text("code"), holder.visitor.now);
    let taken = match step {
        Some(step) => app.ledger.write(move |conn| login_sessions::take_step(conn, n, step)).await?,
        None => false,
    };
    if !taken {
        return Ok(refused(&secret, "This code is wrong. Type the six digits that the app shows now."));
    }
    let codes = second_factor::recovery_codes();
    let hashes: Vec<String> =
        codes.iter().filter_map(|code| second_factor::recovery_hash(&holder.account.id, code)).collect();
    let author = holder.author();
    let held = holder.account.clone();
    let kept = app.pool.write(move |conn| {
        // Of two at once, one is kept: the other's codes are not shown.
        let free = accounts::hold(conn, &held)?
            && accounts::by_number(conn, n)?.is_some_and(|account| account.second_factor.is_none());
        if free {
            accounts::set_second_factor(conn, n, Some((&secret, &hashes)), &author)?;
        }
        Ok(free)
    });
    if !kept.await? {
        return Ok(page::go("/dashboard/account"));
    }
    let desk = Desk::of(holder, "/dashboard/account");
    Ok(page::private(&Codes { frame: Frame { here: "/dashboard" }, desk, codes }))
}

pub async fn switch_off(State(app): State<Arc<App>>, sent: Sent<Holder>) -> Outcome {
    let holder = &sent.who;
    confirm(&app, &sent).await?;
    if holder.account.second_factor.is_none() {
        return refuse(&app, holder, StatusCode::UNPROCESSABLE_ENTITY, "There is no second factor.".into()).await;
    }
    let (n, author) = (holder.account.n, holder.author());
    let held = holder.account.clone();
    let switched = app.pool.write(move |conn| match accounts::hold(conn, &held)? {
        true => accounts::set_second_factor(conn, n, None, &author).map(|()| true),
        false => Ok(false),
    });
    if !switched.await? {
        return Ok(page::go("/sign-in"));
    }
    Ok(page::go("/dashboard/account?done=factor-off"))
}
