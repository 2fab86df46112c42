//! Decides whether a reported player count is accepted. A server can report any number, and totals, rankings and peaks
//! add up accepted counts. Pure: the count in, the verdict out. `docs/adr/0030-trust-in-game-servers.md` explains the
//! limits.

use rollcall_model::trust::SourceTrust;

/// A queue in front of a full server counts as online: this much above the slots is normal, as a share of them and at least.
const QUEUE_SHARE: i64 = 4;
const MIN_QUEUE: i64 = 20;
/// Counts up to here need no history.
const ALWAYS_PLAUSIBLE: i64 = 1_000;
/// A larger count is accepted at once up to this multiple of the highest daily peak.
const MAX_GROWTH: i64 = 4;
/// Otherwise it is accepted after this many consecutive polls, up to a size that few servers in the world exceed.
const CONFIRMING_POLLS: i64 = 5;
const MAX_CONFIRMED_BY_POLLS: i64 = 10_000;
/// Still larger counts need a history: the median of this many days, times this factor.
const MIN_DAYS: usize = 7;
const MAX_GROWTH_OF_MEDIAN: i64 = 2;

/// A reported count, and the history to check it against.
pub struct CountCheck<'a> {
    pub reported: i64,
    /// 0 if unknown.
    pub slots: i64,
    pub trust: SourceTrust,
    /// Whether an operator set the trust level and so confirmed the count.
    pub is_confirmed: bool,
    /// The count of the last sample, if the server was online.
    pub last_accepted: Option<i64>,
    /// Consecutive polls before this one whose count was not accepted.
    pub unconfirmed_polls: i64,
    /// The accepted peaks of the last 30 days, if [`CountCheck::needs_history`].
    pub daily_peaks: &'a [i64],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountVerdict {
    /// The count to store and to add up.
    pub players: i64,
    pub rejected: Option<RejectedCount>,
    pub unconfirmed_polls: i64,
}

/// A count that is not accepted, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedCount {
    pub reported: i64,
    pub reason: &'static str,
}

impl CountCheck<'_> {
    /// Whether the verdict depends on the daily peaks.
    pub fn needs_history(&self) -> bool {
        self.reported > self.max_of_slots() || self.reported > ALWAYS_PLAUSIBLE.max(self.last_accepted.unwrap_or(0))
    }

    /// A rejected count is replaced by the last accepted one, or by the count that any server may have. The reported
    /// count is an upper bound of both.
    pub fn verdict(&self) -> CountVerdict {
        let unconfirmed_polls = self.unconfirmed_polls + 1;
        match self.doubt(unconfirmed_polls) {
            None => CountVerdict { players: self.reported, rejected: None, unconfirmed_polls: 0 },
            Some(reason) => CountVerdict {
                players: match self.trust {
                    SourceTrust::Suspicious => 0,
                    _ => self.last_accepted.unwrap_or(ALWAYS_PLAUSIBLE).min(self.reported).min(self.max_of_slots()),
                },
                rejected: Some(RejectedCount { reported: self.reported, reason }),
                unconfirmed_polls,
            },
        }
    }

    /// Why the count is not accepted.
    fn doubt(&self, unconfirmed_polls: i64) -> Option<&'static str> {
        if self.trust == SourceTrust::Suspicious {
            return (self.reported > 0).then_some("the server is suspicious");
        }
        if self.is_confirmed {
            return None;
        }
        if self.reported <= MAX_CONFIRMED_BY_POLLS && unconfirmed_polls >= CONFIRMING_POLLS {
            return None;
        }
        if self.reported > self.max_of_slots() {
            return Some("far above its slots");
        }
        let peak = self.peak();
        let is_usual = self.reported <= ALWAYS_PLAUSIBLE || Some(self.reported) <= self.last_accepted;
        // The replacements for rejected counts of a new server are no history.
        let has_history = peak > ALWAYS_PLAUSIBLE || self.unconfirmed_polls == 0;
        let is_growth = has_history && self.reported <= MAX_CONFIRMED_BY_POLLS && self.reported <= MAX_GROWTH * peak;
        let is_established = self.reported <= MAX_GROWTH_OF_MEDIAN * self.median_peak();
        (!is_usual && !is_growth && !is_established).then_some("far above its history")
    }

    /// The slots and a queue. Unlimited if the server does not say, or if a higher count was accepted before: many
    /// proxies show a fixed number.
    fn max_of_slots(&self) -> i64 {
        if self.slots == 0 {
            return i64::MAX;
        }
        let max = self.slots.saturating_add((self.slots / QUEUE_SHARE).max(MIN_QUEUE));
        if self.peak() > max { i64::MAX } else { max }
    }

    /// The highest accepted count.
    fn peak(&self) -> i64 {
        self.daily_peaks.iter().copied().chain(self.last_accepted).max().unwrap_or(0)
    }

    /// 0 if there are too few days.
    fn median_peak(&self) -> i64 {
        let mut peaks = self.daily_peaks.to_vec();
        peaks.sort_unstable();
        if peaks.len() < MIN_DAYS { 0 } else { peaks[peaks.len() / 2] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reported: i64, slots: i64) -> CountCheck<'static> {
        CountCheck {
            reported,
            slots,
            trust: SourceTrust::Sampled,
            is_confirmed: false,
            last_accepted: None,
            unconfirmed_polls: 0,
            daily_peaks: &[],
        }
    }

    fn accepted(check: &CountCheck) -> i64 {
        let verdict = check.verdict();
        assert_eq!(verdict.rejected.is_none(), verdict.unconfirmed_polls == 0);
        verdict.players
    }

    #[test]
    fn a_queue_is_normal_and_far_more_than_the_slots_is_not() {
        for (reported, slots, expected) in
            [(120, 100, 120), (126, 100, 125), (35, 20, 35), (41, 20, 40), (900, 0, 900), (1_000_000, 100, 125)]
        {
            assert_eq!(accepted(&check(reported, slots)), expected, "{reported} of {slots}");
        }
        assert_eq!(check(500, 100).verdict().rejected.unwrap().reason, "far above its slots");
    }

    #[test]
    fn a_rejected_count_leaves_the_last_accepted_one() {
        assert_eq!(accepted(&CountCheck { last_accepted: Some(80), ..check(1_000_000, 100) }), 80);
        assert_eq!(accepted(&CountCheck { last_accepted: Some(0), ..check(1_000_000, 100) }), 0);
        assert_eq!(accepted(&CountCheck { last_accepted: Some(800), ..check(1_000_000, 20) }), 800);
        assert_eq!(accepted(&CountCheck { last_accepted: Some(800), ..check(400, 20) }), 400, "the slots were reduced");
    }

    #[test]
    fn slots_of_proxies_do_not_limit_a_count_that_persists() {
        for (reported, slots, at_first) in [(800, 500, 625), (30, 1, 21)] {
            let (mut last_accepted, mut unconfirmed_polls) = (None, 0);
            let mut poll = |reported: i64, daily_peaks: &[i64]| {
                let verdict =
                    CountCheck { last_accepted, unconfirmed_polls, daily_peaks, ..check(reported, slots) }.verdict();
                (last_accepted, unconfirmed_polls) = (Some(verdict.players), verdict.unconfirmed_polls);
                verdict.players
            };
            for _ in 1..CONFIRMING_POLLS {
                assert_eq!(poll(reported, &[at_first]), at_first);
            }
            assert_eq!(poll(reported, &[at_first]), reported);
            assert_eq!(poll(reported + 10, &[reported]), reported + 10, "accepted from now on");
            assert_eq!(poll(slots, &[reported + 10]), slots);
            assert_eq!(poll(reported, &[reported + 10]), reported, "after a quiet night");
            assert_eq!(poll(1_000_000, &[reported + 10]), reported);
        }
    }

    #[test]
    fn large_counts_need_a_history_or_persistence() {
        assert_eq!(accepted(&check(1_000, 5_000)), 1_000);
        assert_eq!(accepted(&check(3_000, 5_000)), 1_000);
        assert_eq!(accepted(&CountCheck { daily_peaks: &[100, 750], ..check(3_000, 5_000) }), 3_000);
        assert_eq!(accepted(&CountCheck { unconfirmed_polls: 3, daily_peaks: &[1_000], ..check(3_000, 5_000) }), 1_000);
        assert_eq!(accepted(&CountCheck { unconfirmed_polls: 4, ..check(3_000, 5_000) }), 3_000);
        assert_eq!(accepted(&CountCheck { unconfirmed_polls: 4, ..check(3_000, 0) }), 3_000);
        assert_eq!(accepted(&CountCheck { unconfirmed_polls: 4, ..check(3_000, 100) }), 3_000);
        assert_eq!(accepted(&CountCheck { unconfirmed_polls: 4, ..check(10_001, 100) }), 125);
    }

    #[test]
    fn counts_of_the_largest_servers_need_a_week_or_an_operator() {
        let large = check(40_000, 200_000);
        assert_eq!(accepted(&CountCheck { unconfirmed_polls: 10_000, ..large }), 1_000);
        let week = [20_000; 7];
        assert_eq!(accepted(&CountCheck { daily_peaks: &week, ..check(40_000, 200_000) }), 40_000);
        assert_eq!(accepted(&CountCheck { daily_peaks: &week[1..], ..check(40_000, 200_000) }), 1_000);
        assert_eq!(accepted(&CountCheck { daily_peaks: &week, ..check(40_001, 200_000) }), 1_000);
        assert_eq!(accepted(&CountCheck { is_confirmed: true, ..check(40_000, 200_000) }), 40_000);
    }

    #[test]
    fn a_suspicious_server_counts_nothing() {
        let suspicious = CountCheck { trust: SourceTrust::Suspicious, is_confirmed: true, ..check(5, 20) };
        assert_eq!(accepted(&CountCheck { last_accepted: Some(5), ..suspicious }), 0);
    }
}
