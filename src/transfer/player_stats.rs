//! `player_stats.ndjson`

use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::context::ImportContext;
use super::{LineError, NdjsonLine, Resource, checks};
use rollcall_model::time;
use rollcall_store::Conn;
use rollcall_store::transfer::player_stats::{self, TransferPlayerStats};
use rollcall_store::transfer::{StagedRow, StagedTable};

const MAX_COUNTERS: usize = 200;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PlayerStatsLine {
    id: String,
    player_id: String,
    server_id: String,
    timestamp: String,
    stats_json: Map<String, serde_json::Value>,
}

impl From<TransferPlayerStats<String>> for PlayerStatsLine {
    fn from(stats: TransferPlayerStats<String>) -> Self {
        Self {
            id: stats.id,
            player_id: stats.player,
            server_id: stats.server,
            timestamp: time::iso(stats.at),
            stats_json: serde_json::from_str(&stats.stats_json).unwrap_or_default(),
        }
    }
}

impl NdjsonLine for PlayerStatsLine {
    fn table(_: Resource) -> &'static StagedTable {
        &player_stats::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        player_stats::for_each(conn, |stats| write(stats.into()))
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::id(&self.id)?;
        if self.stats_json.len() > MAX_COUNTERS {
            let count = self.stats_json.len();
            return Err(format!("statsJson must have at most {MAX_COUNTERS} entries, not {count}").into());
        }
        for (counter, value) in &self.stats_json {
            checks::name("statsJson", counter, checks::MAX_NAME)?;
            if !value.as_f64().is_some_and(|number| number >= 0.0) {
                return Err(format!("statsJson: {counter:?} must be a number from 0, not {value}").into());
            }
        }
        let stats = TransferPlayerStats {
            id: self.id,
            player: context.player(&self.player_id)?,
            server: context.server(&self.server_id)?,
            at: checks::time("timestamp", &self.timestamp)?,
            stats_json: serde_json::Value::Object(self.stats_json).to_string(),
        };
        Ok(stats.into())
    }
}
