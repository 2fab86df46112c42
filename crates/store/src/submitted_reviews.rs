//! Reviews written on the site: at most one per account, player and server. `reviews` holds those that are shown; all
//! totals change in the same transaction.

use super::audit::{self, Author};
use super::events::{self, NewEvent};
use super::list_ordinals::{self, NumberedTable};
use super::moderation::{self, APPROVED, EarlierWork, ItemKind, NewItem, PENDING};
use super::{Conn, Result, Row, player_totals, revision, servers};
use crate::values;
use rollcall_model::event::{EventFacts, EventKind};
use rollcall_model::id;
use rollcall_model::message::translatable;

/// In the audit log; [`written_since`] counts them.
const WRITTEN: &str = translatable("review written");
const EDITED: &str = translatable("review edited");
const DELETED: &str = translatable("review deleted");

/// A review as its author sees it.
#[derive(Clone, Debug)]
pub struct SubmittedReview {
    pub id: String,
    pub server_n: i64,
    pub account_n: Option<i64>,
    pub player_n: Option<i64>,
    pub game_username: String,
    pub rating: i64,
    pub content: String,
    pub status: String,
    pub created_at: i64,
    pub updated_at: i64,
}

const COLUMNS: &str = "id, server_n, account_n, player_n, game_username, rating, content";

fn read(row: &Row) -> SubmittedReview {
    SubmittedReview {
        id: row.get(0),
        server_n: row.get(1),
        account_n: row.get(2),
        player_n: row.get(3),
        game_username: row.get(4),
        rating: row.get(5),
        content: row.get(6),
        status: row.get(7),
        created_at: row.get(8),
        updated_at: row.get(9),
    }
}

/// Content of a review.
#[derive(Clone, Debug)]
pub struct NewReview {
    pub server_n: i64,
    pub account_n: i64,
    pub player_n: i64,
    pub nickname: String,
    pub rating: i64,
    pub content: String,
    /// Why a moderator must see it first.
    pub held: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitOutcome {
    Shown,
    /// A moderator must approve it.
    Held,
    /// Another account has reviewed the server as this player.
    ReviewedByAnotherAccount,
    /// The server is not public.
    Gone,
}

/// The review of an account or its player about a server. An imported review of the player without an account is theirs, too.
pub fn find(conn: &mut Conn, server_n: i64, account_n: i64, player_n: Option<i64>) -> Result<Option<SubmittedReview>> {
    let submitted = format!(
        "select {COLUMNS}, status, created_at, updated_at from submitted_reviews
         where server_n = $1 and (account_n = $2 or player_n = $3) order by case when account_n = $2 then 0 else 1 end limit 1"
    );
    if let Some(review) = conn.query_optional(&submitted, values![server_n, account_n, player_n], read)? {
        return Ok(Some(review));
    }
    for (column, n) in [("account_n", Some(account_n)), ("player_n", player_n)] {
        let Some(n) = n else { continue };
        let shown = format!(
            "select {COLUMNS}, 'APPROVED', created_at, updated_at from reviews
             where {column} = $2 and server_n = $1 order by created_at desc limit 1"
        );
        if let Some(review) = conn.query_optional(&shown, values![server_n, n], read)? {
            return Ok(Some(review));
        }
    }
    Ok(None)
}

/// A review with its server, for its author.
#[derive(Clone, Debug)]
pub struct OwnReview {
    pub review: SubmittedReview,
    pub server_slug: String,
    pub server_name: String,
}

/// The newest reviews that an account wrote on the site.
pub fn of_account(conn: &mut Conn, account_n: i64, limit: i64) -> Result<Vec<OwnReview>> {
    conn.query(
        "select r.id, r.server_n, r.account_n, r.player_n, r.game_username, r.rating, r.content, r.status, r.created_at,
                r.updated_at, s.slug, s.name
         from submitted_reviews r join servers s on s.n = r.server_n
         where r.account_n = $1 order by r.updated_at desc, r.id limit $2",
        values![account_n, limit],
        |row| OwnReview { review: read(row), server_slug: row.get(10), server_name: row.get(11) },
    )
}

/// How often an account has written or edited a review since a time.
pub fn written_since(conn: &mut Conn, account_n: i64, since: i64) -> Result<i64> {
    Ok(audit::count_since(conn, account_n, WRITTEN, since)? + audit::count_since(conn, account_n, EDITED, since)?)
}

/// Writes or edits a review. It is shown at once, unless it is held. Call it in a transaction.
pub fn submit(conn: &mut Conn, new: &NewReview, author: &Author) -> Result<SubmitOutcome> {
    let rev = revision::bump(conn)?;
    let Some((visibility, slug)) = server(conn, new.server_n)? else { return Ok(SubmitOutcome::Gone) };
    if visibility != servers::PUBLIC {
        return Ok(SubmitOutcome::Gone);
    }
    let before = find(conn, new.server_n, new.account_n, Some(new.player_n))?;
    if before.as_ref().and_then(|review| review.account_n).is_some_and(|account_n| account_n != new.account_n) {
        return Ok(SubmitOutcome::ReviewedByAnotherAccount);
    }
    let held = match &new.held {
        Some(why) => Some(why.clone()),
        None => {
            let status = before.as_ref().map(|review| review.status.as_str());
            let earlier = EarlierWork::AboutServer(new.server_n);
            moderation::why_reviewed_first(conn, new.account_n, earlier, status, author.at)?.map(str::to_owned)
        }
    };
    let action = if before.is_some() { EDITED } else { WRITTEN };
    let review = SubmittedReview {
        id: before.as_ref().map_or_else(|| id::encode(rand::random()), |review| review.id.clone()),
        server_n: new.server_n,
        account_n: Some(new.account_n),
        player_n: Some(new.player_n),
        game_username: new.nickname.clone(),
        rating: new.rating,
        content: new.content.clone(),
        status: if held.is_some() { PENDING } else { APPROVED }.to_owned(),
        created_at: before.as_ref().map_or(author.at, |review| review.created_at),
        updated_at: author.at,
    };
    store(conn, &review)?;
    moderation::renew(conn, &review.id)?;
    match &held {
        Some(why) => {
            take_from_list(conn, &review.id, rev)?;
            let item = NewItem {
                kind: ItemKind::Review,
                subject: &review.id,
                server_n: Some(new.server_n),
                author_n: Some(new.account_n),
                why,
            };
            moderation::open(conn, &item, author.at)?;
        }
        None => {
            moderation::withdraw(conn, ItemKind::Review, &review.id)?;
            if !replace_on_list(conn, &review, rev)? {
                put_on_list(conn, &review, author.at, rev)?;
            }
        }
    }
    audit::log_account(conn, Some(new.account_n), action, &slug, author)?;
    Ok(if held.is_some() { SubmitOutcome::Held } else { SubmitOutcome::Shown })
}

fn server(conn: &mut Conn, server_n: i64) -> Result<Option<(String, String)>> {
    let sql = "select visibility, slug from servers where n = $1";
    conn.query_optional(sql, values![server_n], |row| (row.get(0), row.get(1)))
}

fn store(conn: &mut Conn, review: &SubmittedReview) -> Result<()> {
    conn.execute(
        "insert into submitted_reviews (id, server_n, account_n, player_n, game_username, rating, content, status, created_at,
                                        updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict (id) do update set account_n = excluded.account_n, player_n = excluded.player_n,
                game_username = excluded.game_username, rating = excluded.rating, content = excluded.content,
                status = excluded.status, updated_at = excluded.updated_at",
        values![
            &review.id,
            review.server_n,
            review.account_n,
            review.player_n,
            &review.game_username,
            review.rating,
            &review.content,
            &review.status,
            review.created_at,
            review.updated_at
        ],
    )?;
    Ok(())
}

/// Deletes the review of an account with its reply. False if there is none. Call it in a transaction.
pub fn delete_own(conn: &mut Conn, server_n: i64, account_n: i64, author: &Author) -> Result<bool> {
    let rev = revision::bump(conn)?;
    let Some(review) = find(conn, server_n, account_n, None)? else { return Ok(false) };
    take_from_list(conn, &review.id, rev)?;
    conn.execute("delete from submitted_reviews where id = $1", values![&review.id])?;
    conn.execute("delete from review_replies where review_id = $1", values![&review.id])?;
    moderation::withdraw_all(conn, &review.id)?;
    let slug = server(conn, server_n)?.map(|(_, slug)| slug).unwrap_or_default();
    audit::log_account(conn, Some(account_n), DELETED, &slug, author)?;
    Ok(true)
}

/// Shows a review or takes it away. Call it in the transaction of the decision at `at`, whose revision is `rev`.
pub(crate) fn set_status(conn: &mut Conn, review_id: &str, status: &str, at: i64, rev: i64) -> Result<()> {
    let by_id = |table: &str, status: &str| {
        format!("select {COLUMNS}, {status}, created_at, updated_at from {table} where id = $1")
    };
    let mut found = conn.query_optional(&by_id("submitted_reviews", "status"), values![review_id], read)?;
    if found.is_none() {
        found = conn.query_optional(&by_id("reviews", "'APPROVED'"), values![review_id], read)?;
    }
    // The author deleted it meanwhile.
    let Some(review) = found else { return Ok(()) };
    if review.status == status {
        return Ok(());
    }
    let review = SubmittedReview { status: status.to_owned(), ..review };
    take_from_list(conn, review_id, rev)?;
    store(conn, &review)?;
    if status == APPROVED { put_on_list(conn, &review, at, rev) } else { Ok(()) }
}

/// Adds a review to those that are shown, and to the totals.
fn put_on_list(conn: &mut Conn, review: &SubmittedReview, at: i64, rev: i64) -> Result<()> {
    let ordinal =
        list_ordinals::make_room(conn, NumberedTable::Reviews, review.server_n, review.created_at, &review.id)?;
    conn.execute(
        "insert into reviews (server_n, ordinal, id, account_n, player_n, game_username, rating, content, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        values![
            review.server_n,
            ordinal,
            &review.id,
            review.account_n,
            review.player_n,
            &review.game_username,
            review.rating,
            &review.content,
            review.created_at,
            review.updated_at
        ],
    )?;
    count(conn, review.server_n, review.player_n, review.rating, 1, rev)?;
    let event = NewEvent {
        player_n: review.player_n,
        subject: Some(review.id.clone()),
        facts: EventFacts { rating: Some(review.rating), ..EventFacts::default() },
        ..NewEvent::of_server(EventKind::ReviewCreated, at, review.server_n)
    };
    events::write_once(conn, event)
}

/// Replaces a review that is shown, in its place. False if it is not shown.
fn replace_on_list(conn: &mut Conn, review: &SubmittedReview, rev: i64) -> Result<bool> {
    let shown = "select rating, player_n from reviews where id = $1";
    let before =
        conn.query_optional(shown, values![&review.id], |row| (row.get::<i64>(0), row.get::<Option<i64>>(1)))?;
    let Some((rating, player_n)) = before else { return Ok(false) };
    conn.execute(
        "update reviews set account_n = $2, player_n = $3, game_username = $4, rating = $5, content = $6, updated_at = $7
         where id = $1",
        values![
            &review.id,
            review.account_n,
            review.player_n,
            &review.game_username,
            review.rating,
            &review.content,
            review.updated_at
        ],
    )?;
    count(conn, review.server_n, player_n, -rating, -1, rev)?;
    count(conn, review.server_n, review.player_n, review.rating, 1, rev)?;
    Ok(true)
}

/// Takes a review from those that are shown, and from the totals; nothing happens if it is not among them.
fn take_from_list(conn: &mut Conn, review_id: &str, rev: i64) -> Result<()> {
    let taken = conn.query_optional(
        "delete from reviews where id = $1 returning server_n, ordinal, rating, player_n",
        values![review_id],
        |row| (row.get::<i64>(0), row.get::<i64>(1), row.get::<i64>(2), row.get::<Option<i64>>(3)),
    )?;
    let Some((server_n, ordinal, rating, player_n)) = taken else { return Ok(()) };
    list_ordinals::close_gap(conn, NumberedTable::Reviews, server_n, ordinal)?;
    count(conn, server_n, player_n, -rating, -1, rev)
}

fn count(conn: &mut Conn, server_n: i64, player_n: Option<i64>, rating: i64, by: i64, rev: i64) -> Result<()> {
    let visibility: String = conn.query_one(
        "update servers set rating_sum = rating_sum + $2, rating_count = rating_count + $3, rev = $4 where n = $1
         returning visibility",
        values![server_n, rating, by, rev],
        |row| row.get(0),
    )?;
    // A player's totals count public servers only.
    match player_n {
        Some(player_n) if visibility == servers::PUBLIC => {
            player_totals::change(conn, player_n, rev, |totals| totals.reviews += by)
        }
        _ => Ok(()),
    }
}
