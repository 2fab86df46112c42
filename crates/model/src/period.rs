//! The time periods of statistics.

use super::time::{DAY, HOUR};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The serialised names are part of the contract and equal `name()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub enum Period {
    #[serde(rename = "24h")]
    Day,
    #[serde(rename = "7d")]
    Week,
    #[serde(rename = "30d")]
    Month,
    #[serde(rename = "90d")]
    Quarter,
    #[serde(rename = "all-time")]
    AllTime,
}

impl Period {
    /// Shortest first.
    pub const ALL: [Period; 5] = [Period::Day, Period::Week, Period::Month, Period::Quarter, Period::AllTime];

    pub const fn name(self) -> &'static str {
        match self {
            Period::Day => "24h",
            Period::Week => "7d",
            Period::Month => "30d",
            Period::Quarter => "90d",
            Period::AllTime => "all-time",
        }
    }

    pub fn parse(name: &str) -> Option<Period> {
        Period::ALL.into_iter().find(|period| period.name() == name)
    }

    /// In milliseconds; `None` for all-time.
    pub const fn length(self) -> Option<i64> {
        match self {
            Period::Day => Some(24 * HOUR),
            Period::Week => Some(7 * DAY),
            Period::Month => Some(30 * DAY),
            Period::Quarter => Some(90 * DAY),
            Period::AllTime => None,
        }
    }

    /// The first millisecond of the period, never before the epoch.
    pub fn since(self, now: i64) -> i64 {
        match self.length() {
            Some(length) => now.saturating_sub(length).max(0),
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use utoipa::PartialSchema;

    #[test]
    fn names_agree_in_json_and_schema() {
        for period in Period::ALL {
            assert_eq!(Period::parse(period.name()), Some(period));
            let json = serde_json::to_value(period).unwrap();
            assert_eq!(json, period.name());
            assert_eq!(serde_json::from_value::<Period>(json).unwrap(), period);
        }
        assert_eq!(Period::parse("24H"), None);
        assert_eq!(Period::parse(""), None);
        let schema = serde_json::to_value(Period::schema()).unwrap();
        let names = Period::ALL.map(Period::name);
        assert_eq!(schema["enum"], serde_json::json!(names));
    }

    proptest! {
        #[test]
        fn longer_periods_start_earlier(now in 0..super::super::time::LATEST) {
            let starts = Period::ALL.map(|period| period.since(now));
            prop_assert!(starts.is_sorted_by(|a, b| a >= b));
            prop_assert_eq!(starts[4], 0);
            if now >= 90 * DAY {
                prop_assert_eq!(now - starts[3], 90 * DAY);
                prop_assert_eq!(now - starts[0], DAY);
            }
        }
    }
}
