use serde::{Deserialize, Serialize};

use super::context::Context;
use super::staging::{Table, Total, Touch, int, text};
use super::{Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::time::{self, SECOND};
use rollcall_store::Row;
use rollcall_store::values;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Session {
    id: String,
    player_id: String,
    server_id: String,
    joined_at: String,
    left_at: String,
    total_play_time: Option<i64>,
}

static TABLE: Table = Table {
    name: "sessions",
    key: "id",
    columns: &[text("id"), int("player_n"), int("server_n"), int("joined_at"), int("left_at"), int("play_time")],
    computed: &[],
    lists: &[],
    touches: &[Touch::Named("player_n", Total::Players)],
};

impl Record for Session {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        vec![format!(
            "select x.id, p.id, s.id, x.joined_at, x.left_at, x.play_time
             from sessions x cross join players p cross join servers s
             where p.n = x.player_n and s.n = x.server_n order by x.id{}",
            words.bytes
        )]
    }

    fn read(row: &Row) -> Self {
        Self {
            id: row.get(0),
            player_id: row.get(1),
            server_id: row.get(2),
            joined_at: time::iso(row.get(3)),
            left_at: time::iso(row.get(4)),
            total_play_time: row.get(5),
        }
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        let joined_at = checks::time("joinedAt", &self.joined_at)?;
        let left_at = checks::time("leftAt", &self.left_at)?;
        if left_at < joined_at {
            return Err(format!("leftAt {:?} is before joinedAt {:?}", self.left_at, self.joined_at).into());
        }
        let seconds = self.total_play_time.unwrap_or((left_at - joined_at) / SECOND);
        Ok(Staged::from(
            values![
                &self.id,
                context.player(&self.player_id)?,
                context.server(&self.server_id)?,
                joined_at,
                left_at,
                checks::count("totalPlayTime", seconds)?,
            ]
            .as_slice(),
        ))
    }
}
