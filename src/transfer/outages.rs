//! `outages.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::{LineError, NdjsonLine, Resource, checks};
use rollcall_minecraft::PingError;
use rollcall_model::time;
use rollcall_store::Conn;
use rollcall_store::transfer::outages::{self, TransferOutage};
use rollcall_store::transfer::{StagedRow, StagedTable};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OutageLine {
    server_id: String,
    began_at: String,
    ended_at: Option<String>,
    reason: String,
}

impl From<TransferOutage<String>> for OutageLine {
    fn from(outage: TransferOutage<String>) -> Self {
        Self {
            server_id: outage.server,
            began_at: time::iso(outage.began_at),
            ended_at: outage.ended_at.map(time::iso),
            reason: outage.reason,
        }
    }
}

impl NdjsonLine for OutageLine {
    fn table(_: Resource) -> &'static StagedTable {
        &outages::TABLE
    }

    fn key(&self) -> String {
        format!("serverId {:?} at {}", self.server_id, self.began_at)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        outages::for_each(conn, |outage| write(outage.into()))
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::one_of("reason", &self.reason, &PingError::REASONS)?;
        let began_at = checks::time("beganAt", &self.began_at)?;
        let ended_at = checks::time_or_none("endedAt", self.ended_at.as_ref())?;
        if ended_at.is_some_and(|end| end < began_at) {
            return Err(format!("endedAt must not be before beganAt, {}", self.began_at).into());
        }
        let server = context.server(&self.server_id)?;
        Ok(TransferOutage { server, began_at, ended_at, reason: self.reason }.into())
    }
}
