//! `/moderation/{id}`: one text to review, with the record of its author.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::why;
use crate::app::App;
use crate::listings;
use crate::moderation::text::{self, MAX_NOTE_CHARS};
use crate::security_log::SecurityEventKind;
use crate::tracked_servers::ServerError;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{CurrentUser, Moderator};
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::moderation_item::{kind_name, state_class, state_name};
use crate::web::page::{self, PageResult};
use crate::web::server_form;
use crate::web::session::{PathId, or_not_found};
use rollcall_model::message::{Message, translatable};
use rollcall_store::accounts::{self, Account};
use rollcall_store::moderation::history::{self, AuthorRecord};
use rollcall_store::moderation::{Decision, Item, ItemState, queue};
use rollcall_store::moderation_decisions::{self, DecideOutcome, NewDecision};
use rollcall_store::moderation_subject::{self, Subject};
use rollcall_store::{Conn, Result};

/// Earlier items of the author on the page.
const HISTORY: i64 = 10;

#[derive(Template)]
#[template(path = "moderation/item.html")]
struct ItemPage {
    layout: Layout,
    dashboard: DashboardLayout,
    stored: StoredItem,
    /// Input of the moderator, if the decision was rejected.
    reason: String,
    max_reason_chars: usize,
    moderator_n: i64,
    now: i64,
}

/// Data of the store for the page.
struct StoredItem {
    item: Item,
    /// `None` if the text no longer exists.
    subject: Option<Subject>,
    author: Option<Account>,
    record: AuthorRecord,
    earlier: Vec<Item>,
}

impl ItemPage {
    fn kind_name(&self, item: &Item) -> &'static str {
        kind_name(item.kind)
    }

    fn state_name(&self, item: &Item) -> &'static str {
        state_name(item.state)
    }

    fn state_class(&self, item: &Item) -> &'static str {
        state_class(item.state)
    }

    fn why(&self, item: &Item) -> String {
        why(&item.why)
    }

    fn is_open(&self) -> bool {
        self.stored.item.state == ItemState::Open
    }

    fn has_lock(&self) -> bool {
        let item = &self.stored.item;
        item.locked_by == Some(self.moderator_n) && item.locked_until > self.now
    }

    fn is_locked(&self) -> bool {
        self.stored.item.is_locked_for(self.moderator_n, self.now)
    }
}

fn load(conn: &mut Conn, id: &str) -> Result<Option<StoredItem>> {
    let Some(item) = queue::find(conn, id)? else { return Ok(None) };
    let subject = moderation_subject::find(conn, &item)?;
    let (author, record, earlier) = match item.author_n {
        Some(n) => (accounts::by_number(conn, n)?, history::record(conn, n)?, history::newest(conn, n, HISTORY + 1)?),
        None => (None, AuthorRecord::default(), Vec::new()),
    };
    let earlier = earlier.into_iter().filter(|other| other.id != item.id).take(HISTORY as usize).collect();
    Ok(Some(StoredItem { item, subject, author, record, earlier }))
}

pub async fn show(
    State(app): State<Arc<App>>,
    moderator: Moderator,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let user = &moderator.0;
    let dashboard = DashboardLayout::new(user, "/moderation").with_success_from(query.as_deref());
    render(&app, user, dashboard, &id, String::new()).await
}

async fn render(app: &App, user: &CurrentUser, dashboard: DashboardLayout, id: &str, reason: String) -> PageResult {
    let id = id.to_owned();
    let stored = or_not_found(app.pool.read(move |conn| load(conn, &id)).await?)?;
    Ok(page::private(&ItemPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        stored,
        reason,
        max_reason_chars: MAX_NOTE_CHARS,
        moderator_n: user.account.n,
        now: user.session.now,
    }))
}

/// Takes the item for 15 minutes, or renews that.
pub async fn take(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Moderator>) -> PageResult {
    let (moderator_n, now) = (form.sender.0.account.n, form.sender.0.session.now);
    let item = id.clone();
    if !app.pool.write(move |conn| queue::lock(conn, &item, moderator_n, now)).await? {
        return reject(&app, &form, &id, StatusCode::CONFLICT, LOCKED.into()).await;
    }
    Ok(page::redirect(&format!("/moderation/{id}?done=taken")))
}

pub async fn give_back(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Moderator>) -> PageResult {
    let moderator_n = form.sender.0.account.n;
    app.pool.write(move |conn| queue::unlock(conn, &id, moderator_n)).await?;
    Ok(page::redirect("/moderation?done=given-back"))
}

const LOCKED: &str = translatable("Another moderator has taken this item, or it is decided.");

async fn reject(app: &App, form: &CsrfForm<Moderator>, id: &str, status: StatusCode, error: Message) -> PageResult {
    let user = &form.sender.0;
    let dashboard = DashboardLayout::new(user, "/moderation").with_error(error);
    let reason = form.text("reason").chars().take(MAX_NOTE_CHARS).collect();
    Ok(page::with_status(render(app, user, dashboard, id, reason).await?, status))
}

/// Decides the item and opens the next one.
pub async fn decide(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Moderator>) -> PageResult {
    let user = &form.sender.0;
    let (decision, reason) = match entered(&form) {
        Ok(entered) => entered,
        Err(error) => return reject(&app, &form, &id, StatusCode::UNPROCESSABLE_ENTITY, error).await,
    };
    let (moderator, author, item) = (user.account.clone(), user.author(), id.clone());
    let seen = form.text("seen").parse().unwrap_or(0);
    let media = app.media.clone();
    let decided = app.pool.try_write(move |conn| {
        let new = NewDecision { id: &item, decision, reason: &reason, seen };
        let outcome = moderation_decisions::decide(conn, &moderator, &new, &author)?;
        if outcome == DecideOutcome::Decided {
            listings::follow_decision(conn, &media, &item, decision, &author)?;
        }
        let next = match outcome {
            DecideOutcome::Decided => queue::take_next(conn, None, moderator.n, author.at)?,
            _ => None,
        };
        Ok::<_, ServerError>((outcome, next))
    });
    let (outcome, next) = match decided.await {
        Ok(decided) => decided,
        Err(error) => {
            let error = server_form::explain(error)?;
            return reject(&app, &form, &id, StatusCode::CONFLICT, error).await;
        }
    };
    let error = match outcome {
        DecideOutcome::Decided => {
            user.record(SecurityEventKind::ModeratorAct, Some(&format!("{} {id}", decision.state().as_str())));
            let page = next.map_or_else(|| "/moderation".to_owned(), |next| format!("/moderation/{next}"));
            return Ok(page::redirect(&format!("{page}?done={}", decision.state().as_str())));
        }
        DecideOutcome::NotFound => return or_not_found(None),
        DecideOutcome::AlreadyDecided => translatable("Another moderator has decided this item."),
        DecideOutcome::Locked => LOCKED,
        DecideOutcome::Own => translatable("You cannot review what you wrote yourself."),
        DecideOutcome::NameTaken => translatable("Another account has this name now. Reject it."),
        DecideOutcome::Changed => translatable("The author has changed the text. Read it again before you decide."),
    };
    reject(&app, &form, &id, StatusCode::CONFLICT, error.into()).await
}

/// The decision and its reason, which the author reads.
fn entered(form: &CsrfForm<Moderator>) -> std::result::Result<(Decision, String), Message> {
    let decision = Decision::parse(form.text("decision"))
        .ok_or_else(|| Message::from(translatable("Choose whether to approve, reject or hide it.")))?;
    let reason = text::normalized(form.raw("reason"));
    if decision != Decision::Approve && reason.is_empty() {
        return Err(translatable("Enter a reason. The author reads it.").into());
    }
    text::check(&reason, 0, MAX_NOTE_CHARS)?;
    Ok((decision, reason))
}
