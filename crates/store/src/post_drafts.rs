//! Update posts that are not published yet: drafts, and scheduled ones.

use super::audit::{self, Author};
use super::{Conn, Result, Row, revision};
use crate::values;
use rollcall_model::id;
use rollcall_model::message::translatable;

/// Drafts that a server may have.
pub const MAX_DRAFTS: i64 = 50;

/// In the audit log; [`super::submitted_posts::written_since`] counts it.
pub(crate) const SCHEDULED: &str = translatable("post scheduled");

#[derive(Clone, Debug)]
pub struct PostDraft {
    pub id: String,
    pub server_n: i64,
    pub account_n: i64,
    pub title: String,
    pub content: String,
    /// When it is published; `None` for a draft.
    pub publish_at: Option<i64>,
    pub updated_at: i64,
}

const COLUMNS: &str = "d.id, d.server_n, d.account_n, d.title, d.content, d.publish_at, d.updated_at";

fn read(row: &Row) -> PostDraft {
    PostDraft {
        id: row.get(0),
        server_n: row.get(1),
        account_n: row.get(2),
        title: row.get(3),
        content: row.get(4),
        publish_at: row.get(5),
        updated_at: row.get(6),
    }
}

/// The drafts of a server; scheduled ones first, in their order.
pub fn of_server(conn: &mut Conn, server_n: i64) -> Result<Vec<PostDraft>> {
    let sql = format!(
        "select {COLUMNS} from post_drafts d where d.server_n = $1
         order by case when d.publish_at is null then 1 else 0 end, d.publish_at, d.updated_at desc, d.id"
    );
    conn.query(&sql, values![server_n], read)
}

pub fn find(conn: &mut Conn, server_n: i64, draft_id: &str) -> Result<Option<PostDraft>> {
    let sql = format!("select {COLUMNS} from post_drafts d where d.server_n = $1 and d.id = $2");
    conn.query_optional(&sql, values![server_n, draft_id], read)
}

/// A draft to save; `id` is `None` for a new one.
#[derive(Clone, Debug)]
pub struct NewDraft {
    pub id: Option<String>,
    pub server_n: i64,
    pub account_n: i64,
    pub title: String,
    pub content: String,
    pub publish_at: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    Saved,
    /// The draft was published or deleted.
    Gone,
    /// The server has [`MAX_DRAFTS`].
    TooMany,
}

/// Saves a draft. The account that saved it last is its author. Call it in a transaction.
pub fn save(conn: &mut Conn, draft: &NewDraft, author: &Author) -> Result<SaveOutcome> {
    // Orders it with a publication of the same draft.
    revision::bump(conn)?;
    if draft.id.is_none() {
        let sql = "select count(*) from post_drafts where server_n = $1";
        if conn.query_one(sql, values![draft.server_n], |row| row.get::<i64>(0))? >= MAX_DRAFTS {
            return Ok(SaveOutcome::TooMany);
        }
    }
    let changed = match &draft.id {
        Some(draft_id) => conn.execute(
            "update post_drafts set account_n = $3, title = $4, content = $5, publish_at = $6, updated_at = $7
             where server_n = $1 and id = $2",
            values![
                draft.server_n,
                draft_id,
                draft.account_n,
                &draft.title,
                &draft.content,
                draft.publish_at,
                author.at
            ],
        )?,
        None => conn.execute(
            "insert into post_drafts (id, server_n, account_n, title, content, publish_at, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $7)",
            values![
                id::encode(rand::random()),
                draft.server_n,
                draft.account_n,
                &draft.title,
                &draft.content,
                draft.publish_at,
                author.at
            ],
        )?,
    };
    if changed == 0 {
        return Ok(SaveOutcome::Gone);
    }
    let action = if draft.publish_at.is_some() { SCHEDULED } else { translatable("draft saved") };
    audit::log_account(conn, Some(draft.account_n), action, &draft.title, author)?;
    Ok(SaveOutcome::Saved)
}

/// False if the server has no such draft. Call it in a transaction.
pub fn delete(conn: &mut Conn, server_n: i64, draft_id: &str, author: &Author) -> Result<bool> {
    let sql = "delete from post_drafts where server_n = $1 and id = $2";
    let deleted = conn.execute(sql, values![server_n, draft_id])? > 0;
    if deleted {
        audit::log_owned_server(conn, server_n, translatable("draft deleted"), author)?;
    }
    Ok(deleted)
}

/// A scheduled post whose time has come.
#[derive(Clone, Debug)]
pub struct DueDraft {
    pub draft: PostDraft,
    pub username: String,
    pub skips_moderation: bool,
    /// Whether its author still manages the server.
    pub may_publish: bool,
}

/// Scheduled posts that are due, the oldest first.
pub fn due(conn: &mut Conn, now: i64, limit: i64) -> Result<Vec<DueDraft>> {
    let sql = format!(
        "select {COLUMNS}, s.slug, a.username, coalesce(l.operator, false), coalesce(l.trusted, false), coalesce(l.disabled, true)
         from post_drafts d join servers s on s.n = d.server_n join accounts a on a.n = d.account_n
         left join logins l on l.account_n = a.n
         where d.publish_at <= $1 order by d.publish_at, d.id limit $2"
    );
    let found = conn.query(&sql, values![now, limit], |row| {
        (
            read(row),
            row.get::<String>(7),
            row.get::<String>(8),
            row.get::<bool>(9),
            row.get::<bool>(10),
            row.get::<bool>(11),
        )
    })?;
    let mut due = Vec::new();
    for (draft, slug, username, operator, trusted, disabled) in found {
        let manages = super::server_access::find(conn, &slug, draft.account_n, operator)?.is_some();
        let may_publish = manages && !disabled;
        due.push(DueDraft { draft, username, skips_moderation: operator || trusted, may_publish });
    }
    Ok(due)
}

/// Turns a scheduled post back into a draft. Call it in a transaction.
pub fn unschedule(conn: &mut Conn, draft_id: &str) -> Result<()> {
    conn.execute("update post_drafts set publish_at = null where id = $1", values![draft_id])?;
    Ok(())
}

/// Removes a draft that is being published; of several nodes one gets it. With `due_before`, only if it is still scheduled for
/// that time or earlier. Call it in the transaction that publishes it.
pub(crate) fn take(conn: &mut Conn, draft_id: &str, due_before: Option<i64>) -> Result<Option<PostDraft>> {
    let sql = "delete from post_drafts where id = $1 and ($2 or publish_at <= $3)
               returning id, server_n, account_n, title, content, publish_at, updated_at";
    conn.query_optional(sql, values![draft_id, due_before.is_none(), due_before.unwrap_or(0)], read)
}
