//! `/dashboard/log`: what was changed of an account and its keys.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};

use super::Desk;
use crate::app::App;
use crate::http::query::Query;
use crate::web::page::{self, Frame, Outcome};
use crate::web::session::{By, Holder};
use rollcall_model::time;
use rollcall_store::audit::{self, Entry};

/// Lines on a page.
const LINES: i64 = 50;

/// Lines of the log, and where the older ones begin.
pub struct Lines {
    pub entries: Vec<Entry>,
    pub older: Option<i64>,
}

impl Lines {
    /// Of one account, or of everyone.
    pub async fn read(app: &App, account: Option<i64>, query: Option<&str>) -> rollcall_store::Result<Self> {
        let query = Query::parse(query.unwrap_or_default()).unwrap_or_default();
        let before = query.get("before").and_then(|text| text.parse().ok());
        // One more than is shown tells whether there are any more.
        let mut entries = app.pool.read(move |conn| audit::read(conn, account, before, LINES + 1)).await?;
        let more = entries.len() > LINES as usize;
        entries.truncate(LINES as usize);
        let older = entries.last().filter(|_| more).map(|entry| entry.n);
        Ok(Self { entries, older })
    }

    pub fn at(&self, entry: &Entry) -> String {
        time::iso(entry.at)
    }
}

#[derive(Template)]
#[template(path = "dashboard/log.html")]
struct Page {
    frame: Frame,
    desk: Desk,
    lines: Lines,
    /// An operator's view: whose it is, and from where it was done, is told of every line.
    is_everyones: bool,
}

pub async fn look(State(app): State<Arc<App>>, By(holder): By<Holder>, RawQuery(query): RawQuery) -> Outcome {
    let lines = Lines::read(&app, Some(holder.account.n), query.as_deref()).await?;
    Ok(page::private(&Page {
        frame: Frame { here: "/dashboard" },
        desk: Desk::of(&holder, "/dashboard/log"),
        lines,
        is_everyones: false,
    }))
}
