//! The range of a history: which buckets, how wide, and where a page begins.

use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::cursor::{self, After, CursorPosition};
use crate::v1::list_params::Choices;
use crate::v1::params::{Choice, Param};
use crate::v1::time_param::Time;
use rollcall_model::buckets::bucket_start;
use rollcall_model::time::{DAY, iso};
use rollcall_store::samples::Resolution;

/// Points of one response, over all its servers.
const MAX_POINTS: i64 = 2_000;
const DEFAULT_RANGE: i64 = DAY;

pub const FROM: Time = Time {
    name: "from",
    about: "Start of the range, a UTC time or date; 24 hours before `to` by default. It is rounded down to a whole bucket.",
};
pub const TO: Time = Time { name: "to", about: "End of the range, a UTC time or date; now by default and at most." };
pub const RESOLUTION: Choice<Option<Resolution>> = Choice {
    name: "resolution",
    about: "Width of the buckets. `auto` is the finest that is kept for the whole range and fits into one response. `5m` is \
            kept for 31 days, `1h` for 366 days, `1d` for ever.",
    values: &[
        ("auto", None),
        ("5m", Some(Resolution::FiveMinutes)),
        ("1h", Some(Resolution::Hour)),
        ("1d", Some(Resolution::Day)),
    ],
    default: Some("auto"),
};
pub const FIELDS: Choices = Choices {
    name: "fields",
    about: "The figures of each point, separated by commas; all by default.",
    values: &["players", "latency", "tps", "uptime"],
};
pub const FORMAT: Choice<Format> = Choice {
    name: "format",
    about: "`csv` gives a table with a header row. If there are more rows, the header `Link` has the address of the next page.",
    values: &[("json", Format::Json), ("csv", Format::Csv)],
    default: Some("json"),
};
pub const AFTER: After =
    After { about: "The cursor `next` of the response before, with the same other parameters; or `start`." };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    Csv,
}

/// The figures that points have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    pub players: bool,
    pub latency: bool,
    pub tps: bool,
    pub uptime: bool,
}

impl Fields {
    pub const PLAYERS: Self = Self { players: true, latency: false, tps: false, uptime: false };

    fn read(query: &Query) -> Result<Self, ApiError> {
        let chosen = FIELDS.read(query)?;
        let has = |name| chosen.as_ref().is_none_or(|chosen| chosen.contains(&name));
        Ok(Self { players: has("players"), latency: has("latency"), tps: has("tps"), uptime: has("uptime") })
    }
}

/// Where a page begins. It keeps the start and the width of the range that the first page chose.
#[derive(Debug, Serialize, Deserialize)]
struct HistoryCursor {
    width: i64,
    from: i64,
    at: i64,
}

#[derive(Clone, Copy, Debug)]
struct PageStart {
    resolution: Resolution,
    from: i64,
    at: i64,
}

#[derive(Clone, Debug)]
pub struct HistoryParams {
    query: Query,
    from: Option<i64>,
    to: Option<i64>,
    resolution: Option<Resolution>,
    page: Option<PageStart>,
    pub fields: Fields,
    pub format: Format,
}

/// The buckets to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub resolution: Resolution,
    pub from: i64,
    pub to: i64,
    /// Start of this page.
    pub start: i64,
    /// Most points of each server.
    pub limit: i64,
    pub now: i64,
}

impl HistoryParams {
    pub fn read(query: &Query) -> Result<Self, ApiError> {
        let (from, to, resolution) = (FROM.read(query)?, TO.read(query)?, RESOLUTION.read_or_default(query)?);
        let cursor: Option<CursorPosition<HistoryCursor>> = AFTER.read(query)?;
        let page = cursor.and_then(CursorPosition::after).map(|cursor| {
            PageStart::of(&cursor)
                .filter(|page| resolution.is_none_or(|resolution| resolution == page.resolution))
                .filter(|page| from.is_none_or(|from| bucket_start(from, page.resolution.width()) == page.from))
                .ok_or_else(|| AFTER.refused(query))
        });
        let page = page.transpose()?;
        let (fields, format) = (Fields::read(query)?, FORMAT.read_or_default(query)?);
        Ok(Self { query: query.clone(), from, to, resolution, page, fields, format })
    }

    /// The query string of the page with this cursor.
    pub fn next_page(&self, cursor: &str) -> String {
        self.query.with(AFTER.name(), Some(cursor))
    }

    /// The range as of now, for this many servers.
    pub fn range(&self, servers: usize, now: i64) -> Result<Range, ApiError> {
        let to = self.to.map_or(now, |to| to.min(now));
        let from = match (self.page, self.from) {
            (Some(page), _) => page.from,
            (None, Some(from)) => from,
            (None, None) => (to - DEFAULT_RANGE).max(0),
        };
        if from > now {
            return Err(FROM.misplaced(&format!("before now, {}", iso(now)), from));
        }
        if from >= to {
            return Err(FROM.misplaced(&format!("before to, {}", iso(to)), from));
        }
        let limit = MAX_POINTS / servers.max(1) as i64;
        if let Some(PageStart { resolution, from, at }) = self.page {
            return Ok(Range { resolution, from, to, start: at, limit, now });
        }
        let resolution = match self.resolution {
            Some(resolution) => {
                check_kept(resolution, from, now)?;
                resolution
            }
            None => finest(from, to, limit, now),
        };
        let from = bucket_start(from, resolution.width());
        Ok(Range { resolution, from, to, start: from, limit, now })
    }
}

impl PageStart {
    /// `None` for a cursor that no page has named.
    fn of(cursor: &HistoryCursor) -> Option<Self> {
        let resolution = Resolution::ALL.into_iter().find(|resolution| resolution.width() == cursor.width)?;
        let is_bucket = |at: i64| at >= 0 && bucket_start(at, cursor.width) == at;
        let HistoryCursor { from, at, .. } = *cursor;
        (is_bucket(from) && is_bucket(at) && from < at).then_some(Self { resolution, from, at })
    }
}

/// Old buckets are deleted: an explicit resolution must not look as if the server had not been watched.
fn check_kept(resolution: Resolution, from: i64, now: i64) -> Result<(), ApiError> {
    match resolution.retention() {
        Some(kept) if from < now - kept => {
            let what = format!("at or after {} with resolution {}", iso(now - kept), name(resolution));
            Err(FROM.misplaced(&what, from))
        }
        _ => Ok(()),
    }
}

fn finest(from: i64, to: i64, limit: i64, now: i64) -> Resolution {
    let fits = |resolution: &Resolution| {
        let first = bucket_start(from, resolution.width());
        (to - first + resolution.width() - 1) / resolution.width() <= limit
    };
    let is_kept = |resolution: &Resolution| resolution.retention().is_none_or(|kept| from >= now - kept);
    Resolution::ALL.into_iter().find(|resolution| fits(resolution) && is_kept(resolution)).unwrap_or(Resolution::Day)
}

/// As in the parameter.
pub fn name(resolution: Resolution) -> &'static str {
    match resolution {
        Resolution::FiveMinutes => "5m",
        Resolution::Hour => "1h",
        Resolution::Day => "1d",
    }
}

/// The cursor of the page of this range that begins at a bucket.
pub fn cursor_of(range: Range, at: i64) -> String {
    cursor::encode(&HistoryCursor { width: range.resolution.width(), from: range.from, at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rollcall_model::time::HOUR;

    const NOW: i64 = 1_780_495_200_000;

    #[test]
    fn auto_is_the_finest_resolution_that_fits_and_is_kept() {
        for (from, to, limit, expected) in [
            (NOW - DAY, NOW, 2_000, "5m"),
            (NOW - 2_000 * 300_000, NOW, 2_000, "5m"),
            (NOW - 2_001 * 300_000, NOW, 2_000, "1h"),
            (NOW - DAY, NOW, 200, "1h"),
            (NOW - 40 * DAY, NOW - 39 * DAY, 2_000, "1h"),
            (NOW - 400 * DAY, NOW - 399 * DAY, 2_000, "1d"),
            (0, NOW, 2_000, "1d"),
            (NOW - 2_001 * HOUR, NOW, 2_000, "1d"),
        ] {
            assert_eq!(name(finest(from, to, limit, NOW)), expected, "{from} to {to}");
        }
    }
}
