use serde::{Deserialize, Serialize};

use super::context::Context;
use super::staging::{Table, Total, Touch, int, text};
use super::{Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::time;
use rollcall_store::values;
use rollcall_store::{Row, Value};

const STATUSES: [&str; 3] = ["APPROVED", "PENDING", "REJECTED"];

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UpdatePost {
    id: String,
    server_id: String,
    account_id: String,
    title: String,
    content: Option<String>,
    status: Option<String>,
    created_at: String,
    updated_at: Option<String>,
}

static TABLE: Table = Table {
    name: "update_posts",
    key: "id",
    columns: &[
        int("server_n"),
        // Numbered when totals are recomputed.
        int("ordinal"),
        text("id"),
        int("account_n"),
        text("title"),
        text("content"),
        text("status"),
        int("created_at"),
        int("updated_at"),
    ],
    computed: &[],
    lists: &[],
    touches: &[Touch::Named("server_n", Total::Servers)],
};

impl Record for UpdatePost {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        vec![format!(
            "select p.id, s.id, a.id, p.title, p.content, p.status, p.created_at, p.updated_at
             from update_posts p join servers s on s.n = p.server_n join accounts a on a.n = p.account_n
             order by s.id{0}, p.created_at, p.id{0}",
            words.bytes
        )]
    }

    fn read(row: &Row) -> Self {
        Self {
            id: row.get(0),
            server_id: row.get(1),
            account_id: row.get(2),
            title: row.get(3),
            content: row.get(4),
            status: row.get(5),
            created_at: time::iso(row.get(6)),
            updated_at: Some(time::iso(row.get(7))),
        }
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        let status = self.status.as_deref().unwrap_or(STATUSES[0]);
        checks::one_of("status", status, &STATUSES)?;
        let created_at = checks::time("createdAt", &self.created_at)?;
        Ok(Staged::from(
            values![
                context.server(&self.server_id)?,
                Value::Null,
                &self.id,
                context.account("accountId", &self.account_id)?,
                checks::filled("title", &self.title)?,
                self.content.unwrap_or_default(),
                status,
                created_at,
                checks::time_or_none("updatedAt", self.updated_at.as_ref())?.unwrap_or(created_at),
            ]
            .as_slice(),
        ))
    }
}
