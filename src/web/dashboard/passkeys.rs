//! `/dashboard/account/passkeys`: registers and removes passkeys. Both need a fresh proof.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::account::reject;
use crate::accounts::passkeys::{self, Ceremony, MAX_NAME_CHARS, MAX_PASSKEYS, RelyingParty};
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::ProvedUser;
use crate::web::page::{self, PageResult};
use crate::web::passkey::spend_challenge;
use crate::web::session::{PathId, or_not_found};
use rollcall_model::id;
use rollcall_model::message::Message;
use rollcall_model::text::is_misleading;
use rollcall_store::accounts;
use rollcall_store::passkeys::{self as store, Passkey};

pub async fn add(State(app): State<Arc<App>>, form: CsrfForm<ProvedUser>) -> PageResult {
    let user = &form.sender.0;
    let invalid = |error: Message| reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, error);
    let name = form.text("name").to_owned();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.chars().any(is_misleading) {
        return invalid(Message::new("The name of a passkey must have 1 to {} characters.", &[&MAX_NAME_CHARS])).await;
    }
    let answer = spend_challenge(&app, &user.session, form.text("client"), Ceremony::Register).await?;
    let party = RelyingParty::new(&app.public_url);
    let new =
        answer.and(passkeys::decode(form.text("attestation"))).and_then(|bytes| passkeys::register(&bytes, &party));
    let Some(new) = new else {
        return invalid(Message::new("The browser did not create a valid passkey. Try again.", &[])).await;
    };
    let (account, author) = (user.account.clone(), user.author());
    let passkey = Passkey {
        id: id::encode(rand::random()),
        credential: new.credential,
        account_n: account.n,
        name,
        public_key: new.public_key,
        counter: i64::from(new.counter),
        created_at: author.at,
        used_at: None,
    };
    let added = app.pool.write(move |conn| match accounts::lock_if_unchanged(conn, &account)? {
        true => store::add(conn, &passkey, MAX_PASSKEYS, &author),
        false => Ok(false),
    });
    if !added.await? {
        return invalid(Message::new(
            "This passkey is registered already, or the account has {} of them.",
            &[&MAX_PASSKEYS],
        ))
        .await;
    }
    user.record(SecurityEventKind::CredentialsChanged, Some("passkey added"));
    Ok(page::redirect("/dashboard/account?done=passkey-added"))
}

pub async fn remove(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<ProvedUser>) -> PageResult {
    let user = &form.sender.0;
    let (n, author) = (user.account.n, user.author());
    let removed = app.pool.write(move |conn| store::remove(conn, n, &id, &author)).await?;
    or_not_found(removed.then_some(()))?;
    user.record(SecurityEventKind::CredentialsChanged, Some("passkey removed"));
    Ok(page::redirect("/dashboard/account?done=passkey-removed"))
}
