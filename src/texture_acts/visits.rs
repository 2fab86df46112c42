//! Views and downloads, counted in memory and written in batches, so that a page never waits for the store.

use std::collections::HashSet;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::limits::{AttemptLimiter, bucket};
use rollcall_model::clock::Clock;
use rollcall_model::time::{HOUR, MINUTE, start_of_day};
use rollcall_store::texture_acts::visits::{self, Visit, VisitKind, Visitor};
use rollcall_store::{Pool, Result};

/// How often visits are written. A crash may cost this and the time of the write.
const FLUSH_INTERVAL: Duration = Duration::from_millis(400);
/// Visits in one transaction.
const BATCH: usize = 256;
/// Visits that wait; more are not counted. Reached only while the store is down.
const MAX_PENDING: usize = 32_768;
/// Visits of today that are known to be counted. When full, it starts again: the store knows them all.
const MAX_KNOWN: usize = 262_144;
/// Visits of one address that are counted within a minute: a crawler adds little, a person never has more.
const COUNTED_PER_MINUTE: u32 = 120;
/// How often expired rows are deleted, in milliseconds.
const UPKEEP_INTERVAL: i64 = HOUR;

/// A visit as a request shows it.
#[derive(Clone, Copy, Debug)]
pub struct ClientVisit {
    pub texture_n: i64,
    pub kind: VisitKind,
    /// The account of a signed-in visitor.
    pub account_n: Option<i64>,
    pub client: IpAddr,
}

pub struct VisitCounter {
    pool: Pool,
    clock: Clock,
    per_address: AttemptLimiter<IpAddr>,
    hasher: RandomState,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    day: i64,
    /// Hashes of the visits of the day: two with the same hash would count once, which does not matter.
    known: HashSet<u64>,
    pending: Vec<Visit>,
    /// Visits that were not counted, because too many were pending.
    dropped: u64,
}

impl State {
    /// Warns of the first one only; the end of the outage says how many they were.
    fn drop_visits(&mut self, visits: u64) {
        if self.dropped == 0 && visits > 0 {
            tracing::warn!(
                pending = MAX_PENDING,
                "too many views and downloads wait for the store; more are not counted"
            );
        }
        self.dropped += visits;
    }
}

impl VisitCounter {
    pub fn new(pool: Pool, clock: Clock) -> Self {
        Self {
            pool,
            clock,
            per_address: AttemptLimiter::new(COUNTED_PER_MINUTE, MINUTE),
            hasher: RandomState::new(),
            state: Mutex::default(),
        }
    }

    /// Counts a visit, unless the visitor was here today. Never waits for the store.
    pub fn count(&self, visit: ClientVisit) {
        let now = self.clock.now();
        let network = bucket(visit.client);
        let who = visit.account_n.ok_or(network);
        let hash = self.hasher.hash_one((visit.texture_n, visit.kind, who));
        let mut state = self.state();
        let day = start_of_day(now);
        if state.day != day {
            state.day = day;
            state.known.clear();
        }
        if state.known.contains(&hash) || self.per_address.take(network, now).is_err() {
            return;
        }
        if state.pending.len() >= MAX_PENDING {
            state.drop_visits(1);
            return;
        }
        if state.known.len() >= MAX_KNOWN {
            state.known.clear();
        }
        state.known.insert(hash);
        let visitor = match visit.account_n {
            Some(n) => Visitor::Account(n),
            None => Visitor::Address(network.to_string()),
        };
        state.pending.push(Visit { texture_n: visit.texture_n, kind: visit.kind, visitor, at: now });
    }

    /// Writes visits until `stop`, then those that are pending.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut tick = tokio::time::interval(FLUSH_INTERVAL);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut is_failing, mut cleaned_at) = (false, None::<i64>);
        loop {
            tokio::select! {
                () = &mut stop => break,
                _ = tick.tick() => {}
            }
            let now = self.clock.now();
            let mut outcome = self.flush().await;
            if outcome.is_ok() && cleaned_at.is_none_or(|at| (now - at).abs() >= UPKEEP_INTERVAL) {
                cleaned_at = Some(now);
                outcome = self.delete_expired(now).await;
            }
            match outcome {
                Ok(()) => is_failing = false,
                Err(error) if !is_failing => {
                    is_failing = true;
                    tracing::warn!(%error, "cannot write views and downloads; trying again");
                }
                Err(_) => {}
            }
        }
        if let Err(error) = self.flush().await {
            tracing::warn!(%error, "views and downloads of the last moments are lost");
        }
    }

    /// Writes all that is pending. What cannot be written waits for the next time; counting it twice changes nothing.
    async fn flush(&self) -> Result<()> {
        let mut pending = std::mem::take(&mut self.state().pending);
        while !pending.is_empty() {
            let batch: Vec<Visit> = pending[..pending.len().min(BATCH)].to_vec();
            let written = batch.len();
            if let Err(error) = self.pool.write(move |conn| visits::count(conn, &batch)).await {
                let mut state = self.state();
                pending.append(&mut state.pending);
                let excess = pending.len().saturating_sub(MAX_PENDING);
                pending.truncate(MAX_PENDING);
                state.pending = pending;
                state.drop_visits(excess as u64);
                return Err(error);
            }
            pending.drain(..written);
        }
        let dropped = std::mem::take(&mut self.state().dropped);
        if dropped > 0 {
            tracing::warn!(dropped, "views and downloads are written again; some were not counted");
        }
        Ok(())
    }

    async fn delete_expired(&self, now: i64) -> Result<()> {
        // Most of the time there is nothing to write.
        if self.pool.read(move |conn| visits::has_expired(conn, now)).await? {
            self.pool.write(move |conn| visits::delete_expired(conn, now)).await?;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics under this lock")
    }
}
