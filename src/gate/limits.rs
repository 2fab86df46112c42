//! Three fixed windows per key: the clock minute, the UTC day, the calendar month. A request is admitted only if
//! all three have room; a refused one consumes nothing. Counted in memory.

use crate::config::Limits;
use crate::model::time::{DAY, MINUTE, SECOND, next_month, start_of_day, start_of_minute, start_of_month};

/// What has been used of each window, and which windows those are.
#[derive(Debug, Default)]
pub struct Windows {
    minute: Window,
    day: Window,
    month: Window,
}

#[derive(Debug, Default)]
struct Window {
    start: i64,
    used: u32,
}

impl Window {
    /// Starts anew when the clock has left the window. A clock that steps back stays in the later window, so that
    /// a step never gives quota back.
    fn enter(&mut self, start: i64) {
        if start > self.start {
            *self = Self { start, used: 0 };
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

impl Windows {
    /// Counts the request if every window has room.
    pub fn admit(&mut self, limits: Limits, now: i64) -> Standing {
        self.minute.enter(start_of_minute(now));
        self.day.enter(start_of_day(now));
        self.month.enter(start_of_month(now));
        // The longest exceeded window says how long to wait: the shorter ones end within it.
        let ends = if self.month.used >= limits.per_month {
            Some(next_month(self.month.start))
        } else if self.day.used >= limits.per_day {
            Some(self.day.start + DAY)
        } else if self.minute.used >= limits.per_minute {
            Some(self.minute.start + MINUTE)
        } else {
            None
        };
        if ends.is_none() {
            self.minute.used += 1;
            self.day.used += 1;
            self.month.used += 1;
        }
        Standing {
            limits,
            remaining_minute: limits.per_minute.saturating_sub(self.minute.used),
            remaining_day: limits.per_day.saturating_sub(self.day.used),
            remaining_month: limits.per_month.saturating_sub(self.month.used),
            retry_after: ends.map(|end| (end - now + SECOND - 1) / SECOND),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::parse_iso;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits { per_minute: 3, per_day: 5, per_month: 8 };

    fn at(text: &str) -> i64 {
        parse_iso(text).unwrap()
    }

    #[test]
    fn each_window_refuses_in_its_turn_and_says_how_long() {
        let mut windows = Windows::default();
        let now = at("2026-12-31T23:58:59.001Z");
        for left in [2, 1, 0] {
            let standing = windows.admit(LIMITS, now);
            assert_eq!((standing.remaining_minute, standing.retry_after), (left, None));
        }
        assert_eq!(windows.admit(LIMITS, now).retry_after, Some(1));
        let next = at("2026-12-31T23:59:00.000Z");
        assert_eq!(windows.admit(LIMITS, next).remaining_day, 1);
        assert_eq!(windows.admit(LIMITS, next).remaining_day, 0);
        assert_eq!(windows.admit(LIMITS, next).retry_after, Some(60));
        let year = at("2027-01-01T00:00:00.000Z");
        assert_eq!(windows.admit(LIMITS, year).remaining_month, 7);
    }

    #[test]
    fn the_month_outlasts_the_day() {
        let mut windows = Windows::default();
        let limits = Limits { per_minute: 10, per_day: 10, per_month: 1 };
        windows.admit(limits, at("2028-02-28T12:00:00.000Z"));
        let standing = windows.admit(limits, at("2028-02-28T12:00:00.000Z"));
        assert_eq!(standing.retry_after, Some((24 + 12) * 3600));
    }

    #[test]
    fn a_clock_that_steps_back_gives_nothing_back() {
        let mut windows = Windows::default();
        let now = at("2026-05-01T00:00:30.000Z");
        for _ in 0..3 {
            windows.admit(LIMITS, now);
        }
        assert_eq!(windows.admit(LIMITS, now - 90_000).retry_after, Some(120));
    }

    proptest! {
        #[test]
        fn waiting_as_told_always_gets_in(steps in proptest::collection::vec(0i64..200_000_000, 1..60), minute in 1u32..5, day in 1u32..9, month in 1u32..20) {
            let limits = Limits { per_minute: minute, per_day: day, per_month: month };
            let (mut windows, mut now) = (Windows::default(), at("2026-01-30T00:00:00.000Z"));
            for step in steps {
                now += step / 1000;
                if let Some(wait) = windows.admit(limits, now).retry_after {
                    now += wait * SECOND;
                    prop_assert_eq!(windows.admit(limits, now).retry_after, None);
                }
            }
        }
    }
}
