//! Decisions of moderators. A decision and what it changes are one transaction, and both are in the audit log of the author.

use super::accounts::{self, Account};
use super::audit::{self, Author};
use super::moderation::{Decision, Item, ItemKind, ItemState, queue};
use super::{
    Conn, Result, held_usernames, hidden_textures, posts, revision, server_access, submitted_reviews, texture_uploads,
};
use crate::values;
use rollcall_model::message::translatable;

/// What a moderator decides about an item.
#[derive(Clone, Copy, Debug)]
pub struct NewDecision<'a> {
    pub id: &'a str,
    pub decision: Decision,
    /// Required unless it is approved; the author reads it.
    pub reason: &'a str,
    /// [`Item::opened_at`] of the item that the moderator saw.
    pub seen: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecideOutcome {
    Decided,
    NotFound,
    AlreadyDecided,
    /// The text has changed since the moderator saw it.
    Changed,
    /// Another moderator took the item.
    Locked,
    /// It is the moderator's own text, and they are no operator.
    Own,
    /// Another account was given the name meanwhile.
    NameTaken,
}

/// Decides an item, changes what it is about and logs both.
pub fn decide(conn: &mut Conn, moderator: &Account, new: &NewDecision, author: &Author) -> Result<DecideOutcome> {
    conn.transaction(|conn| {
        // First: it orders decisions and changes of the texts.
        let rev = revision::bump(conn)?;
        let Some(item) = queue::find(conn, new.id)? else { return Ok(DecideOutcome::NotFound) };
        if item.state != ItemState::Open {
            return Ok(DecideOutcome::AlreadyDecided);
        }
        if item.is_locked_for(moderator.n, author.at) {
            return Ok(DecideOutcome::Locked);
        }
        if item.author_n == Some(moderator.n) && !moderator.operator {
            return Ok(DecideOutcome::Own);
        }
        if item.opened_at != new.seen {
            return Ok(DecideOutcome::Changed);
        }
        let is_approved_name = item.kind == ItemKind::Name && new.decision == Decision::Approve;
        if is_approved_name && accounts::find_name(conn, &item.subject)?.is_some() {
            return Ok(DecideOutcome::NameTaken);
        }
        let reason = if new.decision == Decision::Approve { "" } else { new.reason };
        conn.execute(
            "update moderation_items set state = $2, decided_by = $3, decided_at = $4, reason = $5, locked_by = null,
                    locked_until = 0
             where n = $1",
            values![item.n, new.decision.state().as_str(), moderator.n, author.at, reason],
        )?;
        apply(conn, &item, new.decision, author.at, rev)?;
        let detail =
            [item.kind.as_str(), " ", &item.subject, if reason.is_empty() { "" } else { ": " }, reason].concat();
        audit::log_account(conn, item.author_n, action(new.decision), &detail, author)?;
        Ok(DecideOutcome::Decided)
    })
}

fn action(decision: Decision) -> &'static str {
    match decision {
        Decision::Approve => translatable("approved by a moderator"),
        Decision::Reject => translatable("rejected by a moderator"),
        Decision::Hide => translatable("hidden by a moderator"),
    }
}

/// Changes what the item is about, in the transaction of the decision at `at`. `rev` is its revision.
fn apply(conn: &mut Conn, item: &Item, decision: Decision, at: i64, rev: i64) -> Result<()> {
    match item.kind {
        ItemKind::Review | ItemKind::Report => {
            submitted_reviews::set_status(conn, &item.subject, decision.status(), at, rev)
        }
        ItemKind::TextureReport if texture_uploads::find(conn, &item.subject)?.is_some() => {
            texture_uploads::set_status(conn, &item.subject, decision.status(), at, rev)
        }
        ItemKind::TextureReport => hidden_textures::set_hidden(conn, &item.subject, decision != Decision::Approve, rev),
        ItemKind::Post => posts::set_status(conn, &item.subject, decision.status(), at, rev),
        ItemKind::Upload => texture_uploads::set_status(conn, &item.subject, decision.status(), at, rev),
        ItemKind::Dispute => match (decision, item.server_n, item.author_n) {
            (Decision::Approve, Some(server_n), Some(author_n)) => {
                server_access::hand_over(conn, server_n, author_n, rev)
            }
            _ => Ok(()),
        },
        ItemKind::Name => match (decision, item.author_n) {
            (Decision::Approve, Some(author_n)) => held_usernames::grant(conn, author_n, &item.subject, rev),
            _ => Ok(()),
        },
        // Servers follow in the same transaction (`listings::follow_decision`), because totals change with their visibility.
        ItemKind::Server => Ok(()),
    }
}
