//! Deletes accounts with all that is theirs alone.

use super::accounts::Account;
use super::audit::{self, Author, LogRetention, ReleasedAccount};
use super::builtin_skins::system_id;
use super::{Conn, Result, account_anonymization, keys, revision};
use crate::values;

/// Deletes the account with its keys and drafts. Its skins, capes and posts go to the system account, because players wear them
/// and servers show them; its votes and reviews stay without a name. Its audit log stays for a while, without the name.
pub fn delete(conn: &mut Conn, account: &Account, retention: LogRetention, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        revision::lock_keys(conn)?;
        // Before any row of a server or player, as in every other change of them.
        let rev = revision::bump(conn)?;
        // Before its other rows, like a password change: locks taken in one order cannot deadlock.
        conn.execute("delete from logins where account_n = $1", values![account.n])?;
        let system: i64 =
            conn.query_one("select n from accounts where id = $1", values![system_id()], |row| row.get(0))?;
        conn.execute("update servers set owner_n = null, rev = $2 where owner_n = $1", values![account.n, rev])?;
        let sql = "update textures set owner_n = $2, rev = $3 where owner_n = $1";
        conn.execute(sql, values![account.n, system, rev])?;
        let sql = "update update_posts set account_n = $2 where account_n = $1";
        conn.execute(sql, values![account.n, system])?;
        for (marks, count) in [("texture_likes", "like_count"), ("texture_favorites", "favorite_count")] {
            let sql = format!(
                "update textures set {count} = {count} - 1, rev = $2
                 where n in (select texture_n from {marks} where account_n = $1)"
            );
            conn.execute(&sql, values![account.n, rev])?;
        }
        account_anonymization::anonymize_contributions(conn, account.n)?;
        let released = ReleasedAccount {
            n: account.n,
            id: &account.id,
            username: &account.username,
            is_moderator: account.is_moderator(),
        };
        audit::release_account(conn, &released, retention, author)?;
        keys::delete_all(conn, account.n)?;
        conn.execute("delete from accounts where n = $1", values![account.n])?;
        Ok(())
    })
}
