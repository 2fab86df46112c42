//! The vote receivers of servers.

use crate::audit::{self, Author};
use crate::{Conn, Result, Row, values};
use rollcall_model::message::translatable;
use rollcall_model::secret::Secret;

/// Address and protocol of a vote receiver.
#[derive(Clone, Debug)]
pub struct VoteReceiver {
    /// `v1` or `v2`
    pub protocol: String,
    pub host: String,
    pub port: i64,
    /// The token of v2, or the public key of v1.
    pub secret: Secret,
    pub repeats_uncertain: bool,
    /// Consecutive attempts that could not be sent.
    pub failures: i64,
}

impl VoteReceiver {
    /// Version 1 answers nothing: a vote that was sent may have been dropped.
    pub fn confirms(&self) -> bool {
        self.protocol != "v1"
    }
}

pub(super) const COLUMNS: &str = "r.protocol, r.host, r.port, r.secret, r.repeats_uncertain, r.failures";

pub(super) fn read(row: &Row, first: usize) -> VoteReceiver {
    VoteReceiver {
        protocol: row.get(first),
        host: row.get(first + 1),
        port: row.get(first + 2),
        secret: Secret::from(row.get::<String>(first + 3).as_str()),
        repeats_uncertain: row.get(first + 4),
        failures: row.get(first + 5),
    }
}

pub fn of_server(conn: &mut Conn, server_n: i64) -> Result<Option<VoteReceiver>> {
    let sql = format!("select {COLUMNS} from vote_receivers r where r.server_n = $1");
    conn.query_optional(&sql, values![server_n], |row| read(row, 0))
}

/// Sets or replaces the receiver; votes that wait for it are sent at once. Call it in a transaction.
pub fn set(conn: &mut Conn, server_n: i64, receiver: &VoteReceiver, author: &Author) -> Result<()> {
    conn.execute(
        "insert into vote_receivers (server_n, protocol, host, port, secret, repeats_uncertain, failures, retry_at, changed_at)
         values ($1, $2, $3, $4, $5, $6, 0, 0, $7)
         on conflict (server_n) do update set protocol = excluded.protocol, host = excluded.host, port = excluded.port,
                secret = excluded.secret, repeats_uncertain = excluded.repeats_uncertain, failures = 0, retry_at = 0,
                changed_at = excluded.changed_at",
        values![
            server_n,
            &receiver.protocol,
            &receiver.host,
            receiver.port,
            receiver.secret.reveal(),
            receiver.repeats_uncertain,
            author.at
        ],
    )?;
    postpone(conn, server_n, author.at)?;
    audit::log_owned_server(conn, server_n, translatable("vote receiver changed"), author)
}

/// Sets when the deliveries that wait for a receiver are due.
pub(super) fn postpone(conn: &mut Conn, server_n: i64, due_at: i64) -> Result<()> {
    conn.execute(
        "update vote_deliveries set due_at = $2 where server_n = $1 and state in ('waiting', 'retrying')",
        values![server_n, due_at],
    )?;
    Ok(())
}

/// Call it in a transaction.
pub fn remove(conn: &mut Conn, server_n: i64, author: &Author) -> Result<()> {
    conn.execute("delete from vote_receivers where server_n = $1", values![server_n])?;
    conn.execute(
        "update vote_deliveries set state = 'unclaimed', due_at = null, updated_at = $2
         where server_n = $1 and state in ('waiting', 'retrying')",
        values![server_n, author.at],
    )?;
    audit::log_owned_server(conn, server_n, translatable("vote receiver removed"), author)
}
