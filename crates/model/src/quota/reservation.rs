//! How a process reserves requests in the ledger, and returns those that it has not used.

use super::{Limits, QuotaCounts};

/// Request of a process to the ledger for one key: take back unused requests and reserve new ones.
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

/// The reservation of the ledger, and the counts that include it.
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
pub(super) const MIN_PREFETCH: u32 = 3;
/// A key with high limits reserves its smallest limit divided by this, so that it rarely waits for the ledger.
const PREFETCH_SHARE: u32 = 256;
const MAX_PREFETCH: u32 = 16_384;
/// At most the remaining quota divided by this is reserved ahead, so that every process can use the last requests of a
/// window.
const PREFETCH_REMAINING_SHARE: u32 = 8;

pub(super) fn prefetch_size(limits: Limits) -> u32 {
    (limits.smallest() / PREFETCH_SHARE).clamp(MIN_PREFETCH, MAX_PREFETCH)
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
