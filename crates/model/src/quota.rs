//! Three fixed windows per key: the clock minute, the UTC day, the calendar month. A request is admitted only if
//! all three have room; a refused one consumes nothing. Pure: the time is an argument, and what lasts is the
//! ledger's to keep.

use crate::time::{DAY, HOUR, MINUTE, SECOND, next_month, start_of_day, start_of_minute, start_of_month};
use serde::Deserialize;

/// Requests per window.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub per_minute: u32,
    pub per_day: u32,
    pub per_month: u32,
}

/// One window: which one it is, and what is used of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub start: i64,
    pub used: u32,
}

/// A clock that steps back by less than this leaves the windows as they are. One that was wrong by more must not
/// lock a key out until its wrong time comes.
const BELIEVED_STEP: i64 = HOUR;

impl Window {
    /// Starts anew when the clock has left the window. A clock that steps back stays in the later window, so that
    /// a step never gives quota back.
    fn enter(&mut self, start: i64, now: i64) {
        if start > self.start || self.start > now + BELIEVED_STEP {
            *self = Self { start, used: 0 };
        }
    }

    /// Gives back what was reserved in this window as it was then; a window that has passed has nothing to get back.
    fn give_back(&mut self, reserved: Self, count: u32) {
        if self.start == reserved.start {
            self.used = self.used.saturating_sub(count);
        }
    }
}

/// What has been used of each window, and which windows those are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub minute: Window,
    pub day: Window,
    pub month: Window,
}

impl Counts {
    /// The windows of this moment.
    pub fn at(mut self, now: i64) -> Self {
        // Whoever is in the same minute is in the same day and month.
        if (self.minute.start..self.minute.start + MINUTE).contains(&now) {
            return self;
        }
        self.minute.enter(start_of_minute(now), now);
        self.day.enter(start_of_day(now), now);
        self.month.enter(start_of_month(now), now);
        self
    }

    /// Takes one request at once, for those who reserve nothing: how the windows stand after it. When one is full nothing
    /// is taken, and the standing says how long to wait.
    pub fn take_one(self, limits: Limits, now: i64) -> (Self, Standing) {
        let counts = self.at(now);
        match counts.full_until(limits) {
            Some(end) => (counts, counts.standing(limits, Some((end - now + SECOND - 1) / SECOND))),
            None => (counts.more(1), counts.more(1).standing(limits, None)),
        }
    }

    fn same_windows(&self, other: &Self) -> bool {
        let starts = |counts: &Self| (counts.minute.start, counts.day.start, counts.month.start);
        starts(self) == starts(other)
    }

    fn less(mut self, count: u32) -> Self {
        for window in [&mut self.minute, &mut self.day, &mut self.month] {
            window.used = window.used.saturating_sub(count);
        }
        self
    }

    fn more(mut self, count: u32) -> Self {
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

    fn room(&self, limits: Limits) -> u32 {
        let left = self.standing(limits, None);
        left.remaining_minute.min(left.remaining_day).min(left.remaining_month)
    }

    /// When a request is sure to be admitted; `None` when there is room now. The longest exceeded window says how
    /// long to wait: the shorter ones end within it.
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

    fn standing(&self, limits: Limits, retry_after: Option<i64>) -> Standing {
        Standing {
            limits,
            remaining_minute: limits.per_minute.saturating_sub(self.minute.used),
            remaining_day: limits.per_day.saturating_sub(self.day.used),
            remaining_month: limits.per_month.saturating_sub(self.month.used),
            retry_after,
        }
    }
}

/// How the windows stand after a request: what the rate headers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub limits: Limits,
    pub remaining_minute: u32,
    pub remaining_day: u32,
    pub remaining_month: u32,
    /// Whole seconds until a request is sure to be admitted; `None` when this one was.
    pub retry_after: Option<i64>,
}

/// What a process asks of the ledger for one key: to take back what it no longer needs, and to reserve anew.
#[derive(Clone, Debug)]
pub struct Claim {
    pub key_n: i64,
    pub limits: Limits,
    /// What was reserved and not used, with the windows of that time.
    pub unused: Vec<(Counts, u32)>,
    /// Requests that wait to be let in.
    pub waiting: u32,
    /// Whether more may be reserved than now wait.
    pub ahead: bool,
}

/// What the ledger gave, and how the windows stand with it.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    pub key_n: i64,
    pub counts: Counts,
    pub count: u32,
}

/// Reserved beyond those who wait: what a crash may cost a key. A key with wide limits gets a 256th of the narrowest,
/// so that it does not come to the ledger for every few requests.
const FEW: u32 = 3;
const SHARE: u32 = 256;
const MANY: u32 = 16_384;
/// Less and less is taken ahead as a window fills, so that its last requests go to whoever asks, whichever process
/// that is at.
const SHRINK: u32 = 8;

fn ahead(limits: Limits) -> u32 {
    let narrowest = limits.per_minute.min(limits.per_day).min(limits.per_month);
    (narrowest / SHARE).clamp(FEW, MANY)
}

impl Claim {
    /// What becomes of a key's windows by this claim.
    pub fn settle(&self, before: Counts, now: i64) -> Grant {
        let give_back = |counts: Counts, (reserved, count): &(Counts, u32)| counts.give_back(reserved, *count);
        let counts = self.unused.iter().fold(before, give_back).at(now);
        let room = counts.room(self.limits);
        let waiting = self.waiting.min(room);
        let ahead = if self.ahead { ahead(self.limits).min((room - waiting) / SHRINK) } else { 0 };
        let count = waiting + ahead;
        Grant { key_n: self.key_n, counts: counts.more(count), count }
    }
}

/// What one process knows of a key's windows: how they stood when it last came to the ledger, and what is left of
/// its reservation. Everything is admitted from the reservation.
#[derive(Debug, Default)]
pub struct Windows {
    reserved: Counts,
    left: u32,
    /// Set aside to go back to the ledger, and no longer counted in `reserved`.
    unused: Vec<(Counts, u32)>,
    /// When the ledger was last asked.
    asked_at: i64,
    taken_at: i64,
}

impl Windows {
    /// What is reserved and not used: the ledger counts it, and no client has had it.
    pub fn held(&self) -> u32 {
        self.unused.iter().fold(self.left, |sum, (_, count)| sum.saturating_add(*count))
    }
}

/// What comes of a request for admission.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// Let in; `low` when it is time to reserve more.
    In {
        standing: Standing,
        low: bool,
    },
    Full(Standing),
    /// Nothing is reserved: the ledger must be asked.
    Nothing,
}

/// A window that is full by what the ledger said is looked at again after so long: another process may have given
/// something back.
const LOOK_AGAIN: i64 = SECOND;

impl Windows {
    /// `asked`: the ledger has been asked for this very request, so what it said is believed.
    pub fn take(&mut self, limits: Limits, asked: bool, now: i64) -> Taken {
        let view = self.view(now);
        if let Some(end) = view.full_until(limits) {
            if !asked && (now - self.asked_at).abs() >= LOOK_AGAIN {
                return Taken::Nothing;
            }
            return Taken::Full(view.standing(limits, Some((end - now + SECOND - 1) / SECOND)));
        }
        if self.left == 0 || !view.same_windows(&self.reserved) {
            return Taken::Nothing;
        }
        self.left -= 1;
        self.taken_at = now;
        let view = view.more(1);
        let low = self.left < ahead(limits) / 2 && view.full_until(limits).is_none();
        Taken::In { standing: view.standing(limits, None), low }
    }

    /// Asks the ledger for a reservation for those who wait and a little more. What was reserved in windows that have
    /// passed goes back, and can no longer be taken from here.
    pub fn claim(&mut self, key_n: i64, limits: Limits, waiting: u32, now: i64) -> Claim {
        if !self.view(now).same_windows(&self.reserved) {
            self.set_aside();
        }
        Claim { key_n, limits, unused: std::mem::take(&mut self.unused), waiting, ahead: true }
    }

    /// Gives back the whole reservation; `None` when there is none.
    pub fn release(&mut self, key_n: i64, limits: Limits) -> Option<Claim> {
        self.set_aside();
        let unused = std::mem::take(&mut self.unused);
        (!unused.is_empty()).then_some(Claim { key_n, limits, unused, waiting: 0, ahead: false })
    }

    fn set_aside(&mut self) {
        if self.left > 0 {
            self.unused.push((self.reserved, self.left));
            self.reserved = self.reserved.less(self.left);
            self.left = 0;
        }
    }

    /// Whether a reservation lies here that nobody takes from.
    pub fn is_idle(&self, now: i64) -> bool {
        (now - self.taken_at).abs() >= LOOK_AGAIN
    }

    /// Whether anything is reserved or on its way back.
    pub fn is_holding(&self) -> bool {
        self.left > 0 || !self.unused.is_empty()
    }

    pub fn granted(&mut self, grant: &Grant, now: i64) {
        // A window ended on the way to the ledger.
        if !grant.counts.same_windows(&self.reserved) {
            self.set_aside();
        }
        self.left += grant.count;
        self.reserved = grant.counts;
        self.asked_at = now;
    }

    /// The ledger could not be asked: what was to go back goes with the next claim.
    pub fn refused(&mut self, claim: Claim) {
        self.unused.extend(claim.unused);
    }

    /// What is used, as far as this process knows: all that is reserved by anyone, less its own unused rest.
    fn view(&self, now: i64) -> Counts {
        self.reserved.less(self.left).at(now)
    }
}

#[cfg(test)]
mod tests;
