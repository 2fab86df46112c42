//! Request quotas of an API key: fixed windows for the clock minute, the UTC day and the calendar month. A request is
//! admitted only if all three windows have quota left; a refused request uses none.
//!
//! Several processes share one key. Each reserves a few requests ahead in the ledger database and admits requests from its
//! reservation. A process that finds a window full asks the others for what they have not used before it refuses a request.
//! This module holds the rules only: time is an argument, and the store makes reservations durable.

mod admission;
mod alert;
mod reservation;

pub use admission::{Admission, LocalQuota};
pub use alert::{ALERT_PERCENTS, AlertSpan, QuotaAlert, is_used};
pub use reservation::{Holders, LedgerEntry, RecallRound, Reservation, ReservationRequest};

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

impl Limits {
    /// The most requests that can ever be used at once.
    pub fn smallest(&self) -> u32 {
        self.per_minute.min(self.per_day).min(self.per_month)
    }
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
        match counts.full_until(limits, 1) {
            Some(end) => (counts, counts.status(limits, Some(seconds_until(end, now)))),
            None => (counts.add(1), counts.add(1).status(limits, None)),
        }
    }

    fn same_windows(&self, other: &Self) -> bool {
        let starts = |counts: &Self| (counts.minute.start, counts.day.start, counts.month.start);
        starts(self) == starts(other)
    }

    /// Without requests that are reserved and not used.
    pub fn subtract(mut self, count: u32) -> Self {
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

    /// When the next `units` requests are certain to be admitted; `None` if it is now. The longest window without room decides,
    /// because the shorter ones end within it.
    fn full_until(&self, limits: Limits, units: u32) -> Option<i64> {
        let is_full = |window: QuotaWindow, limit: u32| limit.saturating_sub(window.used) < units;
        if is_full(self.month, limits.per_month) {
            Some(next_month(self.month.start))
        } else if is_full(self.day, limits.per_day) {
            Some(self.day.start + DAY)
        } else if is_full(self.minute, limits.per_minute) {
            Some(self.minute.start + MINUTE)
        } else {
            None
        }
    }

    pub fn status(&self, limits: Limits, retry_after: Option<i64>) -> QuotaStatus {
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

#[cfg(test)]
mod tests;
