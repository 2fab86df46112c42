//! The moderation queue: texts that are shown, or stay shown, only if a moderator agrees. `moderation_decisions.rs`
//! decides them.

pub mod history;
mod item;
pub mod queue;

use super::audit::{self, Author};
use super::{Conn, Result, revision};
use crate::values;
use rollcall_model::id;
use rollcall_model::message::translatable;
use rollcall_model::time::{DAY, MINUTE};

pub use item::{Decision, Item, ItemKind, ItemState};

/// How long an item is locked for the moderator who took it.
pub const LOCK: i64 = 15 * MINUTE;
/// How long texts of an author need a review before publication after one was rejected.
const JUDGED_FIRST_FOR: i64 = 365 * DAY;

/// Why an item is in the queue: an earlier text or picture was rejected.
pub const EARLIER_TURNED_DOWN: &str = "earlier";

/// Statuses of texts. `/v1` shows approved ones only.
pub const PENDING: &str = "PENDING";
pub const APPROVED: &str = super::posts::APPROVED;

/// A text to review.
#[derive(Clone, Copy, Debug)]
pub struct NewItem<'a> {
    pub kind: ItemKind,
    /// The public id of the content under review.
    pub subject: &'a str,
    pub server_n: Option<i64>,
    /// The author. They read the decision and its reason, and may appeal once.
    pub author_n: Option<i64>,
    /// Why it is in the queue.
    pub why: &'a str,
}

/// Puts a text into the queue, or renews its open item: a moderator who looks at the old text must look again. Call it in the
/// transaction that stores the text.
pub fn open(conn: &mut Conn, new: &NewItem, now: i64) -> Result<()> {
    conn.execute(
        "insert into moderation_items (id, kind, subject, server_n, author_n, opened_at, why, locked_until, state, reason, appeal)
         values ($1, $2, $3, $4, $5, $6, $7, 0, 'open', '', '')
         on conflict (kind, subject) where state = 'open' do update set why = excluded.why,
             opened_at = case when excluded.opened_at > moderation_items.opened_at then excluded.opened_at
                              else moderation_items.opened_at + 1 end",
        values![
            id::encode(rand::random()),
            new.kind.as_str(),
            new.subject,
            new.server_n,
            new.author_n,
            now,
            new.why
        ],
    )?;
    Ok(())
}

/// Makes moderators look again at a text that has changed while it is in the queue.
pub(crate) fn renew(conn: &mut Conn, subject: &str) -> Result<()> {
    let sql = "update moderation_items set opened_at = opened_at + 1 where subject = $1 and state = 'open'";
    conn.execute(sql, values![subject])?;
    Ok(())
}

/// Removes a text that no longer needs a review from the queue. Decided items stay.
pub(crate) fn withdraw(conn: &mut Conn, kind: ItemKind, subject: &str) -> Result<()> {
    let sql = "delete from moderation_items where kind = $1 and subject = $2 and state = 'open'";
    conn.execute(sql, values![kind.as_str(), subject])?;
    Ok(())
}

/// The same for everything about a text that no longer exists.
pub(crate) fn withdraw_all(conn: &mut Conn, subject: &str) -> Result<()> {
    ItemKind::ALL.into_iter().try_for_each(|kind| withdraw(conn, kind, subject))
}

/// Earlier work of an author.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EarlierWork {
    /// Texts about one server.
    AboutServer(i64),
    /// Pictures.
    Uploads,
}

/// Why a text or picture needs a review before it is shown, whatever its content: it was rejected before (`status`), or
/// earlier work of its author was. This includes edits, and a new one after the old one was deleted.
pub(crate) fn why_reviewed_first(
    conn: &mut Conn,
    author_n: i64,
    earlier: EarlierWork,
    status: Option<&str>,
    now: i64,
) -> Result<Option<&'static str>> {
    if status.is_some_and(|status| status != APPROVED && status != PENDING) {
        return Ok(Some(EARLIER_TURNED_DOWN));
    }
    let (server_n, kind) = match earlier {
        EarlierWork::AboutServer(server_n) => (Some(server_n), None),
        EarlierWork::Uploads => (None, Some(ItemKind::Upload.as_str())),
    };
    let sql = "select 1 from moderation_items
               where author_n = $1 and (server_n = $2 or kind = $3) and state in ('rejected', 'hidden') and decided_at >= $4
               limit 1";
    let found = conn.query_optional(sql, values![author_n, server_n, kind, now - JUDGED_FIRST_FOR], |_| ())?;
    Ok(found.map(|()| EARLIER_TURNED_DOWN))
}

/// Opens a decided item of an author once more, with what they answer. False if that is not possible: it was not turned down,
/// has been appealed before, or the text has been in the queue since. Call it in a transaction.
pub fn appeal(conn: &mut Conn, author_n: i64, id: &str, text: &str, author: &Author) -> Result<bool> {
    revision::bump(conn)?;
    let changed = conn.execute(
        "update moderation_items set state = 'open', appeal = $3, appealed_at = $4, opened_at = $4
         where id = $1 and author_n = $2 and state in ('rejected', 'hidden') and appealed_at is null
           and not exists (select 1 from moderation_items later
                           where later.subject = moderation_items.subject and later.n > moderation_items.n)",
        values![id, author_n, text, author.at],
    )?;
    if changed > 0 {
        audit::log_account(conn, Some(author_n), translatable("appealed to a moderator"), id, author)?;
    }
    Ok(changed > 0)
}
