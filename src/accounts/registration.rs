//! Creating an account by signing up.

use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::audit::Author;
use rollcall_store::{Conn, Result, held_usernames, invitations, revision};

pub enum Registration {
    /// The number of the new account.
    Created(i64),
    NameTaken,
    InvitationInvalid,
}

/// A name that a moderator must see before the account gets it.
pub struct HeldName<'a> {
    pub name: &'a str,
    pub why: &'a str,
}

/// Creates the account and spends the invitation, if one is needed. Runs in the caller's transaction: a name that is taken
/// does not use up the invitation.
pub fn register(
    conn: &mut Conn,
    new: &NewAccount,
    held: Option<&HeldName>,
    invitation_hash: Option<&str>,
    author: &Author,
) -> Result<Registration> {
    // First: of two who want one name at the same time, the second sees the first.
    if held.is_some() {
        revision::bump(conn)?;
    }
    if let Some(hash) = invitation_hash
        && !invitations::lock_if_valid(conn, hash, author.at)?
    {
        return Ok(Registration::InvitationInvalid);
    }
    let wanted = held.map_or(new.username, |held| held.name);
    if held_usernames::waiting_for(conn, wanted)?.is_some() || accounts::find_name(conn, wanted)?.is_some() {
        return Ok(Registration::NameTaken);
    }
    let Some(n) = accounts::create(conn, new, author)? else {
        return Ok(Registration::NameTaken);
    };
    if let Some(held) = held {
        held_usernames::hold(conn, n, held.name, held.why, author.at)?;
    }
    if let Some(hash) = invitation_hash {
        invitations::spend(conn, hash)?;
    }
    Ok(Registration::Created(n))
}
