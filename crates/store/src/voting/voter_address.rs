//! Addresses of voters and visitors, as fingerprints that cannot be reversed once the key of their day is deleted.

use ring::hmac;

use crate::{Conn, Result, values};
use rollcall_model::id::hex;
use rollcall_model::token;

/// The HMAC of an address with the key of the day; the first vote or visit of a day creates the key. Call it after
/// [`crate::revision::bump`]: two nodes must not both create one.
pub(crate) fn fingerprint(conn: &mut Conn, day: i64, address: &str) -> Result<String> {
    let sql = "select secret from vote_address_keys where day = $1";
    let stored: Option<String> = conn.query_optional(sql, values![day], |row| row.get(0))?;
    let secret = match stored {
        Some(secret) => secret,
        None => {
            let secret = token::generate();
            conn.execute("insert into vote_address_keys (day, secret) values ($1, $2)", values![day, &secret])?;
            secret
        }
    };
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    Ok(hex(hmac::sign(&key, address.as_bytes()).as_ref()))
}
