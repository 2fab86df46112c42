//! Links an account with a player, by a code from either side, and unlinks it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::{PATH, Proposed, reject, render};
use crate::app::App;
use crate::linking::TooManyCodes;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::page::{self, PageResult};
use rollcall_model::link_code::LinkCode;
use rollcall_model::message::translatable;
use rollcall_store::player_links::{self, LinkOutcome};

/// Links the account with the player who got the entered code by joining.
pub async fn link(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let Some(code) = LinkCode::parse(form.raw("code")) else {
        let error = translatable("A code has 8 letters and digits, without 0, O, 1 and I.");
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, error).await;
    };
    let outcome = app.linking.link(user.account.n, user.session.client, code, user.author()).await?;
    let (status, error) = match outcome {
        Ok(LinkOutcome::Linked { .. }) => return Ok(page::redirect(&format!("{PATH}?done=player-linked"))),
        Err(TooManyCodes(seconds)) => {
            let error = translatable("Too many wrong codes. Try again in a few minutes.");
            let response = reject(&app, user, StatusCode::TOO_MANY_REQUESTS, error).await?;
            return Ok(page::with_retry_after(response, seconds));
        }
        Ok(LinkOutcome::WrongCode) => (
            StatusCode::UNPROCESSABLE_ENTITY,
            translatable("The code is wrong, used or expired. Join again for a new one."),
        ),
        Ok(LinkOutcome::AccountTaken) => (
            StatusCode::CONFLICT,
            translatable("Your account is linked with another player. Unlink it first; the code stays valid."),
        ),
        Ok(LinkOutcome::PlayerTaken) => (
            StatusCode::CONFLICT,
            translatable("This player is linked with another account. Sign in to that account and unlink it there."),
        ),
        Ok(LinkOutcome::OptedOut) => {
            (StatusCode::CONFLICT, translatable("This player has opted out. An operator can allow them again."))
        }
        Ok(LinkOutcome::TooManyNewPlayers) => {
            (StatusCode::SERVICE_UNAVAILABLE, translatable("Too many new players today. Try again tomorrow."))
        }
    };
    reject(&app, user, status, error).await
}

/// Shows a new code that the user enters in the game.
pub async fn create_code(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let code = app.linking.create_account_code(user.account.n).await?;
    let dashboard = DashboardLayout::new(user, PATH);
    render(&app, user, dashboard, Some(code.reveal().to_owned()), Proposed::default()).await
}

pub async fn unlink(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let (account_n, author) = (form.sender.account.n, form.sender.author());
    app.pool.write(move |conn| player_links::unlink(conn, account_n, &author)).await?;
    Ok(page::redirect(&format!("{PATH}?done=player-unlinked")))
}
