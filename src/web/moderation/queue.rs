//! `/moderation`: the queue, oldest first.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};

use super::why;
use crate::app::App;
use crate::http::query::Query;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::Moderator;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::moderation_item::{kind_name, state_class, state_name};
use crate::web::page::{self, PageResult};
use rollcall_store::moderation::queue;
use rollcall_store::moderation::{Item, ItemKind, ItemState};

const ITEMS_PER_PAGE: i64 = 50;

#[derive(Template)]
#[template(path = "moderation/queue.html")]
struct QueuePage {
    layout: Layout,
    dashboard: DashboardLayout,
    state: ItemState,
    kind: Option<ItemKind>,
    /// Open items by kind.
    counts: Vec<(ItemKind, i64)>,
    items: Vec<Item>,
    /// The link to the next page.
    newer: Option<String>,
    moderator_n: i64,
    now: i64,
}

impl QueuePage {
    fn kinds(&self) -> [ItemKind; 8] {
        ItemKind::ALL
    }

    fn states(&self) -> [ItemState; 4] {
        ItemState::ALL
    }

    fn kind_name(&self, kind: &ItemKind) -> &'static str {
        kind_name(*kind)
    }

    fn state_name(&self, state: &ItemState) -> &'static str {
        state_name(*state)
    }

    fn state_class(&self, state: &ItemState) -> &'static str {
        state_class(*state)
    }

    fn why(&self, item: &Item) -> String {
        why(&item.why)
    }

    fn total(&self) -> i64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    fn count(&self, kind: &ItemKind) -> i64 {
        self.counts.iter().find(|(counted, _)| counted == kind).map_or(0, |(_, count)| *count)
    }

    fn is_own_lock(&self, item: &Item) -> bool {
        item.locked_by == Some(self.moderator_n) && item.locked_until > self.now
    }

    fn locked_by(&self, item: &Item) -> Option<String> {
        item.is_locked_for(self.moderator_n, self.now).then(|| item.locked_by_name.clone().unwrap_or_default())
    }

    fn link(&self, kind: Option<&ItemKind>, state: &ItemState) -> String {
        link(kind.copied(), *state)
    }
}

fn link(kind: Option<ItemKind>, state: ItemState) -> String {
    let kind = kind.map(|kind| format!("kind={}", kind.as_str()));
    let state = (state != ItemState::Open).then(|| format!("state={}", state.as_str()));
    let parameters: Vec<String> = kind.into_iter().chain(state).collect();
    if parameters.is_empty() { "/moderation".to_owned() } else { format!("/moderation?{}", parameters.join("&")) }
}

pub async fn show(State(app): State<Arc<App>>, moderator: Moderator, RawQuery(raw): RawQuery) -> PageResult {
    let user = &moderator.0;
    let query = Query::parse(raw.as_deref().unwrap_or_default()).unwrap_or_default();
    let kind = query.get("kind").and_then(ItemKind::parse);
    let state = query.get("state").and_then(ItemState::parse).unwrap_or(ItemState::Open);
    let after = query.get("after").and_then(|text| text.parse().ok()).unwrap_or(0);
    // One item more than shown tells whether there is another page.
    let read =
        move |conn: &mut _| Ok((queue::list(conn, state, kind, after, ITEMS_PER_PAGE + 1)?, queue::count_open(conn)?));
    let (mut items, counts) = app.pool.read(read).await?;
    let more = items.len() > ITEMS_PER_PAGE as usize;
    items.truncate(ITEMS_PER_PAGE as usize);
    let newer = items.last().filter(|_| more).map(|last| {
        let first = link(kind, state);
        let separator = if first.contains('?') { '&' } else { '?' };
        format!("{first}{separator}after={}", last.n)
    });
    Ok(page::private(&QueuePage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout::new(user, "/moderation").with_success_from(raw.as_deref()),
        state,
        kind,
        counts: counts.into_iter().filter_map(|(kind, count)| Some((ItemKind::parse(&kind)?, count))).collect(),
        items,
        newer,
        moderator_n: user.account.n,
        now: user.session.now,
    }))
}

/// Takes the oldest item that no one else has and opens it.
pub async fn take_next(State(app): State<Arc<App>>, form: CsrfForm<Moderator>) -> PageResult {
    let (moderator_n, now) = (form.sender.0.account.n, form.sender.0.session.now);
    let kind = ItemKind::parse(form.text("kind"));
    let next = app.pool.write(move |conn| queue::take_next(conn, kind, moderator_n, now)).await?;
    Ok(page::redirect(&match next {
        Some(id) => format!("/moderation/{id}"),
        None => "/moderation?done=queue-empty".to_owned(),
    }))
}
