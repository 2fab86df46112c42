//! Codes that link an account with a player. A code works once and for five minutes; a new one replaces it.

use super::{Conn, Result};
use crate::values;
use rollcall_model::link_code::LinkCode;
use rollcall_model::time::MINUTE;

/// How long a code is valid.
pub const LASTS: i64 = 5 * MINUTE;

/// A player whom the session server confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPlayer {
    /// In its canonical form.
    pub game_uuid: String,
    pub nickname: String,
}

/// Stores the code of a player who joined.
pub fn issue_to_player(conn: &mut Conn, player: &VerifiedPlayer, code: &LinkCode, now: i64) -> Result<()> {
    conn.execute(
        "insert into join_codes (game_uuid, hash, nickname, ends_at) values ($1, $2, $3, $4)
         on conflict (game_uuid) do update set hash = excluded.hash, nickname = excluded.nickname, ends_at = excluded.ends_at",
        values![&player.game_uuid, code.hash(), &player.nickname, now + LASTS],
    )?;
    Ok(())
}

/// Stores the code that an account's user is going to enter in the game.
pub fn issue_to_account(conn: &mut Conn, account_n: i64, code: &LinkCode, now: i64) -> Result<()> {
    conn.execute(
        "insert into account_link_codes (account_n, hash, ends_at) values ($1, $2, $3)
         on conflict (account_n) do update set hash = excluded.hash, ends_at = excluded.ends_at",
        values![account_n, code.hash(), now + LASTS],
    )?;
    Ok(())
}

/// The player who got this code by joining, while it is valid.
pub fn find_player(conn: &mut Conn, code: &LinkCode, now: i64) -> Result<Option<VerifiedPlayer>> {
    conn.query_optional(
        "select game_uuid, nickname from join_codes where hash = $1 and ends_at > $2",
        values![code.hash(), now],
        |row| VerifiedPlayer { game_uuid: row.get(0), nickname: row.get(1) },
    )
}

/// The account with this code, by its hash, while it is valid.
pub(crate) fn find_account(conn: &mut Conn, hash: &str, now: i64) -> Result<Option<i64>> {
    let sql = "select account_n from account_link_codes where hash = $1 and ends_at > $2";
    conn.query_optional(sql, values![hash, now], |row| row.get(0))
}

/// Ends the code of a player.
pub(crate) fn spend_of_player(conn: &mut Conn, game_uuid: &str) -> Result<()> {
    conn.execute("delete from join_codes where game_uuid = $1", values![game_uuid])?;
    Ok(())
}

/// Ends the code of an account.
pub(crate) fn spend_of_account(conn: &mut Conn, account_n: i64) -> Result<()> {
    conn.execute("delete from account_link_codes where account_n = $1", values![account_n])?;
    Ok(())
}

/// Whether [`delete_expired`] has anything to delete.
pub fn has_expired(conn: &mut Conn, now: i64) -> Result<bool> {
    let sql = "select 1 from join_codes where ends_at <= $1 union all
               select 1 from account_link_codes where ends_at <= $1 limit 1";
    Ok(conn.query_optional(sql, values![now], |_| ())?.is_some())
}

pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    for table in ["join_codes", "account_link_codes"] {
        conn.execute(&format!("delete from {table} where ends_at <= $1"), values![now])?;
    }
    Ok(())
}
