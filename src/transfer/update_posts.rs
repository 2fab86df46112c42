//! `update_posts.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::{LineError, NdjsonLine, Resource, checks};
use crate::moderation::markdown;
use rollcall_model::time;
use rollcall_store::Conn;
use rollcall_store::transfer::update_posts::{self, TransferUpdatePost};
use rollcall_store::transfer::{StagedRow, StagedTable};

const STATUSES: [&str; 4] = ["APPROVED", "PENDING", "REJECTED", "HIDDEN"];
const FORMATS: [&str; 2] = ["text", "markdown"];

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UpdatePostLine {
    id: String,
    server_id: String,
    account_id: String,
    title: String,
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    status: Option<String>,
    created_at: String,
    updated_at: Option<String>,
}

impl From<TransferUpdatePost<String>> for UpdatePostLine {
    fn from(post: TransferUpdatePost<String>) -> Self {
        Self {
            id: post.id,
            server_id: post.server,
            account_id: post.account,
            title: post.title,
            content: Some(post.content),
            format: (!post.html.is_empty()).then(|| FORMATS[1].to_owned()),
            status: Some(post.status),
            created_at: time::iso(post.created_at),
            updated_at: Some(time::iso(post.updated_at)),
        }
    }
}

impl NdjsonLine for UpdatePostLine {
    fn table(_: Resource) -> &'static StagedTable {
        &update_posts::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        update_posts::for_each(conn, |post| write(post.into()))
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::id(&self.id)?;
        let status = self.status.unwrap_or_else(|| STATUSES[0].to_owned());
        checks::one_of("status", &status, &STATUSES)?;
        let created_at = checks::time("createdAt", &self.created_at)?;
        let server = context.server(&self.server_id)?;
        let account = context.account("accountId", &self.account_id)?;
        checks::name("title", &self.title, checks::MAX_LINE)?;
        checks::text("content", self.content.as_ref())?;
        let format = self.format.unwrap_or_else(|| FORMATS[0].to_owned());
        checks::one_of("format", &format, &FORMATS)?;
        let content = self.content.unwrap_or_default();
        let post = TransferUpdatePost {
            id: self.id,
            server,
            account,
            title: self.title,
            html: if format == FORMATS[1] { markdown::render(&content).html } else { String::new() },
            content,
            status,
            created_at,
            updated_at: checks::time_or_none("updatedAt", self.updated_at.as_ref())?.unwrap_or(created_at),
        };
        Ok(post.into())
    }
}
