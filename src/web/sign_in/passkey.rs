//! `/sign-in/passkey`: signs in with a passkey. After the password it is the second factor; without it, the authenticator must
//! have verified its user, which makes it both.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::{SignInPage, closed_error, complete, safe_next};
use crate::accounts::passkeys::{self, Assertion, Ceremony, RelyingParty};
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::page::{self, PageRejection, PageResult, with_status};
use crate::web::passkey::spend_challenge;
use crate::web::session::Session;
use crate::web::view::language;
use rollcall_model::message::translatable;
use rollcall_store::accounts::{self, Account};
use rollcall_store::passkeys::{self as store, Passkey};

const REJECTED: &str = translatable("This passkey was not accepted. Try again, or sign in with your password.");

pub async fn submit(State(app): State<Arc<App>>, form: CsrfForm<Session>) -> PageResult {
    let (session, next) = (&form.sender, safe_next(form.text("next")));
    let reject = |error: &str, account: Option<&Account>| {
        session.record(SecurityEventKind::SignInFailed, account, Some("passkey"));
        let error = Some(language().translate(error).to_owned());
        let page = SignInPage { error, ..SignInPage::new(&app, session, next, "") };
        Ok(with_status(session.with_cookie(page::private(&page)), StatusCode::UNPROCESSABLE_ENTITY))
    };
    let Some((passkey, assertion)) = verify(&app, session, &form).await? else { return reject(REJECTED, None) };
    let n = passkey.account_n;
    let Some(account) = app.pool.read(move |conn| accounts::by_number(conn, n)).await? else {
        return reject(REJECTED, None);
    };
    // The second factor must be of the account whose password was right.
    let is_second_factor = session.awaiting_second_factor().is_some_and(|waiting| waiting.n == account.n);
    if !is_second_factor && !assertion.user_verified {
        return reject(REJECTED, Some(&account));
    }
    if let Some(error) = closed_error(&account, session.now) {
        return reject(error, Some(&account));
    }
    let (counter, now) = (i64::from(assertion.counter), session.now);
    if !app.pool.write(move |conn| store::record_use(conn, &passkey.credential, counter, now)).await? {
        return reject(REJECTED, Some(&account));
    }
    complete(&app, session, &account, next).await
}

/// The passkey and its verified answer. The challenge is spent whatever the result.
async fn verify(
    app: &App,
    session: &Session,
    form: &CsrfForm<Session>,
) -> Result<Option<(Passkey, Assertion)>, PageRejection> {
    let Some(client_data) = spend_challenge(app, session, form.text("client"), Ceremony::SignIn).await? else {
        return Ok(None);
    };
    let credential = form.text("credential").to_owned();
    let Some(passkey) = app.pool.read(move |conn| store::find(conn, &credential)).await? else { return Ok(None) };
    let (Some(data), Some(signature)) = (passkeys::decode(form.text("data")), passkeys::decode(form.text("signature")))
    else {
        return Ok(None);
    };
    let party = RelyingParty::new(&app.public_url);
    let verified = passkeys::verify(&passkey.public_key, &client_data, &data, &signature, &party);
    Ok(verified.map(|assertion| (passkey, assertion)))
}
