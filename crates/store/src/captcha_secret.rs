//! The secret that signs captcha challenges. All machines of one store share it, so that each accepts the challenges of the
//! others.

use super::{Conn, Error, Result};
use crate::values;
use rollcall_model::token;

/// The name of the captcha secret.
pub const CAPTCHA: &str = "human";
/// Random bytes of a secret; it is stored as hexadecimal digits.
const BYTES: usize = 32;

pub fn get(conn: &mut Conn, name: &str) -> Result<Option<String>> {
    conn.query_optional("select value from secrets where name = $1", values![name], |row| row.get(0))
}

/// A missing secret is an error and is not replaced silently: every machine must use the same one.
pub fn get_captcha(conn: &mut Conn) -> Result<String> {
    get(conn, CAPTCHA)?.filter(|secret| is_valid(secret)).ok_or_else(|| {
        Error::Unavailable(
            "the captcha secret is missing from the store or shorter than 32 bytes; \
             `rollcall playground new-secret` creates a new one"
                .into(),
        )
    })
}

/// Replaces the secret. Challenges signed with the old one become invalid.
pub fn replace(conn: &mut Conn, name: &str) -> Result<()> {
    conn.execute(
        "insert into secrets (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
        values![name, token::generate()],
    )?;
    Ok(())
}

/// Whether a value is long enough not to be guessed.
pub fn is_valid(value: &str) -> bool {
    value.len() >= 2 * BYTES && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}
