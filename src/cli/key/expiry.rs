//! Parses the expiry of a key.

use rollcall_model::time::{DAY, HOUR, LATEST, parse_iso};

/// `None` for "never". A time in the past is rejected: use `key disable` instead.
pub fn parse(text: &str, now: i64) -> Result<Option<i64>, String> {
    if text == "never" {
        return Ok(None);
    }
    let at = duration(text).map(|duration| now.saturating_add(duration)).or_else(|| date_or_time(text));
    match at {
        Some(at) if at > now && at <= LATEST => Ok(Some(at)),
        Some(at) if at > LATEST => Err(format!("the expiry must be before the year 10000, not {text:?}")),
        Some(_) => Err(format!("the expiry must be in the future, not {text:?}; use `rollcall key disable` instead")),
        None => Err(format!(
            "the expiry must be a duration (12h, 30d), a date (2027-01-31), a time (2027-01-31T12:00:00Z) or never, not {text:?}"
        )),
    }
}

fn duration(text: &str) -> Option<i64> {
    let (number, unit) = match text.strip_suffix('d') {
        Some(number) => (number, DAY),
        None => (text.strip_suffix('h')?, HOUR),
    };
    number.parse::<u32>().ok().and_then(|number| i64::from(number).checked_mul(unit))
}

fn date_or_time(text: &str) -> Option<i64> {
    parse_iso(text).or_else(|| parse_iso(&format!("{text}T00:00:00Z")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_days_times_and_never() {
        let now = parse_iso("2026-11-15T12:00:00Z").unwrap();
        assert_eq!(parse("never", now), Ok(None));
        assert_eq!(parse("12h", now), Ok(parse_iso("2026-11-16T00:00:00Z")));
        assert_eq!(parse("30d", now), Ok(parse_iso("2026-12-15T12:00:00Z")));
        assert_eq!(parse("2028-02-29", now), Ok(parse_iso("2028-02-29T00:00:00Z")));
        assert_eq!(parse("2026-11-15T12:00:00.001Z", now), Ok(Some(now + 1)));
        for wrong in
            ["", "d", "0h", "soon", "-1d", "1.5d", "2027-02-29", "2026-11-15", "2026-11-15T12:00:00Z", "4294967295d"]
        {
            assert!(parse(wrong, now).is_err(), "{wrong}");
        }
    }
}
