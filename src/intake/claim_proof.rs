//! A report with the token of a claim: it proves ownership if it comes from the address that answers our pings.

use std::net::IpAddr;

use rollcall_model::clock::Clock;
use rollcall_model::message::translatable;
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
            Self::NeverAnswered => {
                translatable("The server has not replied to a ping yet: try again when its page says online")
            }
            Self::OtherAddress => translatable(
                "The report must come from the IP address at which the server replies to pings; prove the ownership by MOTD or TXT record instead",
            ),
            Self::SharedAddress => translatable(
                "Several servers share this IP address, so a report proves nothing; prove the ownership by MOTD or TXT record",
            ),
            Self::Disputed => translatable("Another account owns this server; a moderator will decide"),
        }
    }
}

/// Result of a report with the token of a claim.
pub struct SettledClaim {
    pub server: TokenServer,
    pub account_n: i64,
    pub username: String,
    /// Why the account is not the owner now.
    pub unproved: Option<UnprovedClaim>,
}

/// Settles the claim with this token, if there is one.
pub async fn settle(pool: &Pool, clock: &Clock, hash: String, client: IpAddr) -> Result<Option<SettledClaim>> {
    let now = clock.now();
    let Some(claim) = pool.read(move |conn| claims::by_token(conn, &hash, now)).await? else { return Ok(None) };
    let answers_from = claim.address.parse::<IpAddr>().map(|address| address.to_canonical());
    let unproved = match answers_from {
        Err(_) => Some(UnprovedClaim::NeverAnswered),
        Ok(address) if address != client.to_canonical() => Some(UnprovedClaim::OtherAddress),
        Ok(_) => claim.is_shared.then_some(UnprovedClaim::SharedAddress),
    };
    let server = TokenServer { n: claim.server_n, slug: claim.slug.clone(), is_archived: false };
    let settled = SettledClaim { server, account_n: claim.account_n, username: claim.username.clone(), unproved };
    if unproved.is_some() {
        return Ok(Some(settled));
    }
    let author = Author { name: claim.username.clone(), address: Some(client), at: now };
    let work =
        move |conn: &mut rollcall_store::Conn| conn.transaction(|conn| claims::grant_by_report(conn, &claim, &author));
    let unproved = match pool.write(work).await? {
        GrantOutcome::Granted => None,
        GrantOutcome::Disputed => Some(UnprovedClaim::Disputed),
    };
    Ok(Some(SettledClaim { unproved, ..settled }))
}
