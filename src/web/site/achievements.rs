//! Achievements as the pages show them: an icon, a name in the language of the page, and the way to the next ones.

use crate::web::language::Language;
use crate::web::view;
use rollcall_model::achievements::{Achievement, AchievementMetric, PlayerTotals};

/// An achievement that is not earned yet.
pub struct Goal {
    pub achievement: &'static Achievement,
    /// What is done, and what it takes.
    pub done: String,
    pub needed: String,
    pub percent: i64,
}

pub fn goal(achievement: &'static Achievement, totals: &PlayerTotals) -> Goal {
    let (done, needed) = achievement.progress(totals);
    let text = |value: i64| match achievement.metric() {
        AchievementMetric::PlayTime => view::language().fill("{} h", &[&view::language().count(value / 3600)]),
        _ => view::language().count(value),
    };
    let percent = (done.max(0) * 100 / needed.max(1)).min(100);
    Goal { achievement, done: text(done.max(0)), needed: text(needed), percent }
}

pub fn name(achievement: &Achievement) -> &'static str {
    match view::language() {
        Language::English => achievement.label,
        Language::Turkish => achievement.label_tr,
        Language::Russian => achievement.label_ru,
    }
}

/// SVG path data of a line drawing in a box of 24 by 24. Own drawings: many systems have no emoji.
pub fn icon(achievement: &Achievement) -> &'static str {
    match achievement.metric() {
        AchievementMetric::Sessions => "M14 4h5v16h-5M4 12h11M11 8l4 4-4 4",
        AchievementMetric::PlayTime => "M12 3a9 9 0 1 0 .01 0ZM12 7v5l4 2",
        AchievementMetric::Servers => "M12 3a9 9 0 1 0 .01 0ZM15 9l-2 4-4 2 2-4ZM12 3v2M12 19v2M3 12h2M19 12h2",
        AchievementMetric::Kills => "M19 4v4L9 18l-3-3L16 5ZM5 14l5 5M4 20l3-3",
        AchievementMetric::Deaths => "M12 3c1 4 5 6 5 11a5 5 0 0 1-10 0c0-2 1-3 2-4 0 2 1 3 2 3 1-3-1-6 1-10Z",
        AchievementMetric::Wins => "M7 4h10v5a5 5 0 0 1-10 0ZM7 6H4c0 3 1 5 3 5M17 6h3c0 3-1 5-3 5M12 14v4M8 20h8",
        AchievementMetric::Votes => "M5 11v9h14v-9M9 7l2 3 5-6M3 11h18",
        AchievementMetric::Reviews => "M4 20l1-5L16 4l4 4L9 19ZM14 6l4 4",
        AchievementMetric::TierPoints => "M4 8l4 4 4-7 4 7 4-4-2 10H6ZM6 21h12",
    }
}
