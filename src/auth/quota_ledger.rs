//! Reserves quota in the store before it is used, so that a crash never gives any back, and flushes usage. One task does
//! both for all keys, so that concurrent reservations share one commit.
//!
//! When a window is full although other processes hold requests they have not used, the ledger asks them (a recall) and waits a
//! moment before it lets a request be refused.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::MissedTickBehavior;

use super::key_state::KeyQuota;
use rollcall_model::clock::Clock;
use rollcall_model::quota::{LocalQuota, QuotaCounts, RecallRound, Reservation, ReservationRequest};
use rollcall_model::time::{HOUR, start_of_month};
use rollcall_store::usage::KeyUsage;
use rollcall_store::{Conn, EarlierRun, Pool, Result, key_quota, usage};

pub struct QuotaLedger {
    pool: Pool,
    clock: Clock,
    /// Names this process in the ledger; positive.
    process: i64,
    /// Keys that wait for a reservation.
    requests: Mutex<Vec<Arc<KeyQuota>>>,
    /// Keys that wait for what other processes return.
    recalls: Mutex<Vec<Arc<KeyQuota>>>,
    /// Calls that ask what is used of a quota.
    reports: Mutex<Vec<(Arc<KeyQuota>, oneshot::Sender<QuotaCounts>)>>,
    /// Keys with a reservation or with usage to flush.
    flush_list: Mutex<Vec<Arc<KeyQuota>>>,
    wake: Notify,
    is_failing: AtomicBool,
}

/// How often usage is written and idle reservations are released. A crash may cost a second of both.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
/// How often the ledger is asked what other processes wait for, and how often a process asks for what others return before it
/// takes a full window as final.
const RECALL_INTERVAL: Duration = Duration::from_millis(100);
const RECALL_ROUNDS: u32 = 5;
/// Keys per transaction, so that one key never waits for all the others.
const BATCH: usize = 256;
/// Usage is kept for the current month and this many before it.
const MONTHS_KEPT: usize = 13;
const PRUNE_INTERVAL: i64 = HOUR;

const UNPOISONED: &str = "nothing panics under this lock";

impl QuotaLedger {
    pub fn new(pool: Pool, clock: Clock) -> Self {
        Self {
            pool,
            clock,
            process: rand::random_range(1..=i64::MAX),
            requests: Mutex::default(),
            recalls: Mutex::default(),
            reports: Mutex::default(),
            flush_list: Mutex::default(),
            wake: Notify::new(),
            is_failing: AtomicBool::new(false),
        }
    }

    /// Requests a reservation. `KeyQuota::settled` is notified when it is done.
    pub fn request(&self, key: &Arc<KeyQuota>) {
        self.requests.lock().expect(UNPOISONED).push(key.clone());
        self.wake.notify_one();
    }

    /// Includes the key in the next flush.
    pub fn schedule_flush(&self, key: &Arc<KeyQuota>) {
        if key.schedule() {
            self.flush_list.lock().expect(UNPOISONED).push(key.clone());
        }
    }

    /// What is used of a key's quota, without what this process has reserved ahead; `None` if the store cannot be read.
    pub async fn used(&self, key: &Arc<KeyQuota>) -> Option<QuotaCounts> {
        let (send, receive) = oneshot::channel();
        self.reports.lock().expect(UNPOISONED).push((key.clone(), send));
        self.wake.notify_one();
        receive.await.ok()
    }

    /// Whether the last write succeeded.
    pub fn is_healthy(&self) -> bool {
        !self.is_failing.load(Ordering::Relaxed)
    }

    /// Runs until `stop`, then flushes all usage and releases all reservations.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut tick = tokio::time::interval(FLUSH_INTERVAL);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut recall_tick = tokio::time::interval(RECALL_INTERVAL);
        recall_tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut pruned_at = None;
        loop {
            tokio::select! {
                () = &mut stop => break,
                () = self.wake.notified() => {
                    self.reserve().await;
                    self.answer_reports().await;
                }
                _ = recall_tick.tick() => {
                    self.answer_recalls().await;
                    self.resume_recalls();
                    self.reserve().await;
                }
                _ = tick.tick() => {
                    self.reserve().await;
                    self.keep_up(&mut pruned_at).await;
                }
            }
        }
        self.resume_recalls();
        self.reserve().await;
        self.flush(|_, _| true).await;
    }

    async fn keep_up(&self, pruned_at: &mut Option<i64>) {
        if !self.is_healthy() {
            // No request may come while it is known to be down, so it must probe by itself.
            self.log_outage(self.pool.write(usage::check_writable).await);
        }
        self.flush(LocalQuota::is_idle).await;
        self.prune(pruned_at).await;
    }

    /// Returns the reservations that other processes wait for.
    async fn answer_recalls(&self) {
        if self.flush_list.lock().expect(UNPOISONED).is_empty() {
            return;
        }
        // An outage is noticed by the next write.
        let Ok(recalled) = self.pool.read(key_quota::recalled).await else { return };
        if recalled.is_empty() {
            return;
        }
        let mut held = self.flush_list.lock().expect(UNPOISONED).clone();
        held.retain(|key| recalled.binary_search(&key.key_n).is_ok() && key.state().windows.has_unused());
        held.sort_by_key(|key| key.key_n);
        for keys in held.chunks(BATCH) {
            let release = |key: &Arc<KeyQuota>| {
                let state = &mut *key.state();
                state.limits.and_then(|limits| state.windows.release(key.key_n, limits))
            };
            self.settle(keys, keys.iter().filter_map(release).collect(), Vec::new()).await;
        }
    }

    /// Asks again for the keys that wait for what others return.
    fn resume_recalls(&self) {
        let mut recalls = std::mem::take(&mut *self.recalls.lock().expect(UNPOISONED));
        self.requests.lock().expect(UNPOISONED).append(&mut recalls);
    }

    async fn reserve(&self) {
        let mut requests = std::mem::take(&mut *self.requests.lock().expect(UNPOISONED));
        requests.sort_by_key(|key| key.key_n);
        for keys in requests.chunks(BATCH) {
            let now = self.clock.now();
            let claims = keys.iter().filter_map(|key| {
                let state = &mut *key.state();
                let (waiting, recall) = (state.waiting, recall_round(state.recall_rounds));
                state.limits.map(|limits| state.windows.request(key.key_n, limits, waiting, recall, now))
            });
            let grants = self.settle(keys, claims.collect(), Vec::new()).await;
            for key in keys {
                let must_wait = |grant: &Reservation| grant.key_n == key.key_n && grant.must_wait && grant.count == 0;
                match grants.iter().any(must_wait) {
                    true => self.wait_for_others(key),
                    false => self.wake_waiting(key),
                }
            }
        }
    }

    /// In this task no reservation is under way, so that the stored counts and those in memory belong together.
    async fn answer_reports(&self) {
        let reports = std::mem::take(&mut *self.reports.lock().expect(UNPOISONED));
        if reports.is_empty() {
            return;
        }
        let keys: Vec<i64> = reports.iter().map(|(key, _)| key.key_n).collect();
        let read = move |conn: &mut Conn| keys.iter().map(|n| key_quota::counts(conn, *n)).collect::<Result<Vec<_>>>();
        // Without an answer the calls fail.
        let Some(counts) = self.log_outage(self.pool.read(read).await) else { return };
        for ((key, send), counts) in reports.into_iter().zip(counts) {
            let _ = send.send(counts.subtract(key.state().windows.unused()));
        }
    }

    fn wait_for_others(&self, key: &Arc<KeyQuota>) {
        key.state().recall_rounds += 1;
        self.recalls.lock().expect(UNPOISONED).push(key.clone());
    }

    fn wake_waiting(&self, key: &Arc<KeyQuota>) {
        let mut state = key.state();
        // Requests that came meanwhile and still find nothing request again.
        (state.requested, state.waiting, state.recall_rounds) = (false, 0, 0);
        drop(state);
        key.settled.notify_waiters();
        self.schedule_flush(key);
    }

    /// Writes usage, and releases the reservations that are `over`.
    async fn flush(&self, over: impl Fn(&LocalQuota, i64) -> bool) {
        let mut flush_list = std::mem::take(&mut *self.flush_list.lock().expect(UNPOISONED));
        flush_list.sort_by_key(|key| key.key_n);
        for keys in flush_list.chunks(BATCH) {
            let now = self.clock.now();
            let (mut claims, mut used) = (Vec::new(), Vec::new());
            for key in keys {
                key.unschedule();
                let state = &mut *key.state();
                used.extend(state.take_usage(key.key_n, now));
                if over(&state.windows, now) {
                    claims.extend(state.limits.and_then(|limits| state.windows.release(key.key_n, limits)));
                }
                if state.windows.has_unused() {
                    self.schedule_flush(key);
                }
            }
            if !claims.is_empty() || !used.is_empty() {
                self.settle(keys, claims, used).await;
            }
        }
    }

    /// One transaction for a batch of keys. What is certainly not stored is returned to its key. A transaction that may be stored
    /// is not repeated: requests that were given back twice would be admitted twice.
    async fn settle(
        &self,
        keys: &[Arc<KeyQuota>],
        claims: Vec<ReservationRequest>,
        used: Vec<KeyUsage>,
    ) -> Vec<Reservation> {
        let key = |key_n: i64| {
            let place = keys.binary_search_by_key(&key_n, |key| key.key_n);
            &keys[place.expect("claims and usage come from these keys")]
        };
        let (mut sent, clock, process) = ((claims.clone(), used.clone()), self.clock.clone(), self.process);
        let outcome = self.pool.write_repeatable(move |conn, earlier| {
            match earlier {
                EarlierRun::NothingStored => usage::add(conn, &sent.1)?,
                // The reservation is lost, and stays counted.
                EarlierRun::Stored => sent.0.iter_mut().for_each(|claim| claim.unused.clear()),
            }
            key_quota::settle(conn, process, &sent.0, clock.now())
        });
        let outcome = outcome.await;
        let may_be_stored = outcome.as_ref().is_err_and(|failed| failed.may_be_stored);
        match self.log_outage(outcome.map_err(|failed| failed.error)) {
            Some(grants) => {
                let now = self.clock.now();
                for grant in &grants {
                    key(grant.key_n).state().windows.apply(grant, now);
                }
                for used in used.iter().filter(|used| !used.alerts.is_empty()) {
                    key(used.key_n).state().keep_alerts(&used.alerts);
                }
                grants
            }
            None => {
                for claim in claims {
                    let key = key(claim.key_n);
                    let state = &mut *key.state();
                    state.failures += 1;
                    if !may_be_stored {
                        state.windows.restore(claim);
                    }
                    self.schedule_flush(key);
                }
                for used in used.into_iter().filter(|_| !may_be_stored) {
                    let key = key(used.key_n);
                    key.state().return_usage(used);
                    self.schedule_flush(key);
                }
                Vec::new()
            }
        }
    }

    async fn prune(&self, pruned_at: &mut Option<i64>) {
        let now = self.clock.now();
        if pruned_at.is_some_and(|at| (now - at).abs() < PRUNE_INTERVAL) {
            return;
        }
        self.log_outage(self.pool.write(move |conn| usage::delete_old_minutes(conn, now)).await);
        let before = (0..MONTHS_KEPT).fold(start_of_month(now), |month, _| start_of_month(month - 1));
        let more = self.log_outage(self.pool.write(move |conn| usage::delete_older_than(conn, before)).await);
        if more == Some(false) {
            *pruned_at = Some(now);
        }
    }

    /// Logs the start and the end of an outage once each.
    fn log_outage<T>(&self, outcome: Result<T>) -> Option<T> {
        match outcome {
            Ok(value) => {
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("quota and usage can be written again");
                }
                Some(value)
            }
            Err(error) => {
                if !self.is_failing.swap(true, Ordering::Relaxed) {
                    tracing::error!(%error, "cannot write quota and usage; keys without a reservation get a 503");
                }
                None
            }
        }
    }
}

fn recall_round(rounds: u32) -> RecallRound {
    match rounds {
        0 => RecallRound::First,
        1..RECALL_ROUNDS => RecallRound::Waiting,
        _ => RecallRound::Last,
    }
}
