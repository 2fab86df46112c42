//! Creating an account by signing up.

use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::audit::Author;
use rollcall_store::{Conn, Result, invitations};

pub enum Registration {
    /// The number of the new account.
    Created(i64),
    NameTaken,
    InvitationInvalid,
}

/// Creates the account and spends the invitation, if one is needed. Runs in the caller's transaction: a name that is taken
/// does not use up the invitation.
pub fn register(
    conn: &mut Conn,
    new: &NewAccount,
    invitation_hash: Option<&str>,
    author: &Author,
) -> Result<Registration> {
    if let Some(hash) = invitation_hash
        && !invitations::lock_if_valid(conn, hash, author.at)?
    {
        return Ok(Registration::InvitationInvalid);
    }
    let Some(n) = accounts::create(conn, new, author)? else {
        return Ok(Registration::NameTaken);
    };
    if let Some(hash) = invitation_hash {
        invitations::spend(conn, hash)?;
    }
    Ok(Registration::Created(n))
}
