//! Claims: proofs that an account owns a server.

use super::Listing;
use crate::audit::{self, Author};
use crate::moderation::{self, ItemKind, NewItem};
use crate::{Conn, Result, Row, revision, server_tokens, values};
use rollcall_model::message::translatable;
use rollcall_model::server_token::ServerToken;
use rollcall_model::time::DAY;
use rollcall_model::visibility::Visibility;

/// How long a code is valid.
pub const LIFETIME: i64 = DAY;
/// Claims that one account may have at a time.
pub const MAX_CLAIMS: i64 = 20;

/// An account that is proving that a server is its own.
#[derive(Clone, Debug)]
pub struct Claim {
    pub server_n: i64,
    pub account_n: i64,
    /// Code that the MOTD or the TXT record must contain.
    pub code: String,
    /// The last characters of the token for a proof by report; empty: none.
    pub token_hint: String,
    /// The address to be proved.
    pub host: String,
    pub port: i64,
    pub created_at: i64,
    pub ends_at: i64,
}

const COLUMNS: &str = "server_n, account_n, code, token_hint, host, port, created_at, ends_at";

fn read(row: &Row) -> Claim {
    Claim {
        server_n: row.get(0),
        account_n: row.get(1),
        code: row.get(2),
        token_hint: row.get(3),
        host: row.get(4),
        port: row.get(5),
        created_at: row.get(6),
        ends_at: row.get(7),
    }
}

/// The valid claim of an account for a server.
pub fn find(conn: &mut Conn, server_n: i64, account_n: i64, now: i64) -> Result<Option<Claim>> {
    let sql = format!("select {COLUMNS} from server_claims where server_n = $1 and account_n = $2 and ends_at > $3");
    conn.query_optional(&sql, values![server_n, account_n, now], read)
}

/// Adds a claim, which replaces an earlier one of the account for the server. False if the account has too many.
pub fn start(conn: &mut Conn, claim: &Claim) -> Result<bool> {
    let sql = "select count(*) from server_claims where account_n = $1 and server_n <> $2 and ends_at > $3";
    let others: i64 =
        conn.query_one(sql, values![claim.account_n, claim.server_n, claim.created_at], |row| row.get(0))?;
    if others >= MAX_CLAIMS {
        return Ok(false);
    }
    end(conn, claim.server_n, claim.account_n)?;
    conn.execute(
        "insert into server_claims (server_n, account_n, code, token_hash, token_hint, host, port, created_at, ends_at)
         values ($1, $2, $3, '', '', $4, $5, $6, $7)",
        values![claim.server_n, claim.account_n, &claim.code, &claim.host, claim.port, claim.created_at, claim.ends_at],
    )?;
    Ok(true)
}

/// Sets the token whose report proves the claim. It replaces an earlier one.
pub fn set_token(conn: &mut Conn, server_n: i64, account_n: i64, token: &ServerToken) -> Result<()> {
    let sql = "update server_claims set token_hash = $3, token_hint = $4 where server_n = $1 and account_n = $2";
    conn.execute(sql, values![server_n, account_n, token.hash(), token.hint()])?;
    Ok(())
}

pub fn end(conn: &mut Conn, server_n: i64, account_n: i64) -> Result<()> {
    let sql = "delete from server_claims where server_n = $1 and account_n = $2";
    conn.execute(sql, values![server_n, account_n])?;
    Ok(())
}

pub fn has_expired(conn: &mut Conn, now: i64) -> Result<bool> {
    Ok(conn.query_optional("select 1 from server_claims where ends_at <= $1 limit 1", values![now], |_| ())?.is_some())
}

pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    conn.execute("delete from server_claims where ends_at <= $1", values![now])?;
    Ok(())
}

/// A claim whose token a report carries.
pub struct ReportedClaim {
    pub server_n: i64,
    pub slug: String,
    pub account_n: i64,
    pub username: String,
    /// The IP address from which the server last replied to a ping; empty: never, or it is archived and not pinged.
    pub address: String,
    /// Other servers reply from the same address: a report from it proves nothing.
    pub is_shared: bool,
    token_hash: String,
    token_hint: String,
}

/// The valid claim with this token, if it is for the address that the server has.
pub fn by_token(conn: &mut Conn, hash: &str, now: i64) -> Result<Option<ReportedClaim>> {
    conn.query_optional(
        "select s.n, s.slug, a.n, a.username, case when s.is_tracked then coalesce(t.address, '') else '' end,
                exists (select 1 from tracking o where o.address = t.address and o.server_n <> t.server_n),
                c.token_hash, c.token_hint
         from server_claims c join servers s on s.n = c.server_n join accounts a on a.n = c.account_n
              left join tracking t on t.server_n = s.n
         where c.token_hash = $1 and c.ends_at > $2 and c.port = s.port and lower(c.host) = lower(s.ip)",
        values![hash, now],
        |row| ReportedClaim {
            server_n: row.get(0),
            slug: row.get(1),
            account_n: row.get(2),
            username: row.get(3),
            address: row.get(4),
            is_shared: row.get(5),
            token_hash: row.get(6),
            token_hint: row.get(7),
        },
    )
}

/// Result of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantOutcome {
    Granted,
    /// Another account owns the server: moderators decide.
    Disputed,
}

/// Makes the account the owner after it proved that the server is its own. Call it in a transaction.
pub fn grant(conn: &mut Conn, server_n: i64, account_n: i64, proof: &str, author: &Author) -> Result<GrantOutcome> {
    // First, like all changes: two proofs at the same time happen one after the other.
    let rev = revision::bump(conn)?;
    let sql = "select owner_n, visibility, id from servers where n = $1";
    let (owner_n, visibility, id) = conn.query_one(sql, values![server_n], |row| {
        (row.get::<Option<i64>>(0), row.get::<String>(1), row.get::<String>(2))
    })?;
    end(conn, server_n, account_n)?;
    match owner_n {
        Some(owner_n) if owner_n == account_n => Ok(GrantOutcome::Granted),
        Some(_) => {
            let subject = format!("{id} {account_n}");
            let (server_n, author_n) = (Some(server_n), Some(account_n));
            let item = NewItem { kind: ItemKind::Dispute, subject: &subject, server_n, author_n, why: proof };
            moderation::open(conn, &item, author.at)?;
            Ok(GrantOutcome::Disputed)
        }
        None => {
            let sql = "update servers set owner_n = $2, rev = $3 where n = $1";
            conn.execute(sql, values![server_n, account_n, rev])?;
            if super::of_server(conn, server_n)?.is_none() {
                let visibility = Visibility::parse(&visibility).unwrap_or(Visibility::Hidden);
                super::save(conn, &Listing::of_claimed(server_n, visibility, author.at))?;
            }
            audit::log_owned_server(conn, server_n, proof, author)?;
            Ok(GrantOutcome::Granted)
        }
    }
}

/// [`grant`] for a report with the token of a claim, which becomes the token of the server.
pub fn grant_by_report(conn: &mut Conn, claim: &ReportedClaim, author: &Author) -> Result<GrantOutcome> {
    let proof = translatable("ownership proved by a report");
    let outcome = grant(conn, claim.server_n, claim.account_n, proof, author)?;
    if outcome == GrantOutcome::Granted {
        server_tokens::issue_hashed(conn, claim.server_n, (&claim.token_hash, &claim.token_hint), author)?;
    }
    Ok(outcome)
}
