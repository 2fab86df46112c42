use serde::{Deserialize, Serialize};

use super::context::Context;
use super::staging::{Table, Total, Touch, int, place, text};
use super::{Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::time;
use rollcall_store::Row;
use rollcall_store::values;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Review {
    id: String,
    server_id: String,
    account_id: Option<String>,
    player_id: Option<String>,
    game_username: String,
    rating: i64,
    content: Option<String>,
    created_at: String,
    updated_at: Option<String>,
}

static TABLE: Table = Table {
    name: "reviews",
    key: "id",
    columns: &[
        int("server_n"),
        place("ordinal"),
        text("id"),
        int("account_n"),
        int("player_n"),
        text("game_username"),
        int("rating"),
        text("content"),
        int("created_at"),
        int("updated_at"),
    ],
    computed: &[],
    lists: &[],
    touches: &[Touch::Named("server_n", Total::Servers), Touch::Named("player_n", Total::Players)],
};

impl Record for Review {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        vec![format!(
            "select r.id, s.id, a.id, p.id, r.game_username, r.rating, r.content, r.created_at, r.updated_at
             from servers s cross join reviews r
             left join accounts a on a.n = r.account_n left join players p on p.n = r.player_n
             where r.server_n = s.n order by s.id{}, r.ordinal",
            words.bytes
        )]
    }

    fn read(row: &Row) -> Self {
        Self {
            id: row.get(0),
            server_id: row.get(1),
            account_id: row.get(2),
            player_id: row.get(3),
            game_username: row.get(4),
            rating: row.get(5),
            content: row.get(6),
            created_at: time::iso(row.get(7)),
            updated_at: Some(time::iso(row.get(8))),
        }
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        let server = context.server(&self.server_id)?;
        let created_at = checks::time("createdAt", &self.created_at)?;
        Ok(Staged::from(
            values![
                server,
                context.next_place(TABLE.name, server)?,
                &self.id,
                context.account_or_none("accountId", self.account_id.as_ref())?,
                context.player_or_none(self.player_id.as_ref())?,
                checks::filled("gameUsername", &self.game_username)?,
                checks::within("rating", self.rating, 1, 5)?,
                self.content.unwrap_or_default(),
                created_at,
                checks::time_or_none("updatedAt", self.updated_at.as_ref())?.unwrap_or(created_at),
            ]
            .as_slice(),
        ))
    }
}
