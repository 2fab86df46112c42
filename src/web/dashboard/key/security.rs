//! `/dashboard/keys/{id}/security`: secrets and restrictions.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::super::{DashboardLayout, secret};
use super::{KeyHead, KeyTab, change, find_own};
use crate::accounts::api_keys::{self, GracePeriod};
use crate::app::App;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{CurrentUser, ProvedUser};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::PathId;
use rollcall_model::api_key::ApiKeySecret;
use rollcall_model::key_restriction::KeyRestrictions;
use rollcall_model::message::{Message, translatable};
use rollcall_model::time;
use rollcall_store::keys::{self, KeyRecord};

#[derive(Template)]
#[template(path = "dashboard/key_security.html")]
struct SecurityPage {
    layout: Layout,
    dashboard: DashboardLayout,
    head: KeyHead,
    entered: EnteredRestrictions,
    /// Each with whether the key is accepted for it only.
    endpoints: Vec<(&'static str, bool)>,
    /// Rotating needs a fresh proof first.
    must_confirm: bool,
}

/// The form as it is shown: stored values, or those of a rejected form.
#[derive(Clone, Default)]
struct EnteredRestrictions {
    /// One per line.
    networks: String,
    origins: String,
    endpoints: Vec<&'static str>,
}

impl EnteredRestrictions {
    fn stored(key: &KeyRecord) -> Self {
        let Some(restrictions) = &key.restrictions else { return Self::default() };
        let networks: Vec<String> = restrictions.networks.iter().map(ToString::to_string).collect();
        let is_listed = |path: &&str| restrictions.endpoints.iter().any(|listed| listed == path);
        Self {
            networks: networks.join("\n"),
            origins: restrictions.origins.join("\n"),
            endpoints: endpoint_paths().filter(is_listed).collect(),
        }
    }

    fn of_form(form: &CsrfForm<CurrentUser>) -> Self {
        let is_checked = |path: &&str| !form.text(&format!("endpoint {path}")).is_empty();
        Self {
            networks: form.text("networks").to_owned(),
            origins: form.text("origins").to_owned(),
            endpoints: endpoint_paths().filter(is_checked).collect(),
        }
    }

    fn parse(&self) -> Result<Option<KeyRestrictions>, Message> {
        let known: Vec<&str> = endpoint_paths().collect();
        KeyRestrictions::parse(self.networks.lines(), self.origins.lines(), self.endpoints.iter().copied(), &known)
    }
}

fn endpoint_paths() -> impl Iterator<Item = &'static str> {
    crate::v1::ENDPOINTS.iter().map(|endpoint| endpoint.path)
}

impl SecurityPage {
    fn grace_periods(&self) -> [(&'static str, &'static str, bool); 4] {
        GracePeriod::ALL.map(|period| {
            let label = match period {
                GracePeriod::None => translatable("revoke immediately"),
                GracePeriod::Hour => translatable("valid for 1 hour"),
                GracePeriod::Day => translatable("valid for 24 hours"),
                GracePeriod::Week => translatable("valid for 7 days"),
            };
            (period.name(), label, period == GracePeriod::DEFAULT)
        })
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let key = find_own(&app, &user, &id).await?;
    let dashboard = DashboardLayout::new(&user, "/dashboard").with_success_from(query.as_deref());
    let entered = EnteredRestrictions::stored(&key);
    render(&app, &user, key, dashboard, entered).await
}

async fn render(
    app: &App,
    user: &CurrentUser,
    key: KeyRecord,
    dashboard: DashboardLayout,
    entered: EnteredRestrictions,
) -> PageResult {
    Ok(page::private(&SecurityPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        head: KeyHead::load(app, key, KeyTab::Security, user.session.now).await?,
        endpoints: endpoint_paths().map(|path| (path, entered.endpoints.contains(&path))).collect(),
        entered,
        must_confirm: !user.is_freshly_proved(),
    }))
}

/// Shows the page again with an error message and the entered values.
async fn reject(
    app: &App,
    user: &CurrentUser,
    key: KeyRecord,
    error: impl Into<Message>,
    entered: EnteredRestrictions,
) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard").with_error(error);
    Ok(page::with_status(render(app, user, key, dashboard, entered).await?, StatusCode::UNPROCESSABLE_ENTITY))
}

/// Replaces the restrictions by those of the form.
pub async fn restrict(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    let entered = EnteredRestrictions::of_form(&form);
    match entered.parse() {
        Ok(restrictions) => {
            change(&app, &form, &key, "security?done=restricted", move |conn, n, author| {
                keys::set_restrictions(conn, n, restrictions.as_ref(), author)
            })
            .await
        }
        Err(error) => reject(&app, &form.sender, key, error, entered).await,
    }
}

/// A new secret is shown to users who have just proved who they are only.
pub async fn rotate(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<ProvedUser>) -> PageResult {
    let user = &form.sender.0;
    let key = find_own(&app, user, &id).await?;
    let grace = match GracePeriod::parse(form.text("grace")) {
        Ok(grace) => grace,
        Err(error) => {
            let entered = EnteredRestrictions::stored(&key);
            return reject(&app, user, key, error, entered).await;
        }
    };
    let (author, newest) = (user.author(), form.text("newest").to_owned());
    let (secret, old_ends_at) = (ApiKeySecret::generate(), author.at + grace.millis());
    let (record, new) = (key.clone(), secret.clone());
    let rotated =
        app.pool.write(move |conn| api_keys::rotate_once(conn, &record, &newest, &new, old_ends_at, &author)).await?;
    if !rotated {
        return Ok(page::redirect(&format!("/dashboard/keys/{}/security?done=rotated-before", key.id)));
    }
    let old_until = (grace != GracePeriod::None).then(|| time::iso(old_ends_at));
    Ok(secret::show(user, (&key.id, &key.name), translatable("API key rotated"), &secret, old_until))
}

pub async fn revoke_old_secret(
    State(app): State<Arc<App>>,
    PathId(id): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    change(&app, &form, &key, "security?done=ended", |conn, n, author| keys::revoke_old(conn, n, author).map(drop))
        .await
}
