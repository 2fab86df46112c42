//! `/dashboard/contributions`: what a user wrote, and what moderators decided about it.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::DashboardLayout;
use crate::app::App;
use crate::http::query::Query;
use crate::moderation::text::{self, MAX_NOTE_CHARS, MIN_APPEAL_CHARS};
use crate::web::contribution_status;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::moderation_item::{kind_name, state_class, state_name};
use crate::web::page::{self, PageResult};
use crate::web::session::{PathId, or_not_found};
use rollcall_store::moderation::{self, Item, history};
use rollcall_store::submitted_reviews::{self, OwnReview};
use rollcall_store::{Conn, Result, moderation_subject};

const ITEMS_PER_PAGE: i64 = 50;
const REVIEWS: i64 = 100;
const EXCERPT_CHARS: usize = 160;

#[derive(Template)]
#[template(path = "dashboard/contributions.html")]
struct ContributionsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    reviews: Vec<OwnReview>,
    items: Vec<JudgedItem>,
    /// The link to the next page.
    older: Option<String>,
    min_appeal_chars: usize,
    max_appeal_chars: usize,
}

/// An item with the beginning of its text.
struct JudgedItem {
    item: Item,
    excerpt: String,
}

impl JudgedItem {
    fn load(conn: &mut Conn, item: Item) -> Result<Self> {
        let excerpt = match moderation_subject::find(conn, &item)? {
            // The title of a review is the name of the player.
            Some(subject) if subject.rating.is_some() => excerpt(&subject.text),
            Some(subject) => subject.title,
            None => String::new(),
        };
        Ok(Self { item, excerpt })
    }
}

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl ContributionsPage {
    fn status_name(&self, status: &str) -> &'static str {
        contribution_status::name(status)
    }

    fn status_class(&self, status: &str) -> &'static str {
        contribution_status::class(status)
    }

    fn kind_name(&self, item: &Item) -> &'static str {
        kind_name(item.kind)
    }

    fn state_name(&self, item: &Item) -> &'static str {
        state_name(item.state)
    }

    fn state_class(&self, item: &Item) -> &'static str {
        state_class(item.state)
    }
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let dashboard = DashboardLayout::new(&user, "/dashboard/contributions").with_success_from(query.as_deref());
    let parsed = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let before = parsed.get("before").and_then(|text| text.parse().ok());
    render(&app, &user, dashboard, before).await
}

async fn render(app: &App, user: &CurrentUser, dashboard: DashboardLayout, before: Option<i64>) -> PageResult {
    let n = user.account.n;
    let read = move |conn: &mut Conn| {
        let items = history::of_author(conn, n, before.unwrap_or(i64::MAX), ITEMS_PER_PAGE + 1)?;
        let items: Result<Vec<_>> = items.into_iter().map(|item| JudgedItem::load(conn, item)).collect();
        Ok((items?, submitted_reviews::of_account(conn, n, REVIEWS)?))
    };
    let (mut items, reviews) = app.pool.read(read).await?;
    let more = items.len() > ITEMS_PER_PAGE as usize;
    items.truncate(ITEMS_PER_PAGE as usize);
    let older = items.last().filter(|_| more).map(|last| format!("/dashboard/contributions?before={}", last.item.n));
    Ok(page::private(&ContributionsPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        reviews,
        items,
        older,
        min_appeal_chars: MIN_APPEAL_CHARS,
        max_appeal_chars: MAX_NOTE_CHARS,
    }))
}

/// Asks the moderators to look again, once for each decision.
pub async fn appeal(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let text = text::normalized(form.raw("appeal"));
    if let Err(error) = text::check(&text, MIN_APPEAL_CHARS, MAX_NOTE_CHARS) {
        let dashboard = DashboardLayout::new(user, "/dashboard/contributions").with_error(error);
        return Ok(page::with_status(render(&app, user, dashboard, None).await?, StatusCode::UNPROCESSABLE_ENTITY));
    }
    let (n, author) = (user.account.n, user.author());
    let appealed = app.pool.write(move |conn| moderation::appeal(conn, n, &id, &text, &author)).await?;
    or_not_found(appealed.then_some(()))?;
    Ok(page::redirect("/dashboard/contributions?done=appealed"))
}
