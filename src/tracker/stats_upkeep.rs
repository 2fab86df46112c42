//! Recomputes uptime, trend and recent players of every server, and deletes old events.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use rollcall_model::clock::Clock;
use rollcall_store::server_stats::{self, StatsInputs};
use rollcall_store::{Conn, Pool, Result, events};

/// Every server is looked at this often, if that takes a small share of the time.
const INTERVAL: Duration = Duration::from_secs(60);
/// The rest after a batch, as a multiple of the time it took: the writer serves others, too.
const REST: u32 = 20;
/// Batches of old events deleted in a row: far more than are written meanwhile.
const EVENT_BATCHES: u32 = 20;

pub struct StatsUpkeep {
    pool: Pool,
    clock: Clock,
    /// Inputs of the stats of a batch, by its first row.
    known: HashMap<i64, StatsInputs>,
}

impl StatsUpkeep {
    pub fn new(pool: Pool, clock: Clock) -> Self {
        Self { pool, clock, known: HashMap::new() }
    }

    /// Works in batches until the service stops.
    pub async fn run(mut self) {
        let mut next = 1;
        loop {
            let began = Instant::now();
            let rounds = match self.refresh_batch(next).await {
                Ok(last) => {
                    next =
                        if next + server_stats::REFRESH_BATCH > last { 1 } else { next + server_stats::REFRESH_BATCH };
                    last / server_stats::REFRESH_BATCH + 1
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot refresh server stats");
                    1
                }
            };
            self.delete_expired_events().await;
            let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
            tokio::time::sleep((INTERVAL / rounds).max(began.elapsed() * REST)).await;
        }
    }

    /// Some with each batch, so that other writers need not wait long.
    async fn delete_expired_events(&self) {
        let now = self.clock.now();
        let (first_kept, oldest) = (events::first_kept(now), self.pool.read(events::oldest).await);
        // A read first: most of the time there is nothing to delete, and a transaction takes the write lock.
        if !matches!(oldest, Ok(Some(oldest)) if oldest < first_kept) {
            return;
        }
        for _ in 0..EVENT_BATCHES {
            match self.pool.write(move |conn| events::delete_expired(conn, now)).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return tracing::warn!(%error, "cannot delete old events"),
            }
        }
    }

    /// Recomputes the stats of a batch of servers from row `from` on, unless nothing they depend on changed. Returns the last row
    /// number.
    async fn refresh_batch(&mut self, from: i64) -> Result<i64> {
        let (to, now) = (from + server_stats::REFRESH_BATCH - 1, self.clock.now());
        let look =
            move |conn: &mut Conn| Ok((server_stats::max_server_n(conn)?, server_stats::inputs(conn, from, to, now)?));
        let (last, basis) = self.pool.read(look).await?;
        if self.known.get(&from) != Some(&basis) {
            // Computed on a reader: the writer is held only for what changed.
            let outdated = move |conn: &mut Conn| conn.batch_reads(|conn| server_stats::outdated(conn, from, to, now));
            let changed = self.pool.with_long_timeout().read(outdated).await?;
            if !changed.is_empty() {
                self.pool.write(move |conn| server_stats::update(conn, &changed)).await?;
            }
            self.known.insert(from, basis);
        }
        Ok(last)
    }
}
