//! Times, percentages and sizes as text.

use rollcall_model::time;
use rollcall_model::usage::UsageSpan;

/// The start of a bucket, as precise as its width. Days and months are UTC; scripts may show hours in local time.
pub struct BucketTime {
    /// The HTML `datetime` attribute: an instant, a day or a month.
    pub datetime: String,
    pub text: String,
}

impl BucketTime {
    pub fn new(span: UsageSpan, start: i64) -> Self {
        let day = time::day(start);
        match span {
            UsageSpan::Hour | UsageSpan::Day => {
                let text = format!("{day} {} UTC", &time::iso(start)[11..16]);
                Self { datetime: time::iso(start), text }
            }
            UsageSpan::Month => Self { datetime: day.clone(), text: day },
            UsageSpan::Year => Self { datetime: day[..7].to_owned(), text: day[..7].to_owned() },
        }
    }
}

/// A percentage with one decimal. Rounds to 0 or 100 only if the share is exactly that.
pub fn percent(part: i64, whole: i64) -> String {
    if whole <= 0 {
        return "0".to_owned();
    }
    let share = part as f64 / whole as f64 * 100.0;
    match part {
        0 => "0".to_owned(),
        part if part == whole => "100".to_owned(),
        _ => format!("{:.1}", share.clamp(0.1, 99.9)),
    }
}

/// A size with at most three digits and its unit.
pub fn size(bytes: i64) -> (String, &'static str) {
    const UNITS: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    // 999.5 would be rounded to 1000, which belongs to the next unit.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let text = if unit > 0 && value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") };
    (text, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_precise_as_their_bucket() {
        let formatted = UsageSpan::ALL.map(|span| {
            let time = BucketTime::new(span, 1_780_272_000_000);
            (time.datetime, time.text)
        });
        let expected = [
            ("2026-06-01T00:00:00.000Z", "2026-06-01 00:00 UTC"),
            ("2026-06-01T00:00:00.000Z", "2026-06-01 00:00 UTC"),
            ("2026-06-01", "2026-06-01"),
            ("2026-06", "2026-06"),
        ];
        assert_eq!(formatted, expected.map(|(datetime, text)| (datetime.to_owned(), text.to_owned())));
    }

    #[test]
    fn shares_round_to_0_or_100_only_if_exact() {
        let formatted = [(0, 0), (0, 9), (9, 9), (1, 3), (1, 1_000_000), (999_999, 1_000_000)];
        assert_eq!(formatted.map(|(part, whole)| percent(part, whole)), ["0", "0", "100", "33.3", "0.1", "99.9"]);
    }

    #[test]
    fn sizes_have_at_most_three_digits() {
        let formatted = [0, 999, 1000, 9_949, 9_950, 999_499, 999_500, 12_345_678, i64::MAX].map(size);
        let expected = ["0 B", "999 B", "1.0 kB", "9.9 kB", "10 kB", "999 kB", "1.0 MB", "12 MB", "9.2 EB"];
        assert_eq!(formatted.map(|(size, unit)| format!("{size} {unit}")), expected);
    }
}
