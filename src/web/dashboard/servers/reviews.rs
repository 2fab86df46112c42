//! `/dashboard/servers/{slug}/reviews`: owners reply to reviews and report them. They cannot delete them.

use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;

use super::managed;
use crate::app::App;
use crate::http::query::Query;
use crate::moderation::Verdict;
use crate::moderation::text::{self, MAX_NOTE_CHARS, MIN_REVIEW_REPORT_CHARS};
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::path_segment::Segment;
use crate::web::session::or_not_found;
use rollcall_model::message::{Message, translatable};
use rollcall_store::review_replies::{self, ReviewReply};
use rollcall_store::reviews::{self, ReviewRow};
use rollcall_store::server_access::ManagedServer;
use rollcall_store::{Conn, Result};

const REVIEWS_PER_PAGE: i64 = 20;

#[derive(Template)]
#[template(path = "dashboard/server_reviews.html")]
struct ReviewsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    server: ManagedServer,
    reviews: Vec<ReviewRow>,
    replies: HashMap<String, ReviewReply>,
    /// The number of the next page.
    older: Option<i64>,
    max_chars: usize,
}

impl ReviewsPage {
    fn tab(&self) -> &'static str {
        "reviews"
    }

    fn reply(&self, review: &ReviewRow) -> Option<&ReviewReply> {
        self.replies.get(&review.id)
    }
}

struct StoredReviews {
    reviews: Vec<ReviewRow>,
    replies: HashMap<String, ReviewReply>,
    has_older: bool,
}

fn load(conn: &mut Conn, server_n: i64, page: i64) -> Result<StoredReviews> {
    let total = reviews::count(conn, server_n)?;
    let from = total - (page - 1).saturating_mul(REVIEWS_PER_PAGE);
    let to = from - REVIEWS_PER_PAGE + 1;
    let reviews = if from > 0 { reviews::page(conn, server_n, from, to)? } else { Vec::new() };
    let ids: Vec<String> = reviews.iter().map(|review| review.id.clone()).collect();
    Ok(StoredReviews { replies: review_replies::of_reviews(conn, &ids)?, reviews, has_older: to > 1 })
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    Segment(slug): Segment,
    RawQuery(query): RawQuery,
) -> PageResult {
    let server = managed(&app, &user, &slug).await?;
    let dashboard = DashboardLayout::new(&user, "/dashboard/servers").with_success_from(query.as_deref());
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let page = query.get("page").and_then(|text| text.parse().ok()).filter(|page| *page > 0).unwrap_or(1);
    render(&app, dashboard, server, page).await
}

async fn render(app: &App, dashboard: DashboardLayout, server: ManagedServer, page: i64) -> PageResult {
    let n = server.n;
    let stored = app.pool.read(move |conn| load(conn, n, page)).await?;
    Ok(page::private(&ReviewsPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        server,
        reviews: stored.reviews,
        replies: stored.replies,
        older: stored.has_older.then_some(page + 1),
        max_chars: MAX_NOTE_CHARS,
    }))
}

async fn reject(app: &App, user: &CurrentUser, server: ManagedServer, error: impl Into<Message>) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard/servers").with_error(error);
    Ok(page::with_status(render(app, dashboard, server, 1).await?, StatusCode::UNPROCESSABLE_ENTITY))
}

/// Sets the reply to a review; an empty one removes it.
pub async fn reply(
    State(app): State<Arc<App>>,
    Path((slug, review_id)): Path<(String, String)>,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    let content = text::normalized(form.raw("content"));
    if let Err(error) = text::check(&content, 0, MAX_NOTE_CHARS) {
        return reject(&app, user, server, error).await;
    }
    // A reply stands on a public page and has no status of its own: what would be held is refused.
    match app.moderation.rules.check(&[&content], &[], user.account.skips_moderation()) {
        Verdict::Shown => {}
        Verdict::Held(_) => {
            let error =
                translatable("A reply must not link to other sites or contain words that moderators review first.");
            return reject(&app, user, server, error).await;
        }
        Verdict::Refused(error) => return reject(&app, user, server, error).await,
    }
    let (n, author, done) = (server.n, user.author(), if content.is_empty() { "reply-removed" } else { "reply-saved" });
    let found = app.pool.write(move |conn| review_replies::set(conn, n, &review_id, &content, &author)).await?;
    or_not_found(found.then_some(()))?;
    Ok(page::redirect(&format!("/dashboard/servers/{}/reviews?done={done}", server.slug)))
}

/// Reports a review to the moderators.
pub async fn report(
    State(app): State<Arc<App>>,
    Path((slug, review_id)): Path<(String, String)>,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    let why = text::normalized(form.raw("why"));
    if let Err(error) = text::check(&why, MIN_REVIEW_REPORT_CHARS, MAX_NOTE_CHARS) {
        return reject(&app, user, server, error).await;
    }
    let (n, author) = (server.n, user.author());
    let found = app.pool.write(move |conn| review_replies::report(conn, n, &review_id, &why, &author)).await?;
    or_not_found(found.then_some(()))?;
    Ok(page::redirect(&format!("/dashboard/servers/{}/reviews?done=review-reported", server.slug)))
}
