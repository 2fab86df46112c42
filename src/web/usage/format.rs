//! Spans, moments and figures as people read them.

use rollcall_model::time;
use rollcall_model::usage::Span;

/// When a bucket begins, as precisely as it is wide. Days and months are UTC, wherever a reader is; an hour may be told in
/// the reader's own time.
pub struct When {
    /// For programs: an instant, a day or a month, as HTML knows them.
    pub datetime: String,
    pub text: String,
}

impl When {
    pub fn new(span: Span, start: i64) -> Self {
        let day = time::day(start);
        match span {
            Span::Day => {
                let text = format!("{day} {} UTC", &time::iso(start)[11..16]);
                Self { datetime: time::iso(start), text }
            }
            Span::Month => Self { datetime: day.clone(), text: day },
            Span::Year => Self { datetime: day[..7].to_owned(), text: day[..7].to_owned() },
        }
    }
}

/// Per cent with one digit. Neither is something told as nothing, nor nearly all as all.
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

/// A size with at most three digits, and its unit.
pub fn size(bytes: i64) -> (String, &'static str) {
    const UNITS: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    // What would be written as 1000 belongs to the next unit.
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
    fn a_moment_is_told_as_precisely_as_its_bucket() {
        let told = Span::ALL.map(|span| {
            let when = When::new(span, 1_780_272_000_000);
            (when.datetime, when.text)
        });
        let expected = [
            ("2026-06-01T00:00:00.000Z", "2026-06-01 00:00 UTC"),
            ("2026-06-01", "2026-06-01"),
            ("2026-06", "2026-06"),
        ];
        assert_eq!(told, expected.map(|(datetime, text)| (datetime.to_owned(), text.to_owned())));
    }

    #[test]
    fn a_share_is_neither_nothing_nor_all_unless_it_is() {
        let told = [(0, 0), (0, 9), (9, 9), (1, 3), (1, 1_000_000), (999_999, 1_000_000)];
        assert_eq!(told.map(|(part, whole)| percent(part, whole)), ["0", "0", "100", "33.3", "0.1", "99.9"]);
    }

    #[test]
    fn a_size_has_three_digits_at_most() {
        let told = [0, 999, 1000, 9_949, 9_950, 999_499, 999_500, 12_345_678, i64::MAX].map(size);
        let expected = ["0 B", "999 B", "1.0 kB", "9.9 kB", "10 kB", "999 kB", "1.0 MB", "12 MB", "9.2 EB"];
        assert_eq!(told.map(|(figure, unit)| format!("{figure} {unit}")), expected);
    }
}
