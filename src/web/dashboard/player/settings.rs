//! Choices of linked users: skin and cape, visibility of the country, and opting out.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::{PATH, reject};
use crate::app::App;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{CurrentUser, redirect_to_proof};
use crate::web::dashboard::reauthentication::check_password;
use crate::web::page::{self, PageResult};
use rollcall_model::message::{Message, translatable};
use rollcall_store::{player_erasure, player_settings};

const CHANGED: &str = "/dashboard/player?done=player-changed";
const NOT_LINKED: &str = translatable("Your account is not linked with a player.");

pub async fn set_appearance(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let (skin, cape) = (slug_of(form.text("skin")), slug_of(form.text("cape")));
    let skin_n = app.catalogue.skins().by_slug(skin).map(|entry| entry.row.n);
    let cape_n = app.catalogue.capes().by_slug(cape).map(|entry| entry.row.n);
    let Some(skin_n) = skin_n else {
        let error = Message::new("There is no skin named {}. Enter the last part of its address.", &[&shown(skin)]);
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, error).await;
    };
    if cape_n.is_none() && !cape.is_empty() {
        let error = Message::new("There is no cape named {}. Enter the last part of its address.", &[&shown(cape)]);
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, error).await;
    }
    let (account_n, author) = (user.account.n, user.author());
    let set = move |conn: &mut _| player_settings::set_appearance(conn, account_n, skin_n, cape_n, &author);
    match app.pool.write(set).await? {
        true => Ok(page::redirect(CHANGED)),
        false => reject(&app, user, StatusCode::CONFLICT, NOT_LINKED).await,
    }
}

/// `https://stats.example.org/skins/red-fox` → `red-fox`
fn slug_of(entered: &str) -> &str {
    entered.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// As much of an input as an error message repeats.
fn shown(entered: &str) -> String {
    entered.chars().take(60).collect()
}

pub async fn set_country(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let (account_n, hides, author) = (user.account.n, form.text("hide") == "yes", user.author());
    let set = move |conn: &mut _| player_settings::set_hides_country(conn, account_n, hides, &author);
    match app.pool.write(set).await? {
        true => Ok(page::redirect(CHANGED)),
        false => reject(&app, user, StatusCode::CONFLICT, NOT_LINKED).await,
    }
}

/// Removes the player for good. It cannot be undone, so it needs the password, as the deletion of an account does.
pub async fn erase(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    if form.text("sure") != "yes" {
        let error = translatable("Check the box to confirm that the player is removed.");
        return reject(&app, user, StatusCode::UNPROCESSABLE_ENTITY, error).await;
    }
    if user.must_confirm() {
        return Ok(redirect_to_proof(PATH));
    }
    if let Err(rejected) = check_password(&app, user, form.raw("password")).await? {
        return reject(&app, user, rejected.status, rejected.message).await;
    }
    let (account_n, author) = (user.account.n, user.author());
    if !app.pool.write(move |conn| player_erasure::erase_own(conn, account_n, &author)).await? {
        let error = translatable("Prove first that the player is yours: join with your game account.");
        return reject(&app, user, StatusCode::CONFLICT, error).await;
    }
    Ok(page::redirect("/dashboard/player?done=player-erased"))
}

#[cfg(test)]
mod tests {
    use super::slug_of;

    #[test]
    fn a_texture_is_named_by_its_slug_or_address() {
        for entered in ["red-fox", "/skins/red-fox", "https://stats.example.org/skins/red-fox/"] {
            assert_eq!(slug_of(entered), "red-fox");
        }
        assert_eq!(slug_of(""), "");
    }
}
