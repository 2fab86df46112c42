//! Request quotas of an API key: fixed windows for the clock minute, the UTC day and the calendar month. A request is
//! admitted only if all three windows have quota left; a refused request uses none.
//!
//! Several processes share one key. Each reserves a few requests ahead in the ledger database and admits requests from its
//! reservation. A process that finds a window full asks the others for what they have not used before it refuses a request.
//! This module holds the rules only: time is an argument, and the store makes reservations durable.

use crate::time::{DAY, HOUR, MINUTE, SECOND, next_month, start_of_day, start_of_minute, start_of_month};
use serde::Deserialize;

/// Requests allowed per window.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub per_minute: u32,
    pub per_day: u32,
    pub per_month: u32,
}

/// The start of a window and the requests counted in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaWindow {
    pub start: i64,
    pub used: u32,
}

/// A clock that steps back by less than this stays in the later windows. A larger step means that the clock was wrong
/// before; the key must not stay locked out until that wrong time comes.
const MAX_CLOCK_STEP_BACK: i64 = HOUR;

impl QuotaWindow {
    /// Resets the count when the clock has left the window. A small step back keeps the later window, so that it never
    /// gives quota back.
    fn roll_over(&mut self, start: i64, now: i64) {
        if start > self.start || self.start > now + MAX_CLOCK_STEP_BACK {
            *self = Self { start, used: 0 };
        }
    }

    /// Returns unused requests to the window they were reserved in; a window that has ended needs none back.
    fn give_back(&mut self, reserved: Self, count: u32) {
        if self.start == reserved.start {
            self.used = self.used.saturating_sub(count);
        }
    }
}

/// The three windows of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaCounts {
    pub minute: QuotaWindow,
    pub day: QuotaWindow,
    pub month: QuotaWindow,
}

impl QuotaCounts {
    /// These counts with the windows of `now`.
    pub fn at(mut self, now: i64) -> Self {
        // The same minute implies the same day and month.
        if (self.minute.start..self.minute.start + MINUTE).contains(&now) {
            return self;
        }
        self.minute.roll_over(start_of_minute(now), now);
        self.day.roll_over(start_of_day(now), now);
        self.month.roll_over(start_of_month(now), now);
        self
    }

    /// Admits one request without a reservation. If a window is full, the counts stay as they are and the status has a
    /// `retry_after`.
    pub fn admit_one(self, limits: Limits, now: i64) -> (Self, QuotaStatus) {
        let counts = self.at(now);
        match counts.full_until(limits) {
            Some(end) => (counts, counts.status(limits, Some(seconds_until(end, now)))),
            None => (counts.add(1), counts.add(1).status(limits, None)),
        }
    }

    fn same_windows(&self, other: &Self) -> bool {
        let starts = |counts: &Self| (counts.minute.start, counts.day.start, counts.month.start);
        starts(self) == starts(other)
    }

    fn subtract(mut self, count: u32) -> Self {
        for window in [&mut self.minute, &mut self.day, &mut self.month] {
            window.used = window.used.saturating_sub(count);
        }
        self
    }

    fn add(mut self, count: u32) -> Self {
        for window in [&mut self.minute, &mut self.day, &mut self.month] {
            window.used = window.used.saturating_add(count);
        }
        self
    }

    fn give_back(mut self, reserved: &Self, count: u32) -> Self {
        self.minute.give_back(reserved.minute, count);
        self.day.give_back(reserved.day, count);
        self.month.give_back(reserved.month, count);
        self
    }

    fn remaining(&self, limits: Limits) -> u32 {
        let status = self.status(limits, None);
        status.remaining_minute.min(status.remaining_day).min(status.remaining_month)
    }

    /// When the next request is certain to be admitted; `None` if it is now. The longest full window decides, because the
    /// shorter ones end within it.
    fn full_until(&self, limits: Limits) -> Option<i64> {
        if self.month.used >= limits.per_month {
            Some(next_month(self.month.start))
        } else if self.day.used >= limits.per_day {
            Some(self.day.start + DAY)
        } else if self.minute.used >= limits.per_minute {
            Some(self.minute.start + MINUTE)
        } else {
            None
        }
    }

    fn status(&self, limits: Limits, retry_after: Option<i64>) -> QuotaStatus {
        QuotaStatus {
            limits,
            remaining_minute: limits.per_minute.saturating_sub(self.minute.used),
            remaining_day: limits.per_day.saturating_sub(self.day.used),
            remaining_month: limits.per_month.saturating_sub(self.month.used),
            retry_after,
        }
    }
}

/// Whole seconds, rounded up.
fn seconds_until(end: i64, now: i64) -> i64 {
    (end - now + SECOND - 1) / SECOND
}

/// The quota after a request, as the rate limit headers report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaStatus {
    pub limits: Limits,
    pub remaining_minute: u32,
    pub remaining_day: u32,
    pub remaining_month: u32,
    /// Whole seconds until a request is certain to be admitted; `None` if this one was.
    pub retry_after: Option<i64>,
}

/// What a process asks of the ledger for one key: take back unused requests and reserve new ones.
#[derive(Clone, Debug)]
pub struct ReservationRequest {
    pub key_n: i64,
    pub limits: Limits,
    /// Unused requests, with the counts they were reserved under.
    pub unused: Vec<(QuotaCounts, u32)>,
    /// Unused requests that the process keeps.
    pub held: u32,
    /// Requests that wait for admission.
    pub waiting: u32,
    /// Whether to reserve more than the waiting requests.
    pub prefetch: bool,
    pub recall: RecallRound,
}

/// How long a process has waited for the unused requests of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecallRound {
    /// It has not asked for them.
    #[default]
    First,
    Waiting,
    /// Long enough: who has returned nothing by now has nothing, or does not run.
    Last,
}

/// What the ledger reserved, and the counts that include it.
#[derive(Clone, Copy, Debug)]
pub struct Reservation {
    pub key_n: i64,
    pub counts: QuotaCounts,
    pub count: u32,
    /// No other process holds unused requests, so a full window stays full.
    pub is_final: bool,
    /// Others hold unused requests and were asked to return them: ask again soon.
    pub must_wait: bool,
}

/// The ledger's record of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerEntry {
    pub counts: QuotaCounts,
    pub holders: Holders,
    /// A process waits for the unused requests of the others.
    pub is_recalled: bool,
}

/// Which processes hold reserved requests that they have not used. `Several` may include some that have none any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holders {
    #[default]
    None,
    One(i64),
    Several,
}

impl Holders {
    fn with(self, process: i64) -> Self {
        match self {
            Self::None => Self::One(process),
            Self::One(other) if other != process => Self::Several,
            same => same,
        }
    }

    fn without(self, process: i64) -> Self {
        if self == Self::One(process) { Self::None } else { self }
    }
}

/// The fewest requests reserved ahead. A crash loses what is reserved ahead.
const MIN_PREFETCH: u32 = 3;
/// A key with high limits reserves its smallest limit divided by this, so that it rarely waits for the ledger.
const PREFETCH_SHARE: u32 = 256;
const MAX_PREFETCH: u32 = 16_384;
/// At most the remaining quota divided by this is reserved ahead, so that every process can use the last requests of a
/// window.
const PREFETCH_REMAINING_SHARE: u32 = 8;

fn prefetch_size(limits: Limits) -> u32 {
    let smallest = limits.per_minute.min(limits.per_day).min(limits.per_month);
    (smallest / PREFETCH_SHARE).clamp(MIN_PREFETCH, MAX_PREFETCH)
}

impl ReservationRequest {
    /// Applies the request of this process to the stored entry.
    pub fn settle(&self, before: LedgerEntry, process: i64, now: i64) -> (LedgerEntry, Reservation) {
        let give_back =
            |counts: QuotaCounts, (reserved, count): &(QuotaCounts, u32)| counts.give_back(reserved, *count);
        let counts = self.unused.iter().fold(before.counts, give_back).at(now);
        let remaining = counts.remaining(self.limits);
        let waiting = self.waiting.min(remaining);
        let others = match self.recall {
            RecallRound::Last => Holders::None,
            _ => before.holders.without(process),
        };
        let must_wait = waiting < self.waiting && others != Holders::None;
        let is_recalled = match self.recall {
            _ if must_wait => true,
            // A recall of an ended minute was left by a process that stopped.
            RecallRound::First => before.is_recalled && before.counts.minute.start == counts.minute.start,
            RecallRound::Waiting | RecallRound::Last => false,
        };
        let prefetch = match self.prefetch && !is_recalled {
            true => prefetch_size(self.limits).min((remaining - waiting) / PREFETCH_REMAINING_SHARE),
            false => 0,
        };
        let count = waiting + prefetch;
        let holders = if self.held + prefetch > 0 { others.with(process) } else { others };
        let counts = counts.add(count);
        let is_final = others == Holders::None;
        let reservation = Reservation { key_n: self.key_n, counts, count, is_final, must_wait };
        (LedgerEntry { counts, holders, is_recalled }, reservation)
    }
}

/// One process's view of a key's quota: the counts from its last visit to the ledger, and the rest of its reservation. Every
/// request is admitted from the reservation.
#[derive(Debug, Default)]
pub struct LocalQuota {
    reserved: QuotaCounts,
    left: u32,
    /// To be returned to the ledger; no longer part of `reserved`.
    returning: Vec<(QuotaCounts, u32)>,
    /// When the ledger last answered, and whether no other process held unused requests then.
    settled_at: i64,
    is_final: bool,
    admitted_at: i64,
}

/// The window of a [`QuotaAlert`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertSpan {
    Day,
    Month,
}

impl AlertSpan {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
        }
    }
}

/// A key has used a share of its quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaAlert {
    pub span: AlertSpan,
    pub window_start: i64,
    pub percent: u32,
    /// When it was noticed.
    pub at: i64,
}

impl QuotaAlert {
    /// Whether both are about the same share of the same window.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.span, self.window_start, self.percent) == (other.span, other.window_start, other.percent)
    }
}

/// The shares of a quota that the owner of a key is told of.
pub const ALERT_PERCENTS: [u32; 2] = [80, 100];

/// Whether at least this share of a limit is used.
pub fn is_used(used: u32, limit: u32, percent: u32) -> bool {
    u64::from(used) * 100 >= u64::from(limit) * u64::from(percent)
}

/// The result of [`LocalQuota::admit`].
#[derive(Debug, PartialEq, Eq)]
pub enum Admission {
    /// `low` when it is time to reserve more.
    Admitted { quota_status: QuotaStatus, low: bool },
    /// A window is full.
    Exhausted(QuotaStatus),
    /// The reservation is used up: ask the ledger.
    NeedsReservation,
}

/// How long a full window is trusted before the ledger is asked again: another process may have returned requests.
const RECHECK_INTERVAL: i64 = SECOND;

impl LocalQuota {
    /// Admits one request from the reservation. `settled`: the ledger has answered for this very request, so a full window is
    /// final.
    pub fn admit(&mut self, limits: Limits, settled: bool, now: i64) -> Admission {
        let used = self.used(now);
        if let Some(end) = used.full_until(limits) {
            let is_recent = settled || (now - self.settled_at).abs() < RECHECK_INTERVAL;
            if !is_recent || !self.is_final {
                return Admission::NeedsReservation;
            }
            return Admission::Exhausted(used.status(limits, Some(seconds_until(end, now))));
        }
        if self.left == 0 || !used.same_windows(&self.reserved) {
            return Admission::NeedsReservation;
        }
        self.left -= 1;
        self.admitted_at = now;
        let used = used.add(1);
        let low = self.left < prefetch_size(limits) / 2 && used.full_until(limits).is_none();
        Admission::Admitted { quota_status: used.status(limits, None), low }
    }

    /// Builds a request for the waiting requests and a prefetch. The rest of a reservation in an ended window is returned
    /// with it.
    pub fn request(
        &mut self,
        key_n: i64,
        limits: Limits,
        waiting: u32,
        recall: RecallRound,
        now: i64,
    ) -> ReservationRequest {
        if !self.used(now).same_windows(&self.reserved) {
            self.set_aside();
        }
        let unused = std::mem::take(&mut self.returning);
        ReservationRequest { key_n, limits, unused, held: self.left, waiting, prefetch: true, recall }
    }

    /// Builds a request that returns the whole reservation; `None` if there is none.
    pub fn release(&mut self, key_n: i64, limits: Limits) -> Option<ReservationRequest> {
        self.set_aside();
        let unused = std::mem::take(&mut self.returning);
        let recall = RecallRound::First;
        let request = ReservationRequest { key_n, limits, unused, held: 0, waiting: 0, prefetch: false, recall };
        (!request.unused.is_empty()).then_some(request)
    }

    fn set_aside(&mut self) {
        if self.left > 0 {
            self.returning.push((self.reserved, self.left));
            self.reserved = self.reserved.subtract(self.left);
            self.left = 0;
        }
    }

    /// Whether no request was admitted lately.
    pub fn is_idle(&self, now: i64) -> bool {
        (now - self.admitted_at).abs() >= RECHECK_INTERVAL
    }

    /// The alerts that are due: the shares of the day's and the month's quota that are used, as far as this process knows.
    pub fn alerts(&self, limits: Limits, now: i64) -> impl Iterator<Item = QuotaAlert> {
        let used = self.used(now);
        let windows = [(AlertSpan::Day, used.day, limits.per_day), (AlertSpan::Month, used.month, limits.per_month)];
        windows.into_iter().flat_map(move |(span, window, limit)| {
            let due = ALERT_PERCENTS.into_iter().filter(move |percent| is_used(window.used, limit, *percent));
            due.map(move |percent| QuotaAlert { span, window_start: window.start, percent, at: now })
        })
    }

    /// Requests that the ledger counts although no client has used them.
    pub fn unused(&self) -> u32 {
        self.returning.iter().fold(self.left, |sum, (_, count)| sum.saturating_add(*count))
    }

    pub fn has_unused(&self) -> bool {
        self.left > 0 || !self.returning.is_empty()
    }

    /// Adds what the ledger reserved.
    pub fn apply(&mut self, reservation: &Reservation, now: i64) {
        // A window may have ended while the ledger was asked.
        if !reservation.counts.same_windows(&self.reserved) {
            self.set_aside();
        }
        self.left += reservation.count;
        self.reserved = reservation.counts;
        self.settled_at = now;
        self.is_final = reservation.is_final;
    }

    /// Takes back a request that the ledger could not settle; its unused requests go with the next one.
    pub fn restore(&mut self, request: ReservationRequest) {
        self.returning.extend(request.unused);
    }

    /// What is used, as far as this process knows: all reservations of all processes, less the rest of its own.
    fn used(&self, now: i64) -> QuotaCounts {
        self.reserved.subtract(self.left).at(now)
    }
}

#[cfg(test)]
mod tests;
