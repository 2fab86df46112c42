//! Lists whose rows are numbered from the oldest to the newest: voters, reviews and update posts of a server. A page is found by its
//! numbers, so its cost does not depend on how deep it lies.

use super::with_server;
use crate::app::App;
use crate::error::ApiError;
use crate::v1::cursor::{self, AFTER, CursorPosition};
use crate::v1::endpoint::{Call, Plan, envelope};
use crate::v1::params::{Int, PageParams};
use rollcall_store::Conn;
use rollcall_store::list_ordinals::{self, NumberedTable};
use serde::Serialize;

/// Time and id of a row, which a cursor holds.
type RowPosition = (i64, String);

pub trait NumberedList: Serialize + Sized {
    const ROWS: NumberedTable;

    /// The rows that `ordinals` picks out of the total, and whether older ones follow.
    fn load(
        app: &App,
        conn: &mut Conn,
        slug: &str,
        page: PageParams,
        ordinals: impl FnOnce(i64) -> (i64, i64),
    ) -> Result<(Self, bool), ApiError>;

    /// Time and id of the oldest row on the page.
    fn last(&self) -> Option<(i64, &str)>;
}

pub fn plan<L: NumberedList>(call: &Call, limit: &Int) -> Result<Plan, ApiError> {
    let (slug, page) = (call.segment.clone(), PageParams::read(&call.query, limit)?);
    match AFTER.read_in_list(&call.query)? {
        None => Plan::reading((slug, page), |app, conn, (slug, page)| envelope(&load::<L>(app, conn, &slug, page)?)),
        Some(position) => Plan::reading((slug, page, position), |app, conn, (slug, page, position)| {
            load_after::<L>(app, conn, &slug, page, position)
        }),
    }
}

/// A page by its number.
pub fn load<L: NumberedList>(app: &App, conn: &mut Conn, slug: &str, page: PageParams) -> Result<L, ApiError> {
    L::load(app, conn, slug, page, |total| page.ordinals(total)).map(|(list, _)| list)
}

fn load_after<L: NumberedList>(
    app: &App,
    conn: &mut Conn,
    slug: &str,
    page: PageParams,
    position: CursorPosition<RowPosition>,
) -> Result<Vec<u8>, ApiError> {
    let n = with_server(app, slug, |server| server.n)?;
    let from = match position {
        CursorPosition::Start => None,
        CursorPosition::After((at, id)) => Some(list_ordinals::following(conn, L::ROWS, n, &id, at)?),
    };
    let (list, more) = L::load(app, conn, slug, page, |total| page.ordinals_from(from.unwrap_or(total)))?;
    let last = list.last().filter(|_| more).map(|(at, id)| (at, id.to_owned()));
    cursor::page(&envelope(&list)?, last.as_ref().map(cursor::encode::<RowPosition>))
}
