//! How one process admits requests from its reservation.

use super::alert::{ALERT_PERCENTS, AlertSpan, QuotaAlert, is_used};
use super::reservation::{RecallRound, Reservation, ReservationRequest, prefetch_size};
use super::{Limits, QuotaCounts, QuotaStatus, seconds_until};
use crate::time::SECOND;

/// One process's view of a key's quota: the counts from its last visit to the ledger, and the rest of its reservation. Every
/// request is admitted from the reservation.
#[derive(Debug, Default)]
pub struct LocalQuota {
    pub(super) reserved: QuotaCounts,
    left: u32,
    /// To be returned to the ledger; no longer part of `reserved`.
    returning: Vec<(QuotaCounts, u32)>,
    /// When the ledger last answered, and whether no other process held unused requests then.
    settled_at: i64,
    is_final: bool,
    admitted_at: i64,
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
    /// Admits a call that uses `units` requests of the reservation, all of them or none. `settled`: the ledger has answered for this
    /// very call, so a window without room is final.
    pub fn admit(&mut self, limits: Limits, units: u32, settled: bool, now: i64) -> Admission {
        let used = self.used(now);
        if let Some(end) = used.full_until(limits, units) {
            let is_recent = settled || (now - self.settled_at).abs() < RECHECK_INTERVAL;
            if !is_recent || !self.is_final {
                return Admission::NeedsReservation;
            }
            return Admission::Exhausted(used.status(limits, Some(seconds_until(end, now))));
        }
        if self.left < units || !used.same_windows(&self.reserved) {
            return Admission::NeedsReservation;
        }
        self.left -= units;
        self.admitted_at = now;
        let used = used.add(units);
        let low = self.left < prefetch_size(limits) / 2 && used.full_until(limits, 1).is_none();
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

    /// Used quota, as far as this process knows: all reservations of all processes, less the rest of its own.
    fn used(&self, now: i64) -> QuotaCounts {
        self.reserved.subtract(self.left).at(now)
    }
}
