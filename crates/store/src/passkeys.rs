//! Passkeys of accounts, and the challenges that browsers must answer. Only public keys are stored.

use super::audit::Author;
use super::{Conn, Result, Row, credentials};
use crate::values;
use rollcall_model::message::translatable;

#[derive(Clone, Debug)]
pub struct Passkey {
    /// Ours, for addresses of pages.
    pub id: String,
    /// The authenticator's, in base64url.
    pub credential: String,
    pub account_n: i64,
    pub name: String,
    pub public_key: String,
    /// The signature counter; 0 for authenticators without one.
    pub counter: i64,
    pub created_at: i64,
    pub used_at: Option<i64>,
}

const COLUMNS: &str = "id, credential, account_n, name, public_key, counter, created_at, used_at";

fn read(row: &Row) -> Passkey {
    Passkey {
        id: row.get(0),
        credential: row.get(1),
        account_n: row.get(2),
        name: row.get(3),
        public_key: row.get(4),
        counter: row.get(5),
        created_at: row.get(6),
        used_at: row.get(7),
    }
}

/// False if the account has `max` passkeys or the credential is registered already. The caller has locked the account.
pub fn add(conn: &mut Conn, new: &Passkey, max: i64, author: &Author) -> Result<bool> {
    conn.transaction(|conn| {
        let count = "select count(*) from passkeys where account_n = $1";
        if conn.query_one(count, values![new.account_n], |row| row.get::<i64>(0))? >= max {
            return Ok(false);
        }
        let added = conn.execute(
            "insert into passkeys (id, credential, account_n, name, public_key, counter, created_at)
             values ($1, $2, $3, $4, $5, $6, $7) on conflict (credential) do nothing",
            values![&new.id, &new.credential, new.account_n, &new.name, &new.public_key, new.counter, new.created_at],
        )? > 0;
        if added {
            credentials::log(conn, new.account_n, translatable("passkey added"), &new.name, author)?;
        }
        Ok(added)
    })
}

/// The passkeys of an account, oldest first.
pub fn of_account(conn: &mut Conn, account_n: i64) -> Result<Vec<Passkey>> {
    let sql = format!("select {COLUMNS} from passkeys where account_n = $1 order by created_at, id");
    conn.query(&sql, values![account_n], read)
}

pub fn find(conn: &mut Conn, credential: &str) -> Result<Option<Passkey>> {
    conn.query_optional(&format!("select {COLUMNS} from passkeys where credential = $1"), values![credential], read)
}

/// Records a use. False if the counter has not grown: the authenticator was copied, or the answer is an old one.
pub fn record_use(conn: &mut Conn, credential: &str, counter: i64, now: i64) -> Result<bool> {
    let used = conn.execute(
        "update passkeys set counter = $2, used_at = $3
         where credential = $1 and (counter < $2 or (counter = 0 and $2 = 0))",
        values![credential, counter, now],
    )?;
    Ok(used > 0)
}

/// False if the account has no such passkey.
pub fn remove(conn: &mut Conn, account_n: i64, id: &str, author: &Author) -> Result<bool> {
    conn.transaction(|conn| {
        let name = conn.query_optional(
            "delete from passkeys where account_n = $1 and id = $2 returning name",
            values![account_n, id],
            |row| row.get::<String>(0),
        )?;
        let Some(name) = name else { return Ok(false) };
        credentials::log(conn, account_n, translatable("passkey removed"), &name, author)?;
        Ok(true)
    })
}

/// Removes all passkeys of an account.
pub fn remove_all(conn: &mut Conn, account_n: i64, author: &Author) -> Result<()> {
    for passkey in of_account(conn, account_n)? {
        remove(conn, account_n, &passkey.id, author)?;
    }
    Ok(())
}

/// Remembers a challenge, in the ledger. `bound_to` names the session and the ceremony.
pub fn add_challenge(conn: &mut Conn, hash: &str, bound_to: &str, now: i64, ends_at: i64) -> Result<()> {
    conn.execute("delete from passkey_challenges where ends_at <= $1", values![now])?;
    conn.execute(
        "insert into passkey_challenges (hash, bound_to, ends_at) values ($1, $2, $3)",
        values![hash, bound_to, ends_at],
    )?;
    Ok(())
}

/// Deletes a challenge. False if it was answered before, has ended, or belongs to another session or ceremony.
pub fn spend_challenge(conn: &mut Conn, hash: &str, bound_to: &str, now: i64) -> Result<bool> {
    let spent = "delete from passkey_challenges where hash = $1 and bound_to = $2 and ends_at > $3";
    Ok(conn.execute(spent, values![hash, bound_to, now])? > 0)
}
