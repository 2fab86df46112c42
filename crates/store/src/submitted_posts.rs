//! Update posts that owners write on the site: published at once or held for a moderator, edited and deleted.

use super::audit::{self, Author};
use super::list_ordinals::{self, NumberedTable};
use super::moderation::{self, APPROVED, EarlierWork, ItemKind, NewItem, PENDING};
use super::post_drafts::{self, SCHEDULED};
use super::{Conn, Result, Row, posts, revision};
use crate::values;
use rollcall_model::id;
use rollcall_model::message::translatable;

const PUBLISHED: &str = translatable("post published");
const HELD: &str = translatable("post held for review");
const EDITED: &str = translatable("post edited");

/// Content of a post by an owner.
#[derive(Clone, Debug)]
pub struct PostText {
    pub title: String,
    /// Markdown, as the API shows it.
    pub content: String,
    /// The content as safe HTML.
    pub html: String,
    /// Why a moderator must see it first.
    pub held: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishOutcome {
    Shown,
    /// A moderator must approve it.
    Held,
    /// There is no such post or draft.
    Gone,
}

/// A post as the owner sees it.
#[derive(Clone, Debug)]
pub struct WrittenPost {
    pub id: String,
    pub title: String,
    pub content: String,
    pub status: String,
    pub created_at: i64,
    pub updated_at: i64,
    /// Why it waits for a moderator, as the rules name it; empty: it does not.
    pub why_held: String,
}

const COLUMNS: &str =
    "id, title, content, status, created_at, updated_at, coalesce((select i.why from moderation_items i
    where i.kind = 'post' and i.subject = update_posts.id and i.state = 'open'), '')";

fn read(row: &Row) -> WrittenPost {
    WrittenPost {
        id: row.get(0),
        title: row.get(1),
        content: row.get(2),
        status: row.get(3),
        created_at: row.get(4),
        updated_at: row.get(5),
        why_held: row.get(6),
    }
}

/// The newest posts of a server, whatever their status.
pub fn of_server(conn: &mut Conn, server_n: i64, limit: i64) -> Result<Vec<WrittenPost>> {
    let sql =
        format!("select {COLUMNS} from update_posts where server_n = $1 order by created_at desc, n desc limit $2");
    conn.query(&sql, values![server_n, limit], read)
}

pub fn find(conn: &mut Conn, server_n: i64, post_id: &str) -> Result<Option<WrittenPost>> {
    let sql = format!("select {COLUMNS} from update_posts where server_n = $1 and id = $2");
    conn.query_optional(&sql, values![server_n, post_id], read)
}

/// How often an account has published, scheduled or edited a post since a time.
pub fn written_since(conn: &mut Conn, account_n: i64, since: i64) -> Result<i64> {
    let mut count = 0;
    for action in [PUBLISHED, HELD, EDITED, SCHEDULED] {
        count += audit::count_since(conn, account_n, action, since)?;
    }
    Ok(count)
}

/// Publishes a new post. Call it in a transaction.
pub fn publish(
    conn: &mut Conn,
    server_n: i64,
    account_n: i64,
    text: &PostText,
    author: &Author,
) -> Result<PublishOutcome> {
    let rev = revision::bump(conn)?;
    let post = StoredPost { id: &id::encode(rand::random()), server_n, account_n, status: PENDING };
    insert(conn, &post, text, rev, author)
}

/// Publishes a draft, once, whichever node is first. With `due_before`, only if it is still scheduled for then or earlier. Call it
/// in a transaction.
pub fn publish_draft(
    conn: &mut Conn,
    draft_id: &str,
    due_before: Option<i64>,
    text: &PostText,
    author: &Author,
) -> Result<PublishOutcome> {
    let rev = revision::bump(conn)?;
    let Some(draft) = post_drafts::take(conn, draft_id, due_before)? else { return Ok(PublishOutcome::Gone) };
    let post = StoredPost { id: draft_id, server_n: draft.server_n, account_n: draft.account_n, status: PENDING };
    insert(conn, &post, text, rev, author)
}

/// A post and who changes it.
struct StoredPost<'a> {
    id: &'a str,
    server_n: i64,
    account_n: i64,
    /// Before the change.
    status: &'a str,
}

fn insert(conn: &mut Conn, post: &StoredPost, text: &PostText, rev: i64, author: &Author) -> Result<PublishOutcome> {
    conn.execute(
        "insert into update_posts (server_n, id, account_n, title, content, html, status, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
        values![post.server_n, post.id, post.account_n, &text.title, &text.content, &text.html, post.status, author.at],
    )?;
    let outcome = show_or_hold(conn, post, text, rev, author)?;
    let action = if outcome == PublishOutcome::Held { HELD } else { PUBLISHED };
    audit::log_account(conn, Some(post.account_n), action, &text.title, author)?;
    Ok(outcome)
}

/// Replaces the text of a post. Call it in a transaction.
pub fn edit(
    conn: &mut Conn,
    server_n: i64,
    account_n: i64,
    post_id: &str,
    text: &PostText,
    author: &Author,
) -> Result<PublishOutcome> {
    let rev = revision::bump(conn)?;
    let status = conn.query_optional(
        "update update_posts set title = $3, content = $4, html = $5, updated_at = $6 where server_n = $1 and id = $2
         returning status",
        values![server_n, post_id, &text.title, &text.content, &text.html, author.at],
        |row| row.get::<String>(0),
    )?;
    let Some(status) = status else { return Ok(PublishOutcome::Gone) };
    audit::log_account(conn, Some(account_n), EDITED, &text.title, author)?;
    moderation::renew(conn, post_id)?;
    conn.execute("update servers set rev = $2 where n = $1", values![server_n, rev])?;
    let post = StoredPost { id: post_id, server_n, account_n, status: &status };
    show_or_hold(conn, &post, text, rev, author)
}

fn show_or_hold(
    conn: &mut Conn,
    post: &StoredPost,
    text: &PostText,
    rev: i64,
    author: &Author,
) -> Result<PublishOutcome> {
    let held = match &text.held {
        Some(why) => Some(why.as_str()),
        None => {
            let earlier = EarlierWork::AboutServer(post.server_n);
            moderation::why_reviewed_first(conn, post.account_n, earlier, Some(post.status), author.at)?
        }
    };
    let Some(why) = held else {
        moderation::withdraw(conn, ItemKind::Post, post.id)?;
        posts::set_status(conn, post.id, APPROVED, author.at, rev)?;
        return Ok(PublishOutcome::Shown);
    };
    posts::set_status(conn, post.id, PENDING, author.at, rev)?;
    let item = NewItem {
        kind: ItemKind::Post,
        subject: post.id,
        server_n: Some(post.server_n),
        author_n: Some(post.account_n),
        why,
    };
    moderation::open(conn, &item, author.at)?;
    Ok(PublishOutcome::Held)
}

/// False if the server has no such post. Call it in a transaction.
pub fn delete(conn: &mut Conn, server_n: i64, post_id: &str, author: &Author) -> Result<bool> {
    let rev = revision::bump(conn)?;
    let sql = "delete from update_posts where server_n = $1 and id = $2 returning ordinal";
    let found = conn.query_optional(sql, values![server_n, post_id], |row| row.get::<Option<i64>>(0))?;
    let Some(ordinal) = found else { return Ok(false) };
    if let Some(ordinal) = ordinal {
        list_ordinals::close_gap(conn, NumberedTable::UpdatePosts, server_n, ordinal)?;
        let sql = "update servers set update_count = update_count - 1, rev = $2 where n = $1";
        conn.execute(sql, values![server_n, rev])?;
    }
    moderation::withdraw_all(conn, post_id)?;
    audit::log_owned_server(conn, server_n, translatable("post deleted"), author)?;
    Ok(true)
}
