//! `votes.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::{LineError, NdjsonLine, Resource, checks};
use rollcall_model::time;
use rollcall_store::Conn;
use rollcall_store::transfer::votes::{self, TransferVote};
use rollcall_store::transfer::{StagedRow, StagedTable};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct VoteLine {
    id: String,
    server_id: String,
    account_id: Option<String>,
    player_id: Option<String>,
    game_username: String,
    voted_at: String,
}

impl From<TransferVote<String>> for VoteLine {
    fn from(vote: TransferVote<String>) -> Self {
        Self {
            id: vote.id,
            server_id: vote.server,
            account_id: vote.account,
            player_id: vote.player,
            game_username: vote.game_username,
            voted_at: time::iso(vote.voted_at),
        }
    }
}

impl NdjsonLine for VoteLine {
    fn table(_: Resource) -> &'static StagedTable {
        &votes::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        votes::for_each(conn, |vote| write(vote.into()))
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::id(&self.id)?;
        let server = context.server(&self.server_id)?;
        let ordinal = context.next_ordinal(server, votes::last_ordinal)?;
        let account = context.account_or_none("accountId", self.account_id.as_ref())?;
        let player = context.player_or_none(self.player_id.as_ref())?;
        checks::name("gameUsername", &self.game_username, checks::MAX_NAME)?;
        let voted_at = checks::time("votedAt", &self.voted_at)?;
        let vote = TransferVote { id: self.id, server, account, player, game_username: self.game_username, voted_at };
        Ok(vote.into_staged(ordinal))
    }
}
