//! The dashboard of a signed-in user: API keys, their usage, the account and its log.

mod account;
mod contributions;
mod export;
mod favorites;
mod key;
mod key_view;
mod keys;
mod log;
mod passkeys;
mod password;
mod player;
mod reauthentication;
mod second_factor;
mod secret;
mod servers;
pub mod skins;
mod usage_page;
mod webhooks;

use std::fmt::Display;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::routing::get;

pub use account::SessionView;
pub use key::overview::quota_part;
pub use key::settings::parse_limits;
pub use key::state_part;
pub use key_view::{KeyView, load_key_views};
pub use log::{AuditLog, actor_name};
pub use reauthentication::BUSY;
pub use usage_page::{csv_response, of_key_at, parse_span};

use super::current_user::CurrentUser;
use super::filters;
use super::form_route::form_route;
use super::view::language;
use crate::accounts::Duty;
use crate::app::App;
use rollcall_model::message::{Message, translatable};

/// Pages with forms.
const ACCOUNT: &str = "/dashboard/account";
const KEY_SECURITY: &str = "/dashboard/keys/{id}/security";
const KEY_SETTINGS: &str = "/dashboard/keys/{id}/settings";

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/dashboard", get(keys::show))
        .route("/dashboard/usage.csv", get(usage_page::download_all))
        .route("/dashboard/keys", form_route("/dashboard", keys::create))
        .route("/dashboard/live", get(keys::refresh))
        .route("/dashboard/keys/{id}", get(key::overview::show))
        .route("/dashboard/keys/{id}/usage", get(key::overview::show_usage))
        .route(KEY_SECURITY, get(key::security::show))
        .route(KEY_SETTINGS, get(key::settings::show))
        .route("/dashboard/keys/{id}/live", get(key::overview::refresh))
        .route("/dashboard/keys/{id}/usage.csv", get(key::overview::download_usage))
        .route("/dashboard/keys/{id}/rename", form_route(KEY_SETTINGS, key::settings::rename))
        .route("/dashboard/keys/{id}/expiry", form_route(KEY_SETTINGS, key::settings::set_expiry))
        .route("/dashboard/keys/{id}/rotate", form_route(KEY_SECURITY, key::security::rotate))
        .route("/dashboard/keys/{id}/restrict", form_route(KEY_SECURITY, key::security::restrict))
        .route("/dashboard/keys/{id}/end-old", form_route(KEY_SECURITY, key::security::revoke_old_secret))
        .route("/dashboard/keys/{id}/disable", form_route(KEY_SETTINGS, key::settings::disable))
        .route("/dashboard/keys/{id}/enable", form_route(KEY_SETTINGS, key::settings::enable))
        .route("/dashboard/keys/{id}/delete", form_route(KEY_SETTINGS, key::settings::delete))
        .route("/dashboard/keys/{id}/limits", form_route(KEY_SETTINGS, key::settings::request_limits))
        .route("/dashboard/keys/{id}/limits/withdraw", form_route(KEY_SETTINGS, key::settings::withdraw_limit_request))
        .route(ACCOUNT, get(account::show))
        .route("/dashboard/account/password", get(password::show).post(password::change))
        .route("/dashboard/confirm", get(reauthentication::show).post(reauthentication::submit))
        .route("/dashboard/account/delete", form_route(ACCOUNT, account::delete))
        .route("/dashboard/account/export", form_route(ACCOUNT, export::download))
        .route("/dashboard/contributions", get(contributions::show))
        .route("/dashboard/contributions/{id}/appeal", form_route("/dashboard/contributions", contributions::appeal))
        .route("/dashboard/account/sign-ins/{id}/end", form_route(ACCOUNT, account::end_session))
        .route("/dashboard/account/sign-ins/end-others", form_route(ACCOUNT, account::end_other_sessions))
        .route("/dashboard/account/second-factor", get(second_factor::show).post(second_factor::enable))
        .route("/dashboard/account/second-factor/off", form_route(ACCOUNT, second_factor::disable))
        .route("/dashboard/account/second-factor/codes", form_route(ACCOUNT, second_factor::renew_codes))
        .route("/dashboard/account/passkeys", form_route(ACCOUNT, passkeys::add))
        .route("/dashboard/account/passkeys/{id}/remove", form_route(ACCOUNT, passkeys::remove))
        .route("/dashboard/log", get(log::show))
        .merge(favorites::routes())
        .merge(player::routes())
        .merge(servers::routes())
        .merge(skins::routes())
        .merge(webhooks::routes())
}

/// The part of the layout that all dashboard and operator pages share (`web/templates/dashboard/dashboard_layout.html`).
pub struct DashboardLayout {
    pub username: String,
    pub operator: bool,
    pub moderator: bool,
    pub csrf_token: String,
    /// The navigation link to highlight.
    pub current: &'static str,
    /// Confirms the last action.
    pub success: Option<&'static str>,
    /// Says why the submitted form was rejected.
    pub error: Option<String>,
    /// Required action of the user before any other.
    pub duty: Option<Duty>,
}

/// The navigation and messages, as a template of their own for the reason of those of [`crate::web::layout`].
#[derive(Template)]
#[template(path = "dashboard/bar.html")]
struct Bar<'a> {
    dashboard: &'a DashboardLayout,
}

impl DashboardLayout {
    pub fn bar(&self) -> impl Display {
        Bar { dashboard: self }
    }

    pub fn new(user: &CurrentUser, current: &'static str) -> Self {
        Self {
            username: user.account.username.clone(),
            operator: user.account.operator,
            moderator: user.account.is_moderator(),
            csrf_token: user.session.csrf_token(),
            current,
            success: None,
            error: None,
            duty: user.duty(),
        }
    }

    pub fn with_error(self, error: impl Into<Message>) -> Self {
        Self { error: Some(language().message(&error.into())), ..self }
    }

    /// Adds the message that `?done=` names. Only known names work, so a link cannot put its own text on the page.
    pub fn with_success_from(mut self, query: Option<&str>) -> Self {
        let name = query.unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("done="));
        let message = name.and_then(|name| SUCCESS_MESSAGES.iter().find(|(known, _)| *known == name));
        self.success = message.map(|(_, text)| *text);
        self
    }

    /// Why no other page is open to the user.
    fn duty_message(&self) -> Option<&'static str> {
        self.duty.map(|duty| match duty {
            Duty::ChangePassword => translatable("An operator made your password. Choose your own to continue."),
            Duty::EnableSecondFactor => {
                translatable("Operators of this server need two-factor authentication. Turn it on to continue.")
            }
        })
    }

    pub fn nav_links(&self) -> Vec<(&'static str, &'static str)> {
        let mut links = vec![
            ("/dashboard", translatable("API keys")),
            ("/dashboard/servers", translatable("Servers")),
            ("/dashboard/votes", translatable("Votes")),
            ("/dashboard/player", translatable("Player")),
            ("/dashboard/skins", translatable("Skins and capes")),
            ("/dashboard/favorites", translatable("Favorites")),
            ("/dashboard/webhooks", translatable("Webhooks")),
            ("/dashboard/contributions", translatable("Contributions")),
            ("/dashboard/account", translatable("Account")),
            ("/dashboard/log", translatable("Log")),
        ];
        if self.moderator {
            links.push(("/moderation", translatable("Moderation")));
        }
        if self.operator {
            links.push(("/operator", translatable("Operator")));
        }
        links
    }

    /// The second row of links on operator pages.
    pub fn operator_links(&self) -> [(&'static str, &'static str); 7] {
        [
            ("/operator", translatable("Overview")),
            ("/operator/limit-requests", translatable("Limit requests")),
            ("/operator/accounts", translatable("Accounts")),
            ("/operator/keys", translatable("API keys")),
            ("/operator/servers", translatable("Servers")),
            ("/operator/invitations", translatable("Invitations")),
            ("/operator/log", translatable("Log")),
        ]
    }
}

const SUCCESS_MESSAGES: &[(&str, &str)] = &[
    ("welcome", translatable("Welcome! Create your first API key below, or add your server under Servers.")),
    (
        "welcome-name-held",
        translatable(
            "Welcome! A moderator looks at the name you chose. Until then others see a neutral one; you can sign in with both.",
        ),
    ),
    ("renamed", translatable("API key renamed.")),
    ("expiry", translatable("Expiry updated.")),
    (
        "made-before",
        translatable(
            "This API key already exists. Its secret was shown when it was created and cannot be shown again.",
        ),
    ),
    (
        "rotated-before",
        translatable("This API key was already rotated. Its new secret was shown then and cannot be shown again."),
    ),
    ("restricted", translatable("Restrictions saved. They take effect within a second.")),
    ("ended", translatable("Old secret revoked. Only the newest secret works now.")),
    ("disabled", translatable("API key disabled. Requests with it are rejected.")),
    ("enabled", translatable("API key enabled.")),
    ("deleted", translatable("API key deleted.")),
    ("asked", translatable("Limit request sent. An operator will reply on this page.")),
    ("withdrawn", translatable("Limit request withdrawn.")),
    (
        "recovered",
        "You signed in with a recovery code, which is now used up. If you lost the authenticator app, turn two-factor authentication off and on again.",
    ),
    ("server-submitted", translatable("Server submitted. Prove that it is yours to manage it.")),
    ("server-claimed", translatable("The server is yours. Complete its page below.")),
    ("server-moved", translatable("The server has moved to its new address.")),
    ("move-cancelled", translatable("The server stays at its address.")),
    (
        "claim-disputed",
        translatable("The code was found, but another account owns this server. A moderator will decide."),
    ),
    ("editor-added", translatable("Editor added.")),
    ("editor-removed", translatable("Editor removed.")),
    ("banner-set", translatable("Banner saved.")),
    ("banner-held", translatable("Banner saved. A moderator looks at the server before it is shown.")),
    ("banner-removed", translatable("Banner removed. It is drawn from the name again.")),
    ("server-archived", translatable("Server archived. It is hidden and not pinged.")),
    ("server-restored", translatable("Server restored.")),
    ("server-deleted", translatable("Server deleted. You can restore it within 30 days.")),
    ("tokens-revoked", translatable("Token revoked. Reports with it are refused.")),
    ("receiver-set", translatable("Saved. Send a test vote to try it.")),
    ("receiver-removed", translatable("Votes are no longer sent to your server.")),
    ("resent", translatable("The vote is sent again.")),
    (
        "webhook-made-before",
        translatable(
            "This webhook already exists. Its secret was shown when it was created and cannot be shown again.",
        ),
    ),
    ("webhook-saved", translatable("Webhook saved.")),
    ("webhook-changed-before", translatable("The webhook has changed since you opened the page. Look at it again.")),
    ("webhook-enabled", translatable("Webhook enabled. It gets what happens from now on.")),
    ("webhook-disabled", translatable("Webhook disabled. What waited for it is not sent.")),
    ("webhook-deleted", translatable("Webhook deleted.")),
    ("webhook-resent", translatable("The message is sent again.")),
    ("webhook-replayed", translatable("The events of this time are sent again.")),
    ("player-linked", translatable("Your account is linked with the player.")),
    ("player-unlinked", translatable("Your account is no longer linked with the player.")),
    ("player-changed", translatable("Saved. The player's page changes within a few seconds.")),
    ("player-erased", translatable("The player was removed from this site and will not be stored again.")),
    ("collection-created", translatable("Collection created.")),
    ("collection-renamed", translatable("Collection renamed.")),
    ("collection-deleted", translatable("Collection deleted. Its favorites stay.")),
    ("favorite-moved", translatable("Favorite moved.")),
    ("reply-saved", translatable("Reply saved. It is shown below the review.")),
    ("reply-removed", translatable("Reply removed.")),
    ("review-reported", translatable("Reported. A moderator will look at the review.")),
    ("post-published", translatable("Post published.")),
    ("post-held", translatable("A moderator looks at the post before it is shown.")),
    ("post-scheduled", translatable("Post scheduled.")),
    ("post-deleted", translatable("Post deleted.")),
    ("draft-saved", translatable("Draft saved.")),
    ("draft-deleted", translatable("Draft deleted.")),
    ("upload-shown", translatable("Uploaded. It is shown within a second.")),
    ("upload-held", translatable("A moderator looks at it before others see it.")),
    ("upload-duplicate", translatable("You uploaded this picture before; this is it.")),
    ("upload-saved", translatable("Saved.")),
    ("upload-deleted", translatable("Deleted. Players who wore it wear the default skin again.")),
    ("appealed", translatable("Appeal sent. Another look is taken at your text.")),
    ("approved", translatable("Approved. It is shown from now on.")),
    ("rejected", translatable("Rejected. The author can read your reason.")),
    ("hidden", translatable("Hidden. The author can read your reason.")),
    ("taken", translatable("You have this item for 15 minutes.")),
    ("given-back", translatable("Other moderators can take the item again.")),
    ("queue-empty", translatable("Nothing is left that you can review.")),
    ("role-set", translatable("Role changed. It takes effect at once.")),
    ("trust-set", translatable("Trust changed.")),
    ("password", translatable("Password changed. All other sessions were signed out.")),
    ("sign-in-ended", translatable("Session signed out.")),
    ("others-ended", translatable("All other sessions were signed out.")),
    ("passkey-added", translatable("Passkey added. You can sign in with it from now on.")),
    ("passkey-removed", translatable("Passkey removed.")),
    ("factor-off", translatable("Two-factor authentication is off.")),
    ("granted", translatable("Limit request granted. The new limits are in effect.")),
    ("refused", translatable("Limit request declined. The owner can read your reply.")),
    ("invitation-revoked", translatable("Invitation revoked. Its link no longer works.")),
    ("limits-set", translatable("Limits set. They take effect within a second.")),
    ("account-signed-out", translatable("The account was signed out everywhere.")),
    ("account-deleted", translatable("Account deleted with its API keys.")),
    ("server-added", translatable("Server added. It is pinged from now on.")),
    ("server-changed", translatable("Settings saved.")),
    ("server-removed", translatable("Server removed with its history.")),
    ("account-disabled", translatable("Account disabled. Requests with its API keys are rejected.")),
    ("account-enabled", translatable("Account enabled.")),
];
