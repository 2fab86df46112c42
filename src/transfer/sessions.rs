//! `sessions.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::{LineError, NdjsonLine, Resource, checks};
use rollcall_model::time::{self, SECOND};
use rollcall_store::Conn;
use rollcall_store::transfer::sessions::{self, TransferSession};
use rollcall_store::transfer::{StagedRow, StagedTable};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SessionLine {
    id: String,
    player_id: String,
    server_id: String,
    joined_at: String,
    left_at: String,
    total_play_time: Option<i64>,
}

impl From<TransferSession<String>> for SessionLine {
    fn from(session: TransferSession<String>) -> Self {
        Self {
            id: session.id,
            player_id: session.player,
            server_id: session.server,
            joined_at: time::iso(session.joined_at),
            left_at: time::iso(session.left_at),
            total_play_time: Some(session.play_time),
        }
    }
}

impl NdjsonLine for SessionLine {
    fn table(_: Resource) -> &'static StagedTable {
        &sessions::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        sessions::for_each(conn, |session| write(session.into()))
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::id(&self.id)?;
        let joined_at = checks::time("joinedAt", &self.joined_at)?;
        let left_at = checks::time("leftAt", &self.left_at)?;
        if left_at < joined_at {
            return Err(format!("leftAt {:?} is before joinedAt {:?}", self.left_at, self.joined_at).into());
        }
        let max_seconds = (left_at - joined_at) / SECOND;
        let session = TransferSession {
            id: self.id,
            player: context.player(&self.player_id)?,
            server: context.server(&self.server_id)?,
            joined_at,
            left_at,
            play_time: checks::in_range("totalPlayTime", self.total_play_time.unwrap_or(max_seconds), 0, max_seconds)?,
        };
        Ok(session.into())
    }
}
