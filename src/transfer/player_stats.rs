use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::context::Context;
use super::staging::{Table, Total, Touch, int, text};
use super::{Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::time;
use rollcall_store::Row;
use rollcall_store::values;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PlayerStats {
    id: String,
    player_id: String,
    server_id: String,
    timestamp: String,
    stats_json: Map<String, serde_json::Value>,
}

static TABLE: Table = Table {
    name: "player_stats",
    key: "id",
    columns: &[text("id"), int("player_n"), int("server_n"), int("at"), text("stats_json")],
    computed: &["kills_gain", "deaths_gain", "wins_gain"],
    lists: &[],
    touches: &[Touch::Named("player_n", Total::Players)],
};

impl Record for PlayerStats {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        vec![format!(
            "select x.id, p.id, s.id, x.at, x.stats_json
             from player_stats x cross join players p cross join servers s
             where p.n = x.player_n and s.n = x.server_n order by x.id{}",
            words.bytes
        )]
    }

    fn read(row: &Row) -> Self {
        Self {
            id: row.get(0),
            player_id: row.get(1),
            server_id: row.get(2),
            timestamp: time::iso(row.get(3)),
            stats_json: serde_json::from_str(&row.get::<String>(4)).unwrap_or_default(),
        }
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        for (counter, value) in &self.stats_json {
            if !value.as_f64().is_some_and(|number| number >= 0.0) {
                return Err(format!("statsJson holds {counter:?}: {value}, and a counter is a number from 0 up").into());
            }
        }
        Ok(Staged::from(
            values![
                &self.id,
                context.player(&self.player_id)?,
                context.server(&self.server_id)?,
                checks::time("timestamp", &self.timestamp)?,
                serde_json::Value::Object(self.stats_json).to_string(),
            ]
            .as_slice(),
        ))
    }
}
