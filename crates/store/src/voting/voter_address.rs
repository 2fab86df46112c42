//! Addresses of voters and visitors, as fingerprints that cannot be reversed once the key of their day is deleted.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ring::hmac;

use crate::{Conn, Result, values};
use rollcall_model::id::hex;
use rollcall_model::token;

/// The keys of days, each read once.
#[derive(Default)]
pub(crate) struct AddressKeys(HashMap<i64, hmac::Key>);

impl AddressKeys {
    /// The HMAC of an address with the key of the day; the first vote or visit of a day creates the key. Call it after
    /// [`crate::revision::bump`]: two nodes must not both create one.
    pub fn fingerprint(&mut self, conn: &mut Conn, day: i64, address: &str) -> Result<String> {
        let key = match self.0.entry(day) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(hmac::Key::new(hmac::HMAC_SHA256, secret_of(conn, day)?.as_bytes())),
        };
        Ok(hex(hmac::sign(key, address.as_bytes()).as_ref()))
    }
}

fn secret_of(conn: &mut Conn, day: i64) -> Result<String> {
    let sql = "select secret from vote_address_keys where day = $1";
    if let Some(stored) = conn.query_optional(sql, values![day], |row| row.get(0))? {
        return Ok(stored);
    }
    let secret = token::generate();
    conn.execute("insert into vote_address_keys (day, secret) values ($1, $2)", values![day, &secret])?;
    Ok(secret)
}
