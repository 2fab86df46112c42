//! `GET /servers/{slug}/reviews`

use super::numbered_list::{self, NumberedList};
use super::{DEFAULT_MODEL, SLUG, with_server};
use crate::app::App;
use crate::error::ApiError;
use crate::v1::cursor::AFTER;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Int, PAGE, PageParams, limit};
use rollcall_model::resources::{Pictures, Review, ReviewList, Reviewer, Timestamp};
use rollcall_model::score;
use rollcall_store::Conn;
use rollcall_store::list_ordinals::NumberedTable;
use rollcall_store::reviews::{self, ReviewRow};
use utoipa::PartialSchema;

const LIMIT: Int = limit(5);
/// The role of a reviewer without an account.
const ROLE_WITHOUT_ACCOUNT: &str = "USER";

const FIELDS: ItemFields = ItemFields(&[("/reviews", <Review as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/{slug}/reviews",
    name: "serverReviews",
    tag: "Servers",
    summary: "List reviews of a server",
    description: "Reviews, newest first.",
    path_param: Some(SLUG),
    params: &[&PAGE, &LIMIT, &FIELDS, &AFTER],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<ReviewList>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    numbered_list::plan::<ReviewList>(call, &LIMIT)
}

impl NumberedList for ReviewList {
    const ROWS: NumberedTable = NumberedTable::Reviews;

    fn load(
        app: &App,
        conn: &mut Conn,
        slug: &str,
        page: PageParams,
        ordinals: impl FnOnce(i64) -> (i64, i64),
    ) -> Result<(Self, bool), ApiError> {
        let (server_n, server_id, total, sum) = with_server(app, slug, |server| {
            (server.n, server.id().to_owned(), server.stats.rating_count, server.stats.rating_sum)
        })?;
        let (from, to) = ordinals(total);
        let (rows, latest) = conn.batch_reads(|conn| {
            Ok((reviews::page(conn, server_n, from, to)?, reviews::latest_at(conn, server_n, total)?))
        })?;
        let (pictures, default_skin) = (&app.catalogue.pictures, app.default_skin());
        let list = Self {
            reviews: rows.into_iter().map(|row| review(row, &server_id, pictures, &default_skin)).collect(),
            total: total as u64,
            page: page.page,
            total_pages: page.total_pages(total as u64),
            avg_rating: score::rating(sum, total),
            latest_review_at: latest.map(Timestamp),
        };
        Ok((list, to > 1))
    }

    fn last(&self) -> Option<(i64, &str)> {
        self.reviews.last().map(|last| (last.created_at.0, last.id.as_str()))
    }
}

fn review(row: ReviewRow, server_id: &str, pictures: &Pictures, default_skin: &str) -> Review {
    let user = match row.account {
        Some(account) => Reviewer {
            id: Some(account.id),
            username: account.username,
            avatar: Some(pictures.url(&account.avatar)),
            role: account.role,
        },
        None => {
            Reviewer { id: None, username: row.game_username.clone(), avatar: None, role: ROLE_WITHOUT_ACCOUNT.into() }
        }
    };
    let (player_id, uuid, nickname, skin, model, linked) = match row.player {
        Some(player) => (
            Some(player.id),
            Some(player.game_uuid),
            player.nickname,
            Some(pictures.url(&player.skin)),
            player.skin_model,
            pictures.url(&player.linked_skin_png),
        ),
        None => (None, None, row.game_username.clone(), None, DEFAULT_MODEL.into(), pictures.url(default_skin)),
    };
    Review {
        id: row.id,
        server_id: server_id.to_owned(),
        user_id: user.id.clone(),
        game_username: row.game_username,
        rating: row.rating,
        content: row.content,
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        user,
        player_id,
        player_main_nickname: nickname,
        player_game_uuid: uuid,
        player_skin_url: skin,
        player_skin_model: model,
        player_linked_skin_png_path: linked,
    }
}
