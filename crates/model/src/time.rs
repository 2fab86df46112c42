//! UTC times as epoch milliseconds, and the three texts the API writes them in.
//! Written by hand because every row of every answer carries a time.

pub const SECOND: i64 = 1_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// 1970-01-01T00:00:00.000Z: earlier times are written as this one.
pub const EARLIEST: i64 = 0;
/// 9999-12-31T23:59:59.999Z: the last time a four-digit year can write.
pub const LATEST: i64 = 253_402_300_799_999;

const FIRST_YEAR: i64 = 1970;

/// `2026-01-31T09:30:00.000Z`
pub fn iso(ms: i64) -> String {
    let mut out = date_and_time(ms, 'T');
    out.push('Z');
    out
}

/// `2026-01-31 09:30:00.000`
pub fn spaced(ms: i64) -> String {
    date_and_time(ms, ' ')
}

/// `2026-01-31`
pub fn day(ms: i64) -> String {
    let mut out = String::with_capacity(10);
    push_day(&mut out, clamp(ms));
    out
}

/// Reads what `iso` writes; the fraction may be missing or have 1 to 9 digits (cut to ms).
pub fn parse_iso(text: &str) -> Option<i64> {
    let bytes = text.as_bytes().strip_suffix(b"Z")?;
    let (date, clock) = bytes.split_at_checked(10)?;
    let midnight = parse_day_bytes(date)?;
    let (clock, fraction) = clock.split_at_checked(9)?;
    let [b'T', h1, h0, b':', m1, m0, b':', s1, s0] = *clock else {
        return None;
    };
    let hour = digits(&[h1, h0]).filter(|h| *h < 24)?;
    let minute = digits(&[m1, m0]).filter(|m| *m < 60)?;
    let second = digits(&[s1, s0]).filter(|s| *s < 60)?;
    let ms = match fraction {
        [] => 0,
        [b'.', rest @ ..] => parse_fraction(rest)?,
        _ => return None,
    };
    Some(midnight + hour * HOUR + minute * MINUTE + second * SECOND + ms)
}

pub fn start_of_minute(ms: i64) -> i64 {
    floor(ms, MINUTE)
}

pub fn start_of_hour(ms: i64) -> i64 {
    floor(ms, HOUR)
}

pub fn start_of_day(ms: i64) -> i64 {
    floor(ms, DAY)
}

pub fn start_of_month(ms: i64) -> i64 {
    let (year, month, _) = civil_from_days(clamp(ms) / DAY);
    days_from_civil(year, month, 1) * DAY
}

/// The start of the next calendar month: the exclusive end of the month that holds `ms`.
pub fn next_month(ms: i64) -> i64 {
    let (year, month, _) = civil_from_days(clamp(ms) / DAY);
    let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days_from_civil(year, month, 1) * DAY
}

fn clamp(ms: i64) -> i64 {
    ms.clamp(EARLIEST, LATEST)
}

fn floor(ms: i64, width: i64) -> i64 {
    let ms = clamp(ms);
    ms - ms % width
}

fn date_and_time(ms: i64, separator: char) -> String {
    let ms = clamp(ms);
    let mut out = String::with_capacity(24);
    push_day(&mut out, ms);
    let in_day = ms % DAY;
    out.push(separator);
    push_digits(&mut out, in_day / HOUR, 2);
    out.push(':');
    push_digits(&mut out, in_day / MINUTE % 60, 2);
    out.push(':');
    push_digits(&mut out, in_day / SECOND % 60, 2);
    out.push('.');
    push_digits(&mut out, in_day % SECOND, 3);
    out
}

fn push_day(out: &mut String, ms: i64) {
    let (year, month, day) = civil_from_days(ms / DAY);
    push_digits(out, year, 4);
    out.push('-');
    push_digits(out, month, 2);
    out.push('-');
    push_digits(out, day, 2);
}

fn push_digits(out: &mut String, value: i64, width: usize) {
    let (mut digits, mut rest) = ([b'0'; 4], value as u32);
    for digit in digits[..width].iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    out.extend(digits[..width].iter().map(|digit| char::from(*digit)));
}

fn parse_day_bytes(bytes: &[u8]) -> Option<i64> {
    let [y3, y2, y1, y0, b'-', m1, m0, b'-', d1, d0] = *bytes else {
        return None;
    };
    let year = digits(&[y3, y2, y1, y0]).filter(|y| *y >= FIRST_YEAR)?;
    let month = digits(&[m1, m0]).filter(|m| (1..=12).contains(m))?;
    let day = digits(&[d1, d0]).filter(|d| (1..=31).contains(d))?;
    let days = days_from_civil(year, month, day);
    // A day the month does not have rolls over into the next one and no longer reads back.
    (civil_from_days(days) == (year, month, day)).then_some(days * DAY)
}

fn parse_fraction(bytes: &[u8]) -> Option<i64> {
    if bytes.is_empty() || bytes.len() > 9 {
        return None;
    }
    let value = digits(bytes)?;
    Some(value * 10_i64.pow(9 - bytes.len() as u32) / 1_000_000)
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
}

/// Days since 1970-01-01, counted in 400-year eras of years that start on 1 March.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of `days_from_civil`: (year, month, day).
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::{Timestamp, ToSpan, Unit, tz::TimeZone};
    use proptest::prelude::*;

    /// jiff ends a day early, to leave room for time zones.
    const JIFF_LATEST: i64 = LATEST - 2 * DAY;

    fn jiff_text(ms: i64, format: &str) -> String {
        let at = Timestamp::from_millisecond(ms).unwrap();
        at.strftime(format).to_string()
    }

    #[test]
    fn writes_the_three_formats() {
        let at = 1_769_851_800_000;
        assert_eq!(iso(at), "2026-01-31T09:30:00.000Z");
        assert_eq!(spaced(at), "2026-01-31 09:30:00.000");
        assert_eq!(day(at), "2026-01-31");
    }

    #[test]
    fn clamps_outside_the_four_digit_years() {
        assert_eq!(iso(-1), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(i64::MIN), iso(EARLIEST));
        assert_eq!(iso(LATEST), "9999-12-31T23:59:59.999Z");
        assert_eq!(iso(i64::MAX), iso(LATEST));
        assert_eq!(next_month(i64::MAX), LATEST + 1);
        assert_eq!(start_of_hour(i64::MIN), 0);
    }

    #[test]
    fn every_day_of_the_range_reads_back() {
        for days in 0..=LATEST / DAY {
            let (year, month, day_of_month) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day_of_month), days);
        }
    }

    #[test]
    fn reads_fractions_cut_to_milliseconds() {
        let base = parse_iso("2026-01-31T09:30:00Z").unwrap();
        assert_eq!(base, 1_769_851_800_000);
        assert_eq!(parse_iso("2026-01-31T09:30:00.1Z"), Some(base + 100));
        assert_eq!(parse_iso("2026-01-31T09:30:00.1239Z"), Some(base + 123));
        assert_eq!(parse_iso("2026-01-31T09:30:00.999999999Z"), Some(base + 999));
    }

    #[test]
    fn refuses_anything_else() {
        for text in [
            "",
            "Z",
            "2026-01-31",
            "2026-01-31T09:30:00",
            "2026-01-31T09:30Z",
            "2026-01-31 09:30:00Z",
            "2026-01-31t09:30:00z",
            "2026-01-31T09:30:00.Z",
            "2026-01-31T09:30:00.1234567890Z",
            "2026-01-31T09:30:00,5Z",
            "2026-01-31T09:30:00+00:00",
            "2026-01-31T24:00:00Z",
            "2026-01-31T09:60:00Z",
            "2026-01-31T09:30:60Z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            " 2026-01-31T09:30:00Z",
            "２026-01-31T09:30:00Z",
        ] {
            assert_eq!(parse_iso(text), None, "{text}");
        }
        for text in ["2026-2-01", "2026-02-30", "2026-04-31", "+2026-02-01", "2026/02/01", "1900-01-01"] {
            assert_eq!(parse_iso(&format!("{text}T00:00:00Z")), None, "{text}");
        }
        assert!(parse_iso("2024-02-29T00:00:00Z").is_some());
    }

    proptest! {
        #[test]
        fn agrees_with_jiff(ms in EARLIEST..=JIFF_LATEST) {
            prop_assert_eq!(iso(ms), jiff_text(ms, "%Y-%m-%dT%H:%M:%S%.3fZ"));
            prop_assert_eq!(spaced(ms), jiff_text(ms, "%Y-%m-%d %H:%M:%S%.3f"));
            prop_assert_eq!(day(ms), jiff_text(ms, "%Y-%m-%d"));
        }

        #[test]
        fn reads_back_what_it_writes(ms in EARLIEST..=LATEST) {
            prop_assert_eq!(parse_iso(&iso(ms)), Some(ms));
            prop_assert_eq!(parse_iso(&format!("{}T00:00:00Z", day(ms))), Some(start_of_day(ms)));
        }

        #[test]
        fn starts_agree_with_jiff(ms in EARLIEST..JIFF_LATEST - 31 * DAY) {
            let at = Timestamp::from_millisecond(ms).unwrap().to_zoned(TimeZone::UTC);
            let floor_to = |unit| {
                let round = jiff::ZonedRound::new().smallest(unit).mode(jiff::RoundMode::Trunc);
                at.round(round).unwrap().timestamp().as_millisecond()
            };
            prop_assert_eq!(start_of_minute(ms), floor_to(Unit::Minute));
            prop_assert_eq!(start_of_hour(ms), floor_to(Unit::Hour));
            prop_assert_eq!(start_of_day(ms), floor_to(Unit::Day));
            let first = at.first_of_month().unwrap().start_of_day().unwrap();
            prop_assert_eq!(start_of_month(ms), first.timestamp().as_millisecond());
            let next = first.checked_add(1.month()).unwrap();
            prop_assert_eq!(next_month(ms), next.timestamp().as_millisecond());
        }

        #[test]
        fn reading_never_panics(text in "\\PC{0,32}", digits in "[0-9TZ:.-]{0,32}") {
            let _ = parse_iso(&text);
            let _ = parse_iso(&digits);
        }
    }
}
