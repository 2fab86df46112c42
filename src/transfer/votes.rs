use serde::{Deserialize, Serialize};

use super::context::Context;
use super::staging::{Table, Total, Touch, int, place, text};
use super::{Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::time;
use rollcall_store::Row;
use rollcall_store::values;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Vote {
    id: String,
    server_id: String,
    account_id: Option<String>,
    player_id: Option<String>,
    game_username: String,
    voted_at: String,
}

static TABLE: Table = Table {
    name: "votes",
    key: "id",
    columns: &[
        int("server_n"),
        place("ordinal"),
        text("id"),
        int("account_n"),
        int("player_n"),
        text("game_username"),
        int("voted_at"),
    ],
    computed: &[],
    lists: &[],
    touches: &[Touch::Named("server_n", Total::Servers), Touch::Named("player_n", Total::Players)],
};

impl Record for Vote {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    /// In the order of the ordinals, so that reading them back numbers them right at once.
    fn select(_: Resource, words: &Words) -> Vec<String> {
        vec![format!(
            "select v.id, s.id, a.id, p.id, v.game_username, v.voted_at
             from servers s cross join votes v
             left join accounts a on a.n = v.account_n left join players p on p.n = v.player_n
             where v.server_n = s.n order by s.id{}, v.ordinal",
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
            voted_at: time::iso(row.get(5)),
        }
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        let server = context.server(&self.server_id)?;
        Ok(Staged::from(
            values![
                server,
                context.next_place(TABLE.name, server)?,
                &self.id,
                context.account_or_none("accountId", self.account_id.as_ref())?,
                context.player_or_none(self.player_id.as_ref())?,
                checks::filled("gameUsername", &self.game_username)?,
                checks::time("votedAt", &self.voted_at)?,
            ]
            .as_slice(),
        ))
    }
}
