//! Periodic upkeep of listings: pending servers reply or expire, deleted ones are removed, codes expire.

use std::sync::Arc;
use std::time::Duration;

use super::owner_actions::SAME_ADDRESS;
use super::{Listings, owner_actions};
use crate::tracked_servers::{self, ServerError};
use rollcall_minecraft::Edition;
use rollcall_model::time::DAY;
use rollcall_store::audit::Author;
use rollcall_store::listings::{
    self, AnsweredAt, AnsweredServer, KEPT_AFTER_DELETION, ListingStatus, WaitsFor, claims,
};
use rollcall_store::{Conn, revision, servers};

const INTERVAL: Duration = Duration::from_secs(1);
/// How long a server without an owner may wait for its first reply.
const MAX_WAIT: i64 = 7 * DAY;

impl Listings {
    /// Runs until the service stops.
    pub async fn keep_current(self: Arc<Self>) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            if let Err(error) = self.tidy().await {
                tracing::debug!(?error, "cannot update listings");
            }
        }
    }

    async fn tidy(&self) -> Result<(), ServerError> {
        let now = self.clock.now();
        let look = move |conn: &mut Conn| {
            let answered = listings::answered(conn)?;
            let mut ended = listings::never_answered(conn, now - MAX_WAIT)?;
            ended.extend(listings::deleted_before(conn, now - KEPT_AFTER_DELETION)?);
            Ok((answered, ended, claims::has_expired(conn, now)?))
        };
        // Most of the time there is nothing to write.
        let (answered, ended, claims_expired) = self.pool.read(look).await?;
        for server in answered {
            if let Err(error) = self.admit(server, now).await {
                tracing::debug!(?error, "cannot list a server that has replied");
            }
        }
        if ended.is_empty() && !claims_expired {
            return Ok(());
        }
        let author = Author::tracker(now);
        let work = move |conn: &mut Conn| {
            for slug in ended {
                tracked_servers::remove(conn, &slug, &author)?;
            }
            claims::delete_expired(conn, now).map_err(ServerError::from)
        };
        self.pool.try_write(work).await
    }

    /// Lists a pending server that has replied. If another one is listed at its address, a moderator decides: at the submission
    /// there was no reply to compare.
    async fn admit(&self, answered: AnsweredServer, now: i64) -> Result<(), ServerError> {
        let AnsweredServer { server_n, host, port, edition, ip } = answered;
        let reached = self.port_of(host, port, Edition::parse(&edition).unwrap_or_default()).await;
        let at = AnsweredAt { ip, ports: [port, reached], edition };
        let is_known = !self.at_same_address(&at, server_n).await?.is_empty();
        let (media, author) = (self.media.clone(), Author::tracker(now));
        let work = move |conn: &mut Conn| {
            // First: of two servers at one address, or of two nodes, the second sees what the first did.
            revision::bump(conn)?;
            let Some(listing) = listings::of_server(conn, server_n)? else { return Ok(()) };
            let Some(server) = servers::listing_by_number(conn, server_n)? else { return Ok(()) };
            if listing.waits_for != WaitsFor::Ping {
                return Ok(());
            }
            if is_known || !listings::at_same_address(conn, &at, server_n)?.is_empty() {
                return owner_actions::hold(conn, &media, (server_n, listing.submitted_by), SAME_ADDRESS, &author);
            }
            owner_actions::set_status(conn, &media, &server, (ListingStatus::Approved, ""), &author)
        };
        self.pool.try_write(work).await
    }
}
