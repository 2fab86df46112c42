//! What a key holder sees and does: keys, their use, the account, the log.

mod account;
mod key;
mod key_view;
mod keys;
mod log;
mod second_factor;
mod secret;
mod usage_page;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

pub use key::limits;
pub use key_view::{Shown, shown};
pub use log::Lines;

use super::page::form;
use super::session::Holder;
use crate::app::App;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/dashboard", get(keys::look))
        .route("/dashboard/usage.csv", get(usage_page::all_as_csv))
        .route("/dashboard/keys", form(keys::create))
        .route("/dashboard/keys/{id}", get(key::look))
        .route("/dashboard/keys/{id}/usage.csv", get(usage_page::key_as_csv))
        .route("/dashboard/keys/{id}/rename", form(key::rename))
        .route("/dashboard/keys/{id}/expiry", form(key::set_expiry))
        .route("/dashboard/keys/{id}/rotate", form(key::rotate))
        .route("/dashboard/keys/{id}/end-old", form(key::end_old))
        .route("/dashboard/keys/{id}/disable", form(key::disable))
        .route("/dashboard/keys/{id}/enable", form(key::enable))
        .route("/dashboard/keys/{id}/delete", form(key::delete))
        .route("/dashboard/keys/{id}/limits", form(key::ask_for_limits))
        .route("/dashboard/keys/{id}/limits/withdraw", form(key::withdraw_wish))
        .route("/dashboard/account", get(account::look))
        .route("/dashboard/account/password", form(account::change_password))
        .route("/dashboard/account/delete", form(account::delete))
        .route("/dashboard/account/sign-ins/{id}/end", form(account::end_sign_in))
        .route("/dashboard/account/sign-ins/end-others", form(account::end_others))
        .route("/dashboard/account/second-factor", get(second_factor::look).post(second_factor::switch_on))
        .route("/dashboard/account/second-factor/off", form(second_factor::switch_off))
        .route("/dashboard/log", get(log::look))
}

/// What stands around every page of a key holder.
pub struct Desk {
    pub username: String,
    pub operator: bool,
    /// Of the forms on the page.
    pub token: String,
    pub here: &'static str,
    /// What was just done, in words.
    pub done: Option<&'static str>,
    /// What was not done, and why.
    pub wrong: Option<String>,
}

impl Desk {
    pub fn of(holder: &Holder, here: &'static str) -> Self {
        Self {
            username: holder.account.username.clone(),
            operator: holder.account.operator,
            token: holder.visitor.token(),
            here,
            done: None,
            wrong: None,
        }
    }

    /// With what `?done=` says was done: a word for each, so that nobody puts words of his own on our page.
    pub fn after(mut self, query: Option<&str>) -> Self {
        let word = query.unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("done="));
        self.done = word.and_then(|word| DONE.iter().find(|(known, _)| *known == word)).map(|(_, words)| *words);
        self
    }

    pub fn doors(&self) -> Vec<(&'static str, &'static str)> {
        let mut doors = vec![("/dashboard", "Keys"), ("/dashboard/account", "Account"), ("/dashboard/log", "Log")];
        if self.operator {
            doors.push(("/operator", "Operator"));
        }
        doors
    }

    /// The rooms behind the operator's door.
    pub fn office(&self) -> [(&'static str, &'static str); 4] {
        [
            ("/operator", "Wishes"),
            ("/operator/accounts", "Accounts"),
            ("/operator/keys", "Keys"),
            ("/operator/log", "Log"),
        ]
    }
}

const DONE: &[(&str, &str)] = &[
    ("welcome", "Welcome. Make your first key below: it takes a name and a click."),
    ("renamed", "The key has its new name."),
    ("expiry", "The key's end was changed."),
    ("made-before", "This key was made before; its secret was shown then, and cannot be shown again."),
    ("rotated-before", "This key was rotated before; its new secret was shown then, and cannot be shown again."),
    ("ended", "The old secret has ended. Only the newest one is let in."),
    ("disabled", "The key is disabled: calls with it are refused from now on."),
    ("enabled", "The key is enabled again."),
    ("deleted", "The key is deleted."),
    ("asked", "Your wish for higher limits was passed on. The answer will stand here."),
    ("withdrawn", "Your wish is withdrawn."),
    (
        "recovered",
        "You signed in with a recovery code, which is used up now. If the app is lost, switch the second factor off and on again.",
    ),
    ("password", "Your password is changed, and you are signed out everywhere else."),
    ("sign-in-ended", "That sign-in has ended."),
    ("others-ended", "You are signed out everywhere else."),
    ("factor-off", "The second factor is switched off."),
    ("granted", "The limits are granted and in force."),
    ("refused", "The wish is refused, and its owner can read why."),
    ("account-disabled", "The account is disabled, and its keys are refused."),
    ("account-enabled", "The account is enabled again."),
];
