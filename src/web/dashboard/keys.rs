//! `/dashboard`: the API keys of an account, and the form for a new one.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};

use super::key_view::{self, KeyView};
use super::{DashboardLayout, secret, usage_page};
use crate::accounts::api_keys::{self, KeyCreation, KeyRequest};
use crate::app::App;
use crate::http::query::Query;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::live_part::{self, LivePart};
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::usage::UsageSection;
use rollcall_model::api_key::ApiKeySecret;
use rollcall_model::id;
use rollcall_model::message::{Message, translatable};
use rollcall_model::time;
use rollcall_model::usage::UsageSpan;
use rollcall_store::keys::{self, KeyRecord};

#[derive(Template)]
#[template(path = "dashboard/keys.html")]
struct KeysPage {
    layout: Layout,
    dashboard: DashboardLayout,
    has_keys: bool,
    /// No further key may be created.
    is_full: bool,
    list: LivePart,
    /// The id of the next key: a form sent twice creates one key.
    new_id: String,
    entered: EnteredKey,
    max_keys: u32,
    today: String,
    usage: UsageSection,
}

/// The values of a rejected form, shown again.
#[derive(Clone, Default)]
struct EnteredKey {
    name: String,
    expires: String,
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let dashboard = DashboardLayout::new(&user, "/dashboard").with_success_from(query.as_deref());
    render(&app, &user, dashboard, EnteredKey::default(), usage_page::parse_span(query.as_deref())).await
}

async fn render(
    app: &App,
    user: &CurrentUser,
    dashboard: DashboardLayout,
    entered: EnteredKey,
    span: UsageSpan,
) -> PageResult {
    let (n, now) = (user.account.n, user.session.now);
    let keys = app.pool.read(move |conn| keys::of_account(conn, n)).await?;
    let usage = usage_page::of_all(app, &keys, span, now).await?.into_section()?;
    let count = keys.len();
    Ok(page::private(&KeysPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        has_keys: count > 0,
        is_full: count >= app.accounts.settings.max_keys as usize,
        list: list_part(app, keys, now).await?,
        new_id: id::encode(rand::random()),
        entered,
        max_keys: app.accounts.settings.max_keys,
        today: time::day(now),
        usage,
    }))
}

#[derive(Template)]
#[template(path = "live/key_list.html")]
struct KeyList {
    keys: Vec<KeyView>,
}

async fn list_part(app: &App, keys: Vec<KeyRecord>, now: i64) -> Result<LivePart, PageRejection> {
    Ok(LivePart::new("key-list", &KeyList { keys: key_view::load_key_views(app, keys, now).await? })?)
}

/// `/dashboard/live`: the parts of the page that changed.
pub async fn refresh(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> PageResult {
    let (n, now) = (user.account.n, user.session.now);
    let keys = app.pool.read(move |conn| keys::of_account(conn, n)).await?;
    let usage = usage_page::of_all(&app, &keys, usage_page::parse_span(query.as_deref()), now).await?;
    let mut parts = usage.into_section()?.parts;
    parts.push(list_part(&app, keys, now).await?);
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    Ok(live_part::respond(&parts, &query, &headers))
}

pub async fn create(State(app): State<Arc<App>>, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let entered = EnteredKey { name: form.text("name").to_owned(), expires: form.text("expires").to_owned() };
    let reject = |status: StatusCode, error: Message| reject(&app, user, status, error, entered.clone());
    let expires_at = api_keys::check_name(&entered.name)
        .and_then(|()| api_keys::parse_expiry_day(&entered.expires, user.session.now));
    let expires_at = match expires_at {
        Ok(expires_at) => expires_at,
        Err(error) => return reject(StatusCode::UNPROCESSABLE_ENTITY, error).await,
    };
    let id = match form.text("id") {
        id if id::is_encoded(id) => id.to_owned(),
        _ => id::encode(rand::random()),
    };
    let (secret, settings) = (ApiKeySecret::generate(), app.accounts.settings.clone());
    let creation = {
        let (account, author) = (user.account.clone(), user.author());
        let (name, secret, settings) = (entered.name.clone(), secret.clone(), settings.clone());
        app.pool.write(move |conn| {
            let request = KeyRequest { id: &id, name: &name, expires_at };
            api_keys::create(conn, &account, &settings, &request, &secret, &author)
        })
    };
    match creation.await? {
        KeyCreation::Created(id) => {
            Ok(secret::show(user, (&id, &entered.name), translatable("API key created"), &secret, None))
        }
        KeyCreation::AlreadyCreated => Ok(page::redirect("/dashboard?done=made-before")),
        KeyCreation::SignedOut => Ok(page::redirect("/sign-in")),
        KeyCreation::TooManyKeys => {
            let error =
                Message::new("An account can have {} API keys. Delete one you no longer need.", &[&settings.max_keys]);
            reject(StatusCode::UNPROCESSABLE_ENTITY, error).await
        }
        KeyCreation::TooManyToday => {
            let limit = settings.new_keys_per_day;
            let error =
                Message::new("An account can create {} API keys within 24 hours. Try again tomorrow.", &[&limit]);
            reject(StatusCode::TOO_MANY_REQUESTS, error).await
        }
    }
}

/// Shows the page again with an error message and the entered values.
async fn reject(app: &App, user: &CurrentUser, status: StatusCode, error: Message, entered: EnteredKey) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard").with_error(error);
    Ok(page::with_status(render(app, user, dashboard, entered, UsageSpan::Day).await?, status))
}
