//! What the service itself signs with. All machines over one store share it, so that what one signed another believes.

use super::{Conn, Result};
use crate::values;

/// Signs the challenges of the human check.
pub const HUMAN: &str = "human";
/// Bytes from the system's generator; kept as twice as many hexadecimal digits.
const BYTES: usize = 32;

pub fn get(conn: &mut Conn, name: &str) -> Result<Option<String>> {
    conn.first("select value from secrets where name = $1", values![name], |row| row.get(0))
}

/// Makes a new one. What the old one signed is void from then on.
pub fn renew(conn: &mut Conn, name: &str) -> Result<()> {
    conn.execute(
        "insert into secrets (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
        values![name, random_hex()],
    )?;
    Ok(())
}

/// Whether a value is as long as those made here; a shorter one could be guessed.
pub fn is_sound(value: &str) -> bool {
    value.len() >= 2 * BYTES && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// 32 random bytes, in hexadecimal.
pub fn random_hex() -> String {
    let bytes: [u8; BYTES] = rand::random();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
