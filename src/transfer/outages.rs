use serde::{Deserialize, Serialize};

use super::context::Context;
use super::staging::{Table, int, text};
use super::{Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::time;
use rollcall_ping::Failure;
use rollcall_store::Row;
use rollcall_store::values;

/// A time in which a server did not answer.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Outage {
    server_id: String,
    began_at: String,
    ended_at: Option<String>,
    reason: String,
}

static TABLE: Table = Table {
    name: "outages",
    key: "server_n, began_at",
    columns: &[int("server_n"), int("began_at"), int("ended_at"), text("reason")],
    computed: &[],
    lists: &[],
    touches: &[],
};

impl Record for Outage {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("serverId {:?} at {}", self.server_id, self.began_at)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        vec![format!(
            "select s.id, x.began_at, x.ended_at, x.reason from servers s cross join outages x where x.server_n = s.n
             order by s.id{}, x.began_at",
            words.bytes
        )]
    }

    fn read(row: &Row) -> Self {
        Self {
            server_id: row.get(0),
            began_at: time::iso(row.get(1)),
            ended_at: row.get::<Option<i64>>(2).map(time::iso),
            reason: row.get(3),
        }
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::one_of("reason", &self.reason, &Failure::REASONS)?;
        let began_at = checks::time("beganAt", &self.began_at)?;
        let ended_at = checks::time_or_none("endedAt", self.ended_at.as_ref())?;
        if ended_at.is_some_and(|end| end < began_at) {
            return Err(format!("endedAt must not be before beganAt, {}", self.began_at).into());
        }
        let server = context.server(&self.server_id)?;
        Ok(Staged::from(values![server, began_at, ended_at, self.reason].as_slice()))
    }
}
