//! Invitations: links that allow one sign-up where `accounts.sign_up` is `invitation`.

use rollcall_model::time::DAY;
use rollcall_model::token;
use rollcall_store::audit::Author;
use rollcall_store::{Conn, Result, invitations};

/// How long an invitation is valid unless the operator chooses otherwise.
pub const DEFAULT_DAYS: u16 = 7;

/// Creates an invitation and returns its link. Only a hash of the code is stored, so the link cannot be shown again.
pub fn create(conn: &mut Conn, public_url: &str, days: u16, author: &Author) -> Result<String> {
    let code = token::generate();
    invitations::add(conn, &token::hash(&code), author.at + i64::from(days) * DAY, author)?;
    Ok(format!("{public_url}/sign-up?invitation={code}"))
}
