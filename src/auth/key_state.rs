//! One key in this process: its reserved quota, and its usage since the last flush.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use tokio::sync::Notify;

use rollcall_model::quota::Limits;
use rollcall_model::quota::LocalQuota;
use rollcall_model::quota::QuotaAlert;
use rollcall_model::time::start_of_minute;
use rollcall_store::usage::{KeyUsage, UsageIncrement};

/// Outlives changes of the key, so that a new limit or secret does not reset the count.
pub struct KeyQuota {
    pub key_n: i64,
    state: Mutex<State>,
    /// Wakes requests that wait for a reservation.
    pub settled: Notify,
    /// Whether the ledger will flush it.
    scheduled: AtomicBool,
}

#[derive(Default)]
pub struct State {
    pub windows: LocalQuota,
    /// When the key was last used.
    pub limits: Option<Limits>,
    /// Requests of the quota that calls wait for.
    pub waiting: u32,
    /// Whether a reservation is under way.
    pub requested: bool,
    /// How often the ledger was asked while other processes return what they have not used.
    pub recall_rounds: u32,
    /// Failed reservations so far.
    pub failures: u64,
    last_used_at: i64,
    lines: Vec<UsageIncrement>,
    /// At most two for each window.
    recorded_alerts: Vec<QuotaAlert>,
}

impl KeyQuota {
    pub fn new(key_n: i64) -> Self {
        Self { key_n, state: Mutex::default(), settled: Notify::new(), scheduled: AtomicBool::new(false) }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics under this lock")
    }

    /// True for the caller that must add it to the flush list.
    pub fn schedule(&self) -> bool {
        // Reading first avoids a contended write for a busy key.
        !self.scheduled.load(Ordering::Acquire) && !self.scheduled.swap(true, Ordering::AcqRel)
    }

    pub fn unschedule(&self) {
        self.scheduled.store(false, Ordering::Release);
    }

    pub fn record(&self, outcome: RequestOutcome, now: i64) {
        self.state().record(outcome, now);
    }
}

/// The recorded part of a request. Endpoints and status classes are few, so usage rows stay few.
#[derive(Clone, Copy, Debug)]
pub struct RequestOutcome {
    pub endpoint: &'static str,
    pub status: u16,
    pub bytes: u64,
}

impl State {
    pub fn record(&mut self, outcome: RequestOutcome, now: i64) {
        self.last_used_at = self.last_used_at.max(now);
        self.add(UsageIncrement {
            minute: start_of_minute(now),
            endpoint: outcome.endpoint,
            status: status_class(outcome.status),
            requests: 1,
            bytes: i64::try_from(outcome.bytes).unwrap_or(i64::MAX),
        });
    }

    fn add(&mut self, line: UsageIncrement) {
        let is_same = |known: &&mut UsageIncrement| {
            (known.minute, known.endpoint, known.status) == (line.minute, line.endpoint, line.status)
        };
        match self.lines.iter_mut().find(is_same) {
            Some(known) => {
                known.requests += line.requests;
                known.bytes = known.bytes.saturating_add(line.bytes);
            }
            None => self.lines.push(line),
        }
    }

    /// Takes the usage to write; `None` when there is none.
    pub fn take_usage(&mut self, key_n: i64, now: i64) -> Option<KeyUsage> {
        let lines = std::mem::take(&mut self.lines);
        if lines.is_empty() {
            return None;
        }
        let is_new = |alert: &QuotaAlert| !self.recorded_alerts.iter().any(|known| known.is_same(alert));
        let due = self.limits.map(|limits| self.windows.alerts(limits, now).filter(is_new).collect());
        Some(KeyUsage { key_n, last_used_at: self.last_used_at, lines, alerts: due.unwrap_or_default() })
    }

    /// Remembers alerts that are stored, so that they are not written with every flush. Those of ended windows go.
    pub fn keep_alerts(&mut self, alerts: &[QuotaAlert]) {
        for alert in alerts {
            self.recorded_alerts.retain(|known| known.span != alert.span || known.window_start == alert.window_start);
            self.recorded_alerts.push(*alert);
        }
    }

    /// Returns usage that could not be written; the next flush retries it.
    pub fn return_usage(&mut self, used: KeyUsage) {
        used.lines.into_iter().for_each(|line| self.add(line));
    }
}

fn status_class(status: u16) -> &'static str {
    match status {
        429 => "429",
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        _ => "5xx",
    }
}
