//! A year of activity: one square for each day, one column for each week.

use crate::web::language::Language;
use rollcall_model::resources::ActivityDay;
use rollcall_model::time::{self, DAY, start_of_day};

pub struct HeatMap {
    /// SVG path data of all days without sessions.
    pub quiet: String,
    pub active: Vec<Square>,
    pub months: Vec<MonthLabel>,
    pub width: i64,
    pub sessions: i64,
}

/// A day with sessions.
pub struct Square {
    pub at: i64,
    pub count: i64,
    /// 1 to [`LEVELS`].
    pub level: i64,
    pub x: i64,
    pub y: i64,
}

pub struct MonthLabel {
    pub x: i64,
    pub name: String,
}

/// Side of a square, and the distance from one to the next.
pub const SIDE: i64 = 11;
const STEP: i64 = 14;
/// The room for the names of the months.
const TOP: i64 = 18;
pub const HEIGHT: i64 = TOP + 7 * STEP;
const LEVELS: i64 = 4;
const DAYS: i64 = 365;
const WEEK: i64 = 7;
/// 1 January 1970 was a Thursday; weeks start on Monday.
const FIRST_WEEKDAY: i64 = 3;
/// Names of months overlap when they are nearer than this.
const MIN_LABEL_STEP: i64 = 3 * STEP;

impl HeatMap {
    /// The last 365 days until today.
    pub fn new(days: &[ActivityDay], now: i64, language: Language) -> Self {
        let today = start_of_day(now);
        let first = today - DAYS * DAY;
        let highest = days.iter().map(|day| day.count).max().unwrap_or(1).max(1);
        let counts: std::collections::HashMap<i64, i64> = days.iter().map(|day| (day.date.0, day.count)).collect();
        let (mut quiet, mut active, mut months) = (String::new(), Vec::new(), Vec::<MonthLabel>::new());
        let mut column = 0;
        for at in (0..=DAYS).map(|day| first + day * DAY) {
            let weekday = weekday(at);
            if weekday == 0 && at > first {
                column += 1;
            }
            let (x, y) = (column * STEP, TOP + weekday * STEP);
            if time::day(at).ends_with("-01") && months.last().is_none_or(|last| x - last.x >= MIN_LABEL_STEP) {
                months.push(MonthLabel { x, name: month_name(at, language) });
            }
            match counts.get(&at).copied().filter(|count| *count > 0) {
                Some(count) => {
                    let level = ((count * LEVELS + highest - 1) / highest).clamp(1, LEVELS);
                    active.push(Square { at, count, level, x, y });
                }
                None => quiet += &format!("M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z"),
            }
        }
        let sessions = active.iter().map(|square| square.count).sum();
        Self { quiet, active, months, width: (column + 1) * STEP, sessions }
    }
}

/// 0 for Monday.
fn weekday(at: i64) -> i64 {
    (at.div_euclid(DAY) + FIRST_WEEKDAY).rem_euclid(WEEK)
}

/// `Nov`
fn month_name(at: i64, language: Language) -> String {
    language.day(at).split(' ').nth(1).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rollcall_model::resources::Day;

    /// Tuesday, 17 November 2026.
    const NOW: i64 = 1_794_907_800_000;

    #[test]
    fn every_day_of_the_year_has_a_square_in_its_week() {
        let today = start_of_day(NOW);
        let days = [ActivityDay { date: Day(today - DAY), count: 1 }, ActivityDay { date: Day(today), count: 8 }];
        let map = HeatMap::new(&days, NOW, Language::English);
        assert_eq!(map.quiet.matches('M').count() + map.active.len(), 366);
        let seen: Vec<_> = map.active.iter().map(|day| (day.count, day.level, day.x, day.y)).collect();
        let last = map.width - STEP;
        assert_eq!(seen, [(1, 1, last, TOP), (8, 4, last, TOP + STEP)]);
        assert_eq!((map.sessions, map.width), (9, 53 * STEP));
        let names: Vec<&str> = map.months.iter().map(|month| month.name.as_str()).collect();
        assert_eq!(names.join(" "), "Dec Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov");
    }

    #[test]
    fn no_sessions_leave_all_squares_quiet() {
        let map = HeatMap::new(&[], NOW, Language::Russian);
        assert_eq!((map.active.len(), map.sessions), (0, 0));
    }
}
