//! Periodic upkeep of listings: pending servers reply or expire, deleted ones are removed, codes expire.

use std::sync::Arc;
use std::time::Duration;

use super::{Listings, owner_actions};
use crate::tracked_servers::{self, ServerError};
use rollcall_model::time::DAY;
use rollcall_store::audit::Author;
use rollcall_store::listings::{self, KEPT_AFTER_DELETION, ListingStatus, claims};
use rollcall_store::{Conn, servers};

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
        if answered.is_empty() && ended.is_empty() && !claims_expired {
            return Ok(());
        }
        let (media, author) = (self.media.clone(), Author::tracker(now));
        let work = move |conn: &mut Conn| {
            for listing in answered {
                let Some(server) = servers::listing_by_number(conn, listing.server_n)? else { continue };
                owner_actions::set_status(conn, &media, &server, (ListingStatus::Approved, ""), &author)?;
            }
            for slug in ended {
                tracked_servers::remove(conn, &slug, &author)?;
            }
            claims::delete_expired(conn, now).map_err(ServerError::from)
        };
        self.pool.try_write(work).await
    }
}
