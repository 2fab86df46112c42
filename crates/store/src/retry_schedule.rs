//! When votes and webhooks are sent again after attempts that failed.

use rollcall_model::time::{DAY, HOUR, MINUTE, SECOND};

pub struct RetrySchedule {
    /// After each failed attempt; the last one repeats until the delivery is given up.
    pub pauses: &'static [i64],
}

/// Votes that could not be sent.
pub(crate) const VOTES: RetrySchedule =
    RetrySchedule { pauses: &[MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR] };

/// Messages to webhooks.
pub const WEBHOOKS: RetrySchedule = RetrySchedule {
    pauses: &[5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY],
};

impl RetrySchedule {
    /// The pause after so many attempts have failed.
    pub fn pause(&self, failures: i64) -> i64 {
        let index = usize::try_from(failures - 1).unwrap_or(0).min(self.pauses.len() - 1);
        self.pauses[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::fan_out;

    #[test]
    fn pauses_grow_and_stay() {
        assert_eq!(
            [0, 1, 2, 8, 9, 1000].map(|failures| VOTES.pause(failures)),
            [MINUTE, MINUTE, 5 * MINUTE, 8 * HOUR, 8 * HOUR, 8 * HOUR]
        );
    }

    #[test]
    fn webhooks_are_tried_after_five_seconds_to_a_day_for_three_days() {
        let pauses: Vec<i64> = (1..=11).map(|failures| WEBHOOKS.pause(failures)).collect();
        assert_eq!((pauses[0], pauses[9], pauses[10]), (5 * SECOND, DAY, DAY));
        assert!(pauses.is_sorted());
        let last: i64 = pauses.iter().sum();
        assert!(last <= fan_out::GIVE_UP_AFTER && last + DAY > fan_out::GIVE_UP_AFTER, "{last}");
    }
}
