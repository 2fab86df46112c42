//! What the service itself signs with. All machines over one store share it, so that what one signed another believes.

use super::{Conn, Error, Result};
use crate::values;
use rollcall_model::token;

/// Signs the challenges of the human check.
pub const HUMAN: &str = "human";
/// Bytes from the system's generator; kept as twice as many hexadecimal digits.
const BYTES: usize = 32;

pub fn get(conn: &mut Conn, name: &str) -> Result<Option<String>> {
    conn.first("select value from secrets where name = $1", values![name], |row| row.get(0))
}

/// The secret of human checks. One that is gone is not replaced without a word: every machine over the store must have
/// the same.
pub fn human(conn: &mut Conn) -> Result<String> {
    get(conn, HUMAN)?.filter(|secret| is_sound(secret)).ok_or_else(|| {
        Error::Unavailable(
            "the secret that signs human checks is missing from the store, or is shorter than 32 bytes; \
             `rollcall playground new-secret` makes a new one"
                .into(),
        )
    })
}

/// Makes a new one. What the old one signed is void from then on.
pub fn renew(conn: &mut Conn, name: &str) -> Result<()> {
    conn.execute(
        "insert into secrets (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
        values![name, token::generate()],
    )?;
    Ok(())
}

/// Whether a value is as long as those made here; a shorter one could be guessed.
pub fn is_sound(value: &str) -> bool {
    value.len() >= 2 * BYTES && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}
