//! A report with the token of a claim: it proves ownership if it comes from the address that answers our pings.

use std::net::IpAddr;

use rollcall_model::clock::Clock;
use rollcall_store::audit::Author;
use rollcall_store::listings::claims::{self, GrantOutcome};
use rollcall_store::server_tokens::TokenServer;
use rollcall_store::{Pool, Result};

/// Why a report does not prove a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnprovedClaim {
    /// The server has never replied to a ping.
    NeverAnswered,
    /// The report came from another address than the replies.
    OtherAddress,
    /// Several servers reply from this address.
    SharedAddress,
    /// Another account owns the server.
    Disputed,
}

impl UnprovedClaim {
    pub fn message(self) -> &'static str {
        match self {
            Self::NeverAnswered => "The server has not replied to a ping yet: try again when its page says online",
            Self::OtherAddress => {
                "The report must come from the address at which the server replies to pings; prove the ownership by MOTD or \
                 TXT record instead"
            }
            Self::SharedAddress => {
                "Several servers share this address, so a report proves nothing; prove the ownership by MOTD or TXT record"
            }
            Self::Disputed => "Another account owns this server; a moderator will decide",
        }
    }
}

/// Settles the claim with this token, if there is one.
pub async fn settle(
    pool: &Pool,
    clock: &Clock,
    hash: String,
    client: IpAddr,
) -> Result<Option<std::result::Result<TokenServer, UnprovedClaim>>> {
    let now = clock.now();
    let Some(claim) = pool.read(move |conn| claims::by_token(conn, &hash, now)).await? else { return Ok(None) };
    let answers_from = claim.address.parse::<IpAddr>().map(|address| address.to_canonical());
    let unproved = match answers_from {
        Err(_) => Some(UnprovedClaim::NeverAnswered),
        Ok(address) if address != client.to_canonical() => Some(UnprovedClaim::OtherAddress),
        Ok(_) => claim.is_shared.then_some(UnprovedClaim::SharedAddress),
    };
    if let Some(unproved) = unproved {
        return Ok(Some(Err(unproved)));
    }
    let author = Author { name: claim.username.clone(), address: Some(client), at: now };
    let server = TokenServer { n: claim.server_n, slug: claim.slug.clone() };
    let work =
        move |conn: &mut rollcall_store::Conn| conn.transaction(|conn| claims::grant_by_report(conn, &claim, &author));
    Ok(Some(match pool.write(work).await? {
        GrantOutcome::Granted => Ok(server),
        GrantOutcome::Disputed => Err(UnprovedClaim::Disputed),
    }))
}
