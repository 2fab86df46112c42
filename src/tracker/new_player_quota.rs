//! How many unknown players a server may bring. Names cost a hostile server nothing, and every one would be a row for ever.

use std::collections::HashMap;

use rollcall_model::time::{DAY, start_of_day};

/// New players from one server in a day.
const A_DAY: usize = 2_000;

/// What servers have brought today, in this process.
#[derive(Default)]
pub struct Newcomers {
    day: i64,
    brought: HashMap<i64, usize>,
}

impl Newcomers {
    pub fn left(&mut self, server_n: i64, now: i64) -> usize {
        if now - self.day >= DAY {
            self.day = start_of_day(now);
            self.brought.clear();
        }
        A_DAY - self.brought.get(&server_n).copied().unwrap_or(0).min(A_DAY)
    }

    pub fn came(&mut self, server_n: i64, count: usize) {
        if count > 0 {
            *self.brought.entry(server_n).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_an_end_to_them_until_tomorrow() {
        let mut newcomers = Newcomers::default();
        let today = 1_780_495_200_000;
        assert_eq!(newcomers.left(1, today), A_DAY);
        newcomers.came(1, A_DAY - 1);
        assert_eq!((newcomers.left(1, today), newcomers.left(2, today)), (1, A_DAY));
        newcomers.came(1, 5);
        assert_eq!((newcomers.left(1, today), newcomers.left(1, today + DAY)), (0, A_DAY));
    }
}
