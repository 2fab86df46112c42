//! Anonymizes what a deleted account contributed: votes and reviews stay without a name; uploads that are not public
//! are deleted.

use super::voting::ANONYMOUS;
use super::{Conn, Result, player_totals, revision, texture_uploads};
use crate::values;

/// Takes the name of an account from its votes and reviews, and its open items from the moderation queue. Runs in the transaction
/// of the deletion.
pub(crate) fn anonymize_contributions(conn: &mut Conn, account_n: i64) -> Result<()> {
    // Those of names are the name.
    let moderated = "delete from moderation_items where author_n = $1 and (state = 'open' or kind = 'name')";
    conn.execute(moderated, values![account_n])?;
    texture_uploads::release(conn, account_n)?;
    for table in ["votes", "reviews"] {
        // Players lose what the account did in their name, if it counted: on public servers.
        let sql = format!(
            "select r.player_n, count(*) from {table} r join servers s on s.n = r.server_n
             where r.account_n = $1 and r.player_n is not null and s.visibility = 'PUBLIC' group by r.player_n"
        );
        let players = conn.query(&sql, values![account_n], |row| (row.get::<i64>(0), row.get::<i64>(1)))?;
        if !players.is_empty() {
            let rev = revision::bump(conn)?;
            for (player_n, count) in players {
                player_totals::change(conn, player_n, rev, |totals| match table {
                    "votes" => totals.votes -= count,
                    _ => totals.reviews -= count,
                })?;
            }
        }
        let sql = format!("update {table} set game_username = $2, player_n = null where account_n = $1");
        conn.execute(&sql, values![account_n, ANONYMOUS])?;
    }
    Ok(())
}
