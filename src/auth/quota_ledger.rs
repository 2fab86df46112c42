//! Reserves quota before it is used, so that no crash gives any back, and writes down what keys were used for. One
//! task does both, for all keys: those who come at the same time share one commit.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::MissedTickBehavior;

use super::key_quota::Meter;
use rollcall_model::clock::Clock;
use rollcall_model::quota::{Claim, Windows};
use rollcall_model::time::{HOUR, start_of_month};
use rollcall_store::usage::Used;
use rollcall_store::{Pool, Result, key_quota, usage};

pub struct Ledger {
    pool: Pool,
    clock: Clock,
    /// Those that wait for a reservation.
    asking: Mutex<Vec<Arc<Meter>>>,
    /// Those that hold a reservation, or use that is not written yet.
    listed: Mutex<Vec<Arc<Meter>>>,
    wake: Notify,
    troubled: AtomicBool,
}

/// How often use is written and idle reservations go back; half of the second that a crash may cost.
const WRITE_EVERY: Duration = Duration::from_millis(500);
/// Keys in one transaction, so that those who wait never wait for all the others.
const AT_ONCE: usize = 256;
/// Use is kept for the running month and so many before it.
const MONTHS_KEPT: usize = 13;
/// How often old use is looked for.
const FORGET_EVERY: i64 = HOUR;

const UNPOISONED: &str = "nothing panics under this lock";

impl Ledger {
    pub fn new(pool: Pool, clock: Clock) -> Self {
        Self {
            pool,
            clock,
            asking: Mutex::default(),
            listed: Mutex::default(),
            wake: Notify::new(),
            troubled: AtomicBool::new(false),
        }
    }

    /// Has a reservation made. Whoever waits for it is woken by the meter.
    pub fn ask(&self, meter: &Arc<Meter>) {
        self.asking.lock().expect(UNPOISONED).push(meter.clone());
        self.wake.notify_one();
    }

    /// Has the meter looked at when use is next written.
    pub fn list(&self, meter: &Arc<Meter>) {
        if meter.list() {
            self.listed.lock().expect(UNPOISONED).push(meter.clone());
        }
    }

    /// Whether it could be written when that was last tried.
    pub fn is_well(&self) -> bool {
        !self.troubled.load(Ordering::Relaxed)
    }

    /// Works until `stop`, then writes all that is known and gives back all that is reserved.
    pub async fn keep(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut tick = tokio::time::interval(WRITE_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut forgot_at = None;
        loop {
            let due = tokio::select! {
                () = &mut stop => break,
                () = self.wake.notified() => false,
                _ = tick.tick() => true,
            };
            self.reserve().await;
            if due {
                if !self.is_well() {
                    // Nobody may come while it is known to be down, so it must find out by itself.
                    self.noting_trouble(self.pool.write(usage::probe).await);
                }
                self.write(Windows::is_idle).await;
                self.forget(&mut forgot_at).await;
            }
        }
        self.reserve().await;
        self.write(|_, _| true).await;
    }

    async fn reserve(&self) {
        let mut asking = std::mem::take(&mut *self.asking.lock().expect(UNPOISONED));
        asking.sort_by_key(|meter| meter.key_n);
        for meters in asking.chunks(AT_ONCE) {
            let now = self.clock.now();
            let claims = meters.iter().filter_map(|meter| {
                let state = &mut *meter.state();
                let waiting = std::mem::take(&mut state.waiting);
                state.limits.map(|limits| state.windows.claim(meter.key_n, limits, waiting, now))
            });
            self.settle(meters, claims.collect(), Vec::new()).await;
            for meter in meters {
                let mut state = meter.state();
                // Who came meanwhile and still finds nothing asks again.
                (state.asked, state.waiting) = (false, 0);
                drop(state);
                meter.settled.notify_waiters();
                self.list(meter);
            }
        }
    }

    /// Writes what keys were used for, and gives back the reservations that are `over`.
    async fn write(&self, over: impl Fn(&Windows, i64) -> bool) {
        let mut listed = std::mem::take(&mut *self.listed.lock().expect(UNPOISONED));
        listed.sort_by_key(|meter| meter.key_n);
        for meters in listed.chunks(AT_ONCE) {
            let now = self.clock.now();
            let (mut claims, mut used) = (Vec::new(), Vec::new());
            for meter in meters {
                meter.unlist();
                let state = &mut *meter.state();
                used.extend(state.take_used(meter.key_n));
                if over(&state.windows, now) {
                    claims.extend(state.limits.and_then(|limits| state.windows.release(meter.key_n, limits)));
                }
                if state.windows.is_holding() {
                    self.list(meter);
                }
            }
            if !claims.is_empty() || !used.is_empty() {
                self.settle(meters, claims, used).await;
            }
        }
    }

    /// One transaction for some keys. What could not be written is put back where it came from.
    async fn settle(&self, meters: &[Arc<Meter>], claims: Vec<Claim>, used: Vec<Used>) {
        let meter = |key_n: i64| {
            let place = meters.binary_search_by_key(&key_n, |meter| meter.key_n);
            &meters[place.expect("claims and use come from these meters")]
        };
        let (sent, clock) = ((claims.clone(), used.clone()), self.clock.clone());
        let outcome = self.pool.write(move |conn| {
            usage::add(conn, &sent.1)?;
            key_quota::settle(conn, &sent.0, clock.now())
        });
        match self.noting_trouble(outcome.await) {
            Some(grants) => {
                let now = self.clock.now();
                for grant in grants {
                    meter(grant.key_n).state().windows.granted(&grant, now);
                }
            }
            None => {
                for claim in claims {
                    let meter = meter(claim.key_n);
                    let state = &mut *meter.state();
                    state.failures += 1;
                    state.windows.refused(claim);
                    self.list(meter);
                }
                for used in used {
                    let meter = meter(used.key_n);
                    meter.state().put_back(used);
                    self.list(meter);
                }
            }
        }
    }

    async fn forget(&self, forgot_at: &mut Option<i64>) {
        let now = self.clock.now();
        if forgot_at.is_some_and(|at| (now - at).abs() < FORGET_EVERY) {
            return;
        }
        let before = (0..MONTHS_KEPT).fold(start_of_month(now), |month, _| start_of_month(month - 1));
        let more = self.noting_trouble(self.pool.write(move |conn| usage::forget(conn, before)).await);
        if more == Some(false) {
            *forgot_at = Some(now);
        }
    }

    /// Says once that the ledger cannot be written, and once that it can again.
    fn noting_trouble<T>(&self, outcome: Result<T>) -> Option<T> {
        match outcome {
            Ok(value) => {
                if self.troubled.swap(false, Ordering::Relaxed) {
                    tracing::info!("limits and usage can be written again");
                }
                Some(value)
            }
            Err(error) => {
                if !self.troubled.swap(true, Ordering::Relaxed) {
                    tracing::error!(%error, "limits and usage cannot be written; keys without a reservation get a 503");
                }
                None
            }
        }
    }
}
