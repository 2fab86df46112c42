//! `GET /servers/{slug}/updates`

use super::{NumberedPlace, SLUG, with_server};
use crate::app::App;
use crate::error::ApiError;
use crate::v1::cursor::{self, AFTER, Position};
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Int, PAGE, PageParams, limit};
use rollcall_model::resources::{Timestamp, UpdatePost, UpdatePostList};
use rollcall_store::Conn;
use rollcall_store::ordinals::{self, NumberedList};
use rollcall_store::posts;
use utoipa::PartialSchema;

const LIMIT: Int = limit(3);

const FIELDS: ItemFields = ItemFields { items: "updates", item: <UpdatePost as PartialSchema>::schema };

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/{slug}/updates",
    name: "serverUpdates",
    tag: "Servers",
    summary: "List update posts of a server",
    description: "Approved posts, newest first.",
    path_param: Some(SLUG),
    params: &[&PAGE, &LIMIT, &FIELDS, &AFTER],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<UpdatePostList>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let (slug, page) = (call.segment.clone(), PageParams::read(&call.query, &LIMIT)?);
    match AFTER.read_in_list(&call.query)? {
        None => Plan::reading((slug, page), |app, conn, (slug, page)| envelope(&load(app, conn, &slug, page)?)),
        Some(position) => Plan::reading((slug, page, position), |app, conn, (slug, page, position)| {
            load_after(app, conn, &slug, page, position)
        }),
    }
}

fn load_after(
    app: &App,
    conn: &mut Conn,
    slug: &str,
    page: PageParams,
    position: Position<NumberedPlace>,
) -> Result<Vec<u8>, ApiError> {
    let n = with_server(app, slug, |server| server.n)?;
    let from = match position {
        Position::Start => None,
        Position::After((at, id)) => Some(ordinals::following(conn, NumberedList::UpdatePosts, n, &id, at)?),
    };
    let (list, next) = load_from(app, conn, slug, page, |total| page.ordinals_from(from.unwrap_or(total)))?;
    let last = list.updates.last().filter(|_| next).map(|last| (last.created_at.0, last.id.clone()));
    cursor::page(&envelope(&list)?, last.as_ref().map(cursor::encode::<NumberedPlace>))
}

pub fn load(app: &App, conn: &mut Conn, slug: &str, page: PageParams) -> Result<UpdatePostList, ApiError> {
    load_from(app, conn, slug, page, |total| page.ordinals(total)).map(|(list, _)| list)
}

/// The rows of these ordinals, and whether older ones follow.
fn load_from(
    app: &App,
    conn: &mut Conn,
    slug: &str,
    page: PageParams,
    ordinals: impl FnOnce(i64) -> (i64, i64),
) -> Result<(UpdatePostList, bool), ApiError> {
    let (server_n, server_id, total) =
        with_server(app, slug, |server| (server.n, server.id().to_owned(), server.stats.update_count))?;
    let (from, to) = ordinals(total);
    let (rows, latest) = conn
        .batch_reads(|conn| Ok((posts::page(conn, server_n, from, to)?, posts::latest_at(conn, server_n, total)?)))?;
    let updates = rows.into_iter().map(|row| UpdatePost {
        id: row.id,
        server_id: server_id.clone(),
        user_id: row.account_id,
        title: row.title,
        content: row.content,
        status: posts::APPROVED.into(),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
    });
    let list = UpdatePostList {
        updates: updates.collect(),
        total: total as u64,
        page: page.page,
        total_pages: page.total_pages(total as u64),
        latest_update_at: latest.map(Timestamp),
    };
    Ok((list, to > 1))
}
