//! `GET /servers/{slug}/updates`

use super::numbered_list::{self, NumberedList};
use super::{SLUG, with_server};
use crate::app::App;
use crate::error::ApiError;
use crate::v1::cursor::AFTER;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Int, PAGE, PageParams, limit};
use rollcall_model::resources::{Timestamp, UpdatePost, UpdatePostList};
use rollcall_store::Conn;
use rollcall_store::list_ordinals::NumberedTable;
use rollcall_store::posts;
use utoipa::PartialSchema;

const LIMIT: Int = limit(3);

const FIELDS: ItemFields = ItemFields(&[("/updates", <UpdatePost as PartialSchema>::schema)]);

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
    numbered_list::plan::<UpdatePostList>(call, &LIMIT)
}

impl NumberedList for UpdatePostList {
    const ROWS: NumberedTable = NumberedTable::UpdatePosts;

    fn load(
        app: &App,
        conn: &mut Conn,
        slug: &str,
        page: PageParams,
        ordinals: impl FnOnce(i64) -> (i64, i64),
    ) -> Result<(Self, bool), ApiError> {
        let (server_n, server_id, total) =
            with_server(app, slug, |server| (server.n, server.id().to_owned(), server.stats.update_count))?;
        let (from, to) = ordinals(total);
        let (rows, latest) = conn.batch_reads(|conn| {
            Ok((posts::page(conn, server_n, from, to)?, posts::latest_at(conn, server_n, total)?))
        })?;
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
        let list = Self {
            updates: updates.collect(),
            total: total as u64,
            page: page.page,
            total_pages: page.total_pages(total as u64),
            latest_update_at: latest.map(Timestamp),
        };
        Ok((list, to > 1))
    }

    fn last(&self) -> Option<(i64, &str)> {
        self.updates.last().map(|last| (last.created_at.0, last.id.as_str()))
    }
}
