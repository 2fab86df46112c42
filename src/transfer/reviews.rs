//! `reviews.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::{LineError, NdjsonLine, Resource, checks};
use rollcall_model::time;
use rollcall_store::Conn;
use rollcall_store::transfer::reviews::{self, TransferReview};
use rollcall_store::transfer::{StagedRow, StagedTable};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ReviewLine {
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

impl From<TransferReview<String>> for ReviewLine {
    fn from(review: TransferReview<String>) -> Self {
        Self {
            id: review.id,
            server_id: review.server,
            account_id: review.account,
            player_id: review.player,
            game_username: review.game_username,
            rating: review.rating,
            content: Some(review.content),
            created_at: time::iso(review.created_at),
            updated_at: Some(time::iso(review.updated_at)),
        }
    }
}

impl NdjsonLine for ReviewLine {
    fn table(_: Resource) -> &'static StagedTable {
        &reviews::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        reviews::for_each(conn, |review| write(review.into()))
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::id(&self.id)?;
        let server = context.server(&self.server_id)?;
        let created_at = checks::time("createdAt", &self.created_at)?;
        let ordinal = context.next_ordinal(server, reviews::last_ordinal)?;
        let account = context.account_or_none("accountId", self.account_id.as_ref())?;
        let player = context.player_or_none(self.player_id.as_ref())?;
        checks::name("gameUsername", &self.game_username, checks::MAX_NAME)?;
        checks::text("content", self.content.as_ref())?;
        let review = TransferReview {
            id: self.id,
            server,
            account,
            player,
            game_username: self.game_username,
            rating: checks::in_range("rating", self.rating, 1, 5)?,
            content: self.content.unwrap_or_default(),
            created_at,
            updated_at: checks::time_or_none("updatedAt", self.updated_at.as_ref())?.unwrap_or(created_at),
        };
        Ok(review.into_staged(ordinal))
    }
}
