//! `GET /servers/{slug}/voters`

use super::numbered_list::{self, NumberedList};
use super::{SLUG, with_server};
use crate::app::App;
use crate::error::ApiError;
use crate::v1::cursor::AFTER;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Int, PAGE, PageParams, limit};
use rollcall_model::resources::{Pictures, SpacedTimestamp, Voter, VoterList};
use rollcall_store::Conn;
use rollcall_store::list_ordinals::NumberedTable;
use rollcall_store::votes::{self, VoteRow};
use utoipa::PartialSchema;

const LIMIT: Int = limit(7);

const FIELDS: ItemFields = ItemFields(&[("/voters", <Voter as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/{slug}/voters",
    name: "serverVoters",
    tag: "Servers",
    summary: "List voters of a server",
    description: "Votes, newest first, of accounts and anonymous voters.",
    path_param: Some(SLUG),
    params: &[&PAGE, &LIMIT, &FIELDS, &AFTER],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<VoterList>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    numbered_list::plan::<VoterList>(call, &LIMIT)
}

impl NumberedList for VoterList {
    const ROWS: NumberedTable = NumberedTable::Votes;

    fn load(
        app: &App,
        conn: &mut Conn,
        slug: &str,
        page: PageParams,
        ordinals: impl FnOnce(i64) -> (i64, i64),
    ) -> Result<(Self, bool), ApiError> {
        let (server_n, total) = with_server(app, slug, |server| (server.n, server.stats.total_votes))?;
        let (from, to) = ordinals(total);
        let (rows, latest) = conn.batch_reads(|conn| {
            Ok((votes::page(conn, server_n, from, to)?, votes::latest_at(conn, server_n, total)?))
        })?;
        let (pictures, default_skin) = (&app.catalogue.pictures, app.default_skin());
        let list = Self {
            voters: rows.into_iter().map(|row| voter(row, pictures, &default_skin)).collect(),
            total: total as u64,
            page: page.page,
            total_pages: page.total_pages(total as u64),
            latest_vote_at: latest.map(SpacedTimestamp),
        };
        Ok((list, to > 1))
    }

    fn last(&self) -> Option<(i64, &str)> {
        self.voters.last().map(|last| (last.voted_at.0, last.id.as_str()))
    }
}

fn voter(row: VoteRow, pictures: &Pictures, default_skin: &str) -> Voter {
    let r#type = if row.has_account { "auth" } else { "anonymous" };
    let site_username = row.site_username.unwrap_or_else(|| row.game_username.clone());
    let (id, game_username, voted_at) = (row.id, row.game_username, SpacedTimestamp(row.voted_at));
    match row.player {
        Some(player) => Voter {
            id,
            game_username,
            voted_at,
            r#type,
            player_id: Some(player.id),
            game_uuid: Some(player.game_uuid),
            skin_url: pictures.url(&player.skin),
            linked_skin_png_path: pictures.url(&player.linked_skin_png),
            skin_model: player.skin_model,
            site_username,
        },
        None => Voter {
            id,
            game_username,
            voted_at,
            r#type,
            player_id: None,
            game_uuid: None,
            skin_url: pictures.url(default_skin),
            linked_skin_png_path: pictures.url(default_skin),
            skin_model: super::DEFAULT_MODEL.into(),
            site_username,
        },
    }
}
