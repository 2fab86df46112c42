//! Players who opted out. Only hashes of their UUIDs and names are kept, so that they are recognised and never stored again.

use std::collections::HashSet;

use super::audit::{self, Author};
use super::{Conn, Result, Value, placeholders};
use crate::values;
use rollcall_model::message::translatable;
use rollcall_model::token;
use rollcall_search::fold;

/// Hashes per query.
const BATCH: usize = 256;

/// How a player is recognised: a UUID in its canonical form, or a name where a list has no UUIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Identity<'a> {
    Uuid(&'a str),
    Name(&'a str),
}

impl Identity<'_> {
    fn hash(self) -> String {
        match self {
            Self::Uuid(uuid) => token::hash(&format!("erased player {uuid}")),
            Self::Name(name) => token::hash(&format!("erased name {}", fold(name))),
        }
    }
}

pub fn contains_uuid(conn: &mut Conn, uuid: &str) -> Result<bool> {
    contains(conn, Identity::Uuid(uuid))
}

pub fn contains(conn: &mut Conn, identity: Identity) -> Result<bool> {
    let sql = "select 1 from erased_players where hash = $1";
    Ok(conn.query_optional(sql, values![identity.hash()], |_| ())?.is_some())
}

pub(crate) fn is_any(conn: &mut Conn) -> Result<bool> {
    Ok(conn.query_optional("select 1 from erased_players limit 1", &[], |_| ())?.is_some())
}

/// For each of these, whether it opted out.
pub(crate) fn select(conn: &mut Conn, identities: &[Identity]) -> Result<Vec<bool>> {
    // Most stores have none: then nothing is hashed.
    if identities.is_empty() || !is_any(conn)? {
        return Ok(vec![false; identities.len()]);
    }
    let hashes: Vec<String> = identities.iter().map(|identity| identity.hash()).collect();
    let mut erased: HashSet<String> = HashSet::new();
    for batch in hashes.chunks(BATCH) {
        let mut values: Vec<Value> = batch.iter().map(|hash| Value::from(hash.as_str())).collect();
        let last = values[values.len() - 1].clone();
        values.resize(batch.len().next_power_of_two(), last);
        let sql = format!("select hash from erased_players where hash in ({})", placeholders(batch.len()));
        conn.for_each(&sql, &values, |row| {
            erased.insert(row.get(0));
        })?;
    }
    Ok(hashes.iter().map(|hash| erased.contains(hash)).collect())
}

/// Remembers that a player opted out.
pub(crate) fn add(conn: &mut Conn, identity: Identity, at: i64) -> Result<()> {
    conn.execute(
        "insert into erased_players (hash, erased_at) values ($1, $2) on conflict (hash) do nothing",
        values![identity.hash(), at],
    )?;
    Ok(())
}

/// Forgets that a player opted out, by UUID in its canonical form or else by name. False if they did not.
pub fn allow(conn: &mut Conn, uuid: Option<&str>, name: &str, author: &Author) -> Result<bool> {
    let identity = uuid.map_or(Identity::Name(name), Identity::Uuid);
    let is_removed = conn.execute("delete from erased_players where hash = $1", values![identity.hash()])? > 0;
    if is_removed {
        audit::log_account(conn, None, translatable("player allowed again"), "", author)?;
    }
    Ok(is_removed)
}
