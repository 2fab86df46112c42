//! Limits the new players that one server can create per day. A hostile server can invent names for free, and each one is a
//! permanent row.

use std::collections::HashMap;

use rollcall_model::time::{DAY, start_of_day};

/// New players per server and UTC day.
const PER_DAY: usize = 2_000;

/// Counts of this process for the current day.
#[derive(Default)]
pub struct NewPlayerQuota {
    day: i64,
    used: HashMap<i64, usize>,
}

impl NewPlayerQuota {
    pub fn remaining(&mut self, server_n: i64, now: i64) -> usize {
        if now - self.day >= DAY {
            self.day = start_of_day(now);
            self.used.clear();
        }
        PER_DAY - self.used.get(&server_n).copied().unwrap_or(0).min(PER_DAY)
    }

    pub fn consume(&mut self, server_n: i64, count: usize) {
        if count > 0 {
            *self.used.entry(server_n).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quota_resets_every_day() {
        let mut quota = NewPlayerQuota::default();
        let today = 1_780_495_200_000;
        assert_eq!(quota.remaining(1, today), PER_DAY);
        quota.consume(1, PER_DAY - 1);
        assert_eq!((quota.remaining(1, today), quota.remaining(2, today)), (1, PER_DAY));
        quota.consume(1, 5);
        assert_eq!((quota.remaining(1, today), quota.remaining(1, today + DAY)), (0, PER_DAY));
    }
}
