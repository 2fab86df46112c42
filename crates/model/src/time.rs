//! UTC times as epoch milliseconds, and the three text formats of the API. The calendar is jiff's; formatting is our own,
//! because jiff's printer takes twice as long and every row of every response carries a timestamp.

use jiff::civil::{DateTime, datetime};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

pub const SECOND: i64 = 1_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// 1970-01-01T00:00:00.000Z. Earlier times are clamped to it.
const EARLIEST: i64 = 0;
/// 9999-12-31T23:59:59.999Z, the last time with a four-digit year. Later times are clamped to it.
pub const LATEST: i64 = 253_402_300_799_999;

const EPOCH: DateTime = datetime(1970, 1, 1, 0, 0, 0, 0);
/// The format that [`parse_iso`] accepts before the fraction; `0` stands for any digit.
const PATTERN: &[u8; 19] = b"0000-00-00T00:00:00";

/// `2026-01-31T09:30:00.000Z`
pub fn iso(ms: i64) -> String {
    to_string(&format(ms))
}

/// `2026-01-31 09:30:00.000`
pub fn spaced(ms: i64) -> String {
    let mut text = format(ms);
    text[10] = b' ';
    to_string(&text[..23])
}

/// `2026-01-31`
pub fn day(ms: i64) -> String {
    to_string(&format(ms)[..10])
}

/// `Sat, 31 Jan 2026 09:30:00 +0000`, for feeds.
pub fn rfc2822(ms: i64) -> String {
    let at = Timestamp::from_millisecond(ms.clamp(EARLIEST, LATEST)).expect("the time is clamped");
    jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_string(&at).expect("the year has four digits")
}

/// `Sat, 31 Jan 2026 09:30:00 GMT`, for headers.
pub fn http_date(ms: i64) -> String {
    let at = Timestamp::from_millisecond(ms.clamp(EARLIEST, LATEST - DAY)).expect("the time is clamped");
    let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
    printer.timestamp_to_rfc9110_string(&at).expect("the year has four digits")
}

/// Parses the output of [`http_date`].
pub fn parse_http_date(text: &str) -> Option<i64> {
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(at.as_millisecond())
}

/// Parses the output of [`iso`]. The fraction is optional and has 1 to 9 digits; it is truncated to milliseconds.
pub fn parse_iso(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z')?;
    let (time, fraction) = text.split_at_checked(PATTERN.len())?;
    let matches = |(byte, pattern): (u8, &u8)| if *pattern == b'0' { byte.is_ascii_digit() } else { byte == *pattern };
    let is_fraction = |digits: &str| (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    // jiff would also parse other ISO 8601 forms, and read second 60 as 59.
    let is_strict = time.bytes().zip(PATTERN).all(matches)
        && (fraction.is_empty() || fraction.strip_prefix('.').is_some_and(is_fraction))
        && !time.ends_with("60");
    let parsed = is_strict.then(|| text.parse::<DateTime>().ok()).flatten().filter(|at| *at >= EPOCH)?;
    i64::try_from(parsed.duration_since(EPOCH).as_millis()).ok()
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
    start_of_day(ms) - i64::from(civil(ms).day() - 1) * DAY
}

/// The start of the next calendar month: the exclusive end of the month that contains `ms`.
pub fn next_month(ms: i64) -> i64 {
    start_of_month(ms) + i64::from(civil(ms).days_in_month()) * DAY
}

fn clamp(ms: i64) -> i64 {
    ms.clamp(EARLIEST, LATEST)
}

fn floor(ms: i64, width: i64) -> i64 {
    let ms = clamp(ms);
    ms - ms % width
}

fn civil(ms: i64) -> DateTime {
    let ms = clamp(ms);
    match Timestamp::from_millisecond(ms) {
        Ok(at) => Offset::UTC.to_datetime(at),
        // jiff's timestamps end a day before its civil times do, and converting them is faster.
        Err(_) => EPOCH.saturating_add(SignedDuration::from_millis(ms)),
    }
}

fn format(ms: i64) -> [u8; 24] {
    let at = civil(ms);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    put_two_digits(&mut text[0..2], at.year() / 100);
    put_two_digits(&mut text[2..4], at.year() % 100);
    put_two_digits(&mut text[5..7], at.month().into());
    put_two_digits(&mut text[8..10], at.day().into());
    put_two_digits(&mut text[11..13], at.hour().into());
    put_two_digits(&mut text[14..16], at.minute().into());
    put_two_digits(&mut text[17..19], at.second().into());
    text[20] += (at.millisecond() / 100) as u8;
    put_two_digits(&mut text[21..23], at.millisecond() % 100);
    text
}

fn put_two_digits(out: &mut [u8], value: i16) {
    out[0] = b'0' + (value / 10) as u8;
    out[1] = b'0' + (value % 10) as u8;
}

fn to_string(ascii: &[u8]) -> String {
    str::from_utf8(ascii).expect("digits and separators are ASCII").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An independent implementation of the calendar: Howard Hinnant's closed formula for (year, month, day).
    fn civil_from_days(days: i64) -> (i64, i64, i64) {
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        (year_of_era + era * 400 + i64::from(month <= 2), month, day)
    }

    #[test]
    fn writes_the_three_formats() {
        let at = 1_769_851_800_000;
        assert_eq!(iso(at), "2026-01-31T09:30:00.000Z");
        assert_eq!(spaced(at), "2026-01-31 09:30:00.000");
        assert_eq!(day(at), "2026-01-31");
        assert_eq!(iso(951_782_399_987), "2000-02-28T23:59:59.987Z");
    }

    #[test]
    fn clamps_outside_the_four_digit_years() {
        assert_eq!(iso(-1), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(i64::MIN), iso(EARLIEST));
        assert_eq!(iso(LATEST), "9999-12-31T23:59:59.999Z");
        assert_eq!(iso(LATEST - DAY), "9999-12-30T23:59:59.999Z");
        assert_eq!(iso(i64::MAX), iso(LATEST));
        assert_eq!(parse_iso("9999-12-31T23:59:59.999Z"), Some(LATEST));
        assert_eq!(next_month(i64::MAX), LATEST + 1);
        assert_eq!(start_of_month(LATEST), parse_iso("9999-12-01T00:00:00Z").unwrap());
        assert_eq!(start_of_hour(i64::MIN), 0);
    }

    /// The calendar repeats every 400 years.
    #[test]
    fn every_day_of_400_years_agrees_with_the_closed_formula() {
        const DAYS: i64 = 146_097;
        let mut month_start = 0;
        for days in 0..=DAYS {
            let (year, month, day_of_month) = civil_from_days(days);
            let text = format!("{year:04}-{month:02}-{day_of_month:02}");
            assert_eq!(day(days * DAY), text);
            assert_eq!(parse_iso(&format!("{text}T00:00:00Z")), Some(days * DAY));
            if day_of_month == 1 {
                assert_eq!(next_month(month_start), if days == 0 { 31 * DAY } else { days * DAY });
                month_start = days * DAY;
            }
            assert_eq!(start_of_month(days * DAY + DAY - 1), month_start);
        }
    }

    #[test]
    fn truncates_fractions_to_milliseconds() {
        let base = parse_iso("2026-01-31T09:30:00Z").unwrap();
        assert_eq!(base, 1_769_851_800_000);
        assert_eq!(parse_iso("2026-01-31T09:30:00.1Z"), Some(base + 100));
        assert_eq!(parse_iso("2026-01-31T09:30:00.1239Z"), Some(base + 123));
        assert_eq!(parse_iso("2026-01-31T09:30:00.999999999Z"), Some(base + 999));
    }

    #[test]
    fn refuses_other_formats_and_impossible_times() {
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
            "2026-01-31T09:30:00ZZ",
            "2026-01-31T09:30:00[UTC]Z",
            "20260131T093000Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T09:60:00Z",
            "2026-01-31T09:30:60Z",
            "2026-01-31T09:30:60.5Z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "1969-12-31T23:59:59.9999Z",
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
        fn every_millisecond_is_formatted_and_parsed_back(ms in EARLIEST..=LATEST) {
            let (year, month, day_of_month) = civil_from_days(ms / DAY);
            let (hour, minute, second) = (ms / HOUR % 24, ms / MINUTE % 60, ms / SECOND % 60);
            let (date, fraction) = (format!("{year:04}-{month:02}-{day_of_month:02}"), ms % SECOND);
            prop_assert_eq!(iso(ms), format!("{date}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z"));
            prop_assert_eq!(spaced(ms), format!("{date} {hour:02}:{minute:02}:{second:02}.{fraction:03}"));
            prop_assert_eq!(day(ms), date);
            prop_assert_eq!(parse_iso(&iso(ms)), Some(ms));
        }

        #[test]
        fn starts_are_the_text_with_a_zeroed_rest(ms in EARLIEST..=LATEST) {
            let text = iso(ms);
            let zeroed = |kept: usize, rest: &str| format!("{}{rest}", &text[..kept]);
            prop_assert_eq!(iso(start_of_minute(ms)), zeroed(17, "00.000Z"));
            prop_assert_eq!(iso(start_of_hour(ms)), zeroed(14, "00:00.000Z"));
            prop_assert_eq!(iso(start_of_day(ms)), zeroed(11, "00:00:00.000Z"));
            prop_assert_eq!(iso(start_of_month(ms)), zeroed(8, "01T00:00:00.000Z"));
        }

        #[test]
        fn parsing_never_panics(text in "\\PC{0,32}", digits in "[0-9TZ:.-]{0,32}") {
            let _ = parse_iso(&text);
            let _ = parse_iso(&digits);
        }
    }
}
