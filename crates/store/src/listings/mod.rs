//! Submitted and claimed servers: their visibility and status.

pub mod claims;
pub mod editors;
mod same_address;

pub use same_address::{AnsweredAt, SameAddress, at_other_port, at_same_address};

use super::{Conn, Result, Row};
use crate::values;
use rollcall_model::time::DAY;
use rollcall_model::visibility::Visibility;

/// How long the owner of a deleted server can restore it.
pub const KEPT_AFTER_DELETION: i64 = 30 * DAY;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingStatus {
    Pending,
    Approved,
    Rejected,
    Hidden,
}

impl ListingStatus {
    const ALL: [Self; 4] = [Self::Pending, Self::Approved, Self::Rejected, Self::Hidden];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Approved => "APPROVED",
            Self::Rejected => "REJECTED",
            Self::Hidden => "HIDDEN",
        }
    }

    /// Unknown names count as hidden: nothing is shown by mistake.
    fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|status| status.name() == name).unwrap_or(Self::Hidden)
    }
}

/// Event that a pending server waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    Nothing,
    /// Its first reply to a ping.
    Ping,
    /// The decision of a moderator.
    Review,
}

impl WaitsFor {
    const ALL: [Self; 3] = [Self::Nothing, Self::Ping, Self::Review];

    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Ping => "ping",
            Self::Review => "review",
        }
    }

    fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|waits_for| waits_for.name() == name).unwrap_or(Self::Nothing)
    }
}

#[derive(Clone, Debug)]
pub struct Listing {
    pub server_n: i64,
    pub submitted_by: Option<i64>,
    pub submitted_at: i64,
    pub status: ListingStatus,
    pub waits_for: WaitsFor,
    /// Why it is held, rejected or hidden.
    pub reason: String,
    /// Choice of the owner.
    pub visibility: Visibility,
    /// The path of the banner that the owner uploaded; empty: none.
    pub banner: String,
    pub archived_at: Option<i64>,
    /// A deleted server is archived, too.
    pub deleted_at: Option<i64>,
}

impl Listing {
    /// An approved listing of a server that was not submitted by a user.
    pub fn of_claimed(server_n: i64, visibility: Visibility, now: i64) -> Self {
        Self {
            server_n,
            submitted_by: None,
            submitted_at: now,
            status: ListingStatus::Approved,
            waits_for: WaitsFor::Nothing,
            reason: String::new(),
            visibility,
            banner: String::new(),
            archived_at: None,
            deleted_at: None,
        }
    }

    /// Current visibility of the server.
    pub fn effective_visibility(&self) -> Visibility {
        let is_shown = self.status == ListingStatus::Approved && self.archived_at.is_none();
        if is_shown { self.visibility } else { Visibility::Hidden }
    }
}

const COLUMNS: &str =
    "server_n, submitted_by, submitted_at, status, waits_for, reason, visibility, banner, archived_at, deleted_at";

fn read(row: &Row) -> Listing {
    Listing {
        server_n: row.get(0),
        submitted_by: row.get(1),
        submitted_at: row.get(2),
        status: ListingStatus::parse(&row.get::<String>(3)),
        waits_for: WaitsFor::parse(&row.get::<String>(4)),
        reason: row.get(5),
        visibility: Visibility::parse(&row.get::<String>(6)).unwrap_or(Visibility::Hidden),
        banner: row.get(7),
        archived_at: row.get(8),
        deleted_at: row.get(9),
    }
}

pub fn of_server(conn: &mut Conn, server_n: i64) -> Result<Option<Listing>> {
    conn.query_optional(&format!("select {COLUMNS} from listings where server_n = $1"), values![server_n], read)
}

/// Adds or replaces a listing. The caller sets `servers.visibility` in the same transaction.
pub fn save(conn: &mut Conn, listing: &Listing) -> Result<()> {
    conn.execute(
        "insert into listings (server_n, submitted_by, submitted_at, status, waits_for, reason, visibility, banner,
                               archived_at, deleted_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict (server_n) do update set status = excluded.status, waits_for = excluded.waits_for,
            reason = excluded.reason, visibility = excluded.visibility, banner = excluded.banner,
            archived_at = excluded.archived_at, deleted_at = excluded.deleted_at",
        values![
            listing.server_n,
            listing.submitted_by,
            listing.submitted_at,
            listing.status.name(),
            listing.waits_for.name(),
            &listing.reason,
            listing.visibility.name(),
            &listing.banner,
            listing.archived_at,
            listing.deleted_at,
        ],
    )?;
    Ok(())
}

/// How many servers an account submitted that still exist. A deleted one counts until it is removed: else an account could add and
/// delete servers without end, and each costs pings and review.
pub fn count_submitted(conn: &mut Conn, account_n: i64) -> Result<i64> {
    conn.query_one("select count(*) from listings where submitted_by = $1", values![account_n], |row| row.get(0))
}

/// A pending server that has replied to a ping since it was submitted.
pub struct AnsweredServer {
    pub server_n: i64,
    /// The address as it was typed.
    pub host: String,
    pub port: i64,
    pub edition: String,
    /// The IP address from which it replied.
    pub ip: String,
}

/// Those, in the order in which they were submitted.
pub fn answered(conn: &mut Conn) -> Result<Vec<AnsweredServer>> {
    conn.query(
        "select s.n, s.ip, s.port, s.edition, t.address
         from listings l join servers s on s.n = l.server_n join tracking t on t.server_n = l.server_n
         where l.waits_for = 'ping' and l.status = 'PENDING' and s.is_online and t.address <> ''
         order by l.submitted_at, l.server_n",
        &[],
        |row| AnsweredServer {
            server_n: row.get(0),
            host: row.get(1),
            port: row.get(2),
            edition: row.get(3),
            ip: row.get(4),
        },
    )
}

/// The slugs of servers submitted before `time` that have never replied.
pub fn never_answered(conn: &mut Conn, time: i64) -> Result<Vec<String>> {
    conn.query(
        "select s.slug from listings l join servers s on s.n = l.server_n
         where l.waits_for = 'ping' and l.submitted_at < $1 and s.owner_n is null",
        values![time],
        |row| row.get(0),
    )
}

/// The slugs of servers that their owners deleted before `time`.
pub fn deleted_before(conn: &mut Conn, time: i64) -> Result<Vec<String>> {
    conn.query(
        "select s.slug from listings l join servers s on s.n = l.server_n
         where l.deleted_at is not null and l.deleted_at < $1",
        values![time],
        |row| row.get(0),
    )
}
