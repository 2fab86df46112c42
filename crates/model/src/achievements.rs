//! The fixed list of player achievements. Earned ones are stored as a bit mask by position, so entries may be appended but never
//! reordered or removed.

use super::tier;
use AchievementMetric::*;
use serde::Serialize;
use utoipa::ToSchema;

/// The length of `nextGoals`.
const NEXT_GOALS: usize = 3;
const HOUR_S: i64 = 3_600;

/// A player's totals over all public servers and all time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerTotals {
    pub play_time_s: i64,
    pub sessions: i64,
    pub servers: i64,
    pub kills: i64,
    pub deaths: i64,
    pub wins: i64,
    pub votes: i64,
    pub reviews: i64,
    /// Points of the tier, from 60 for `HT1` down to 0 for `Unranked`.
    pub tier_points: i64,
}

/// The total that an achievement depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AchievementMetric {
    PlayTime,
    Sessions,
    Servers,
    Kills,
    Deaths,
    Wins,
    Votes,
    Reviews,
    TierPoints,
}

impl AchievementMetric {
    fn of(self, totals: &PlayerTotals) -> i64 {
        match self {
            PlayTime => totals.play_time_s,
            Sessions => totals.sessions,
            Servers => totals.servers,
            Kills => totals.kills,
            Deaths => totals.deaths,
            Wins => totals.wins,
            Votes => totals.votes,
            Reviews => totals.reviews,
            TierPoints => totals.tier_points,
        }
    }
}

/// Names and icon of an achievement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Achievement {
    /// Id of the achievement, for the `achievement` filter of `/leaderboards`.
    pub id: &'static str,
    /// Name in English.
    pub label: &'static str,
    /// Name in Turkish.
    pub label_tr: &'static str,
    /// Name in Russian.
    pub label_ru: &'static str,
    /// Icon, one emoji.
    pub icon: &'static str,
    #[serde(skip)]
    metric: AchievementMetric,
    /// Earned when the total reaches this value, which is positive.
    #[serde(skip)]
    threshold: i64,
}

impl Achievement {
    fn reached(&self, totals: &PlayerTotals) -> bool {
        self.metric.of(totals) >= self.threshold
    }

    /// The total that counts.
    pub fn metric(&self) -> AchievementMetric {
        self.metric
    }

    /// The total so far, and the total that earns it.
    pub fn progress(&self, totals: &PlayerTotals) -> (i64, i64) {
        (self.metric.of(totals), self.threshold)
    }

    /// How many achievements of the same kind are at most as hard, this one included: 1 for the easiest.
    pub fn level(&self) -> usize {
        CATALOGUE.iter().filter(|other| other.metric == self.metric && other.threshold <= self.threshold).count()
    }

    fn fraction(&self, totals: &PlayerTotals) -> f64 {
        self.metric.of(totals).max(0) as f64 / self.threshold as f64
    }
}

/// Bit `n` of a mask is entry `n`. One line per entry, so that the three languages can be compared.
#[rustfmt::skip]
pub static CATALOGUE: [Achievement; 24] = [
    row(Sessions, 1, "first-steps", "👣", ["First Steps", "İlk Adımlar", "Первые шаги"]),
    row(Sessions, 50, "regular", "☕", ["Regular", "Müdavim", "Завсегдатай"]),
    row(Sessions, 500, "old-hand", "🏠", ["Old Hand", "Eski Toprak", "Старожил"]),
    row(PlayTime, HOUR_S, "warm-up", "🌱", ["Warm-Up", "Isınma Turu", "Разминка"]),
    row(PlayTime, 24 * HOUR_S, "day-and-night", "🌗", ["Day and Night", "Gece Gündüz", "День и ночь"]),
    row(PlayTime, 100 * HOUR_S, "veteran", "🎖️", ["Veteran", "Emektar", "Ветеран"]),
    row(PlayTime, 500 * HOUR_S, "marathon", "🏃", ["Marathon", "Maraton", "Марафон"]),
    row(PlayTime, 2_000 * HOUR_S, "living-legend", "🐉", ["Living Legend", "Yaşayan Efsane", "Живая легенда"]),
    row(Servers, 3, "explorer", "🧭", ["Explorer", "Kâşif", "Исследователь"]),
    row(Servers, 10, "globetrotter", "🌍", ["Globetrotter", "Dünya Gezgini", "Путешественник"]),
    row(Kills, 1, "first-blood", "🩸", ["First Blood", "İlk Kan", "Первая кровь"]),
    row(Kills, 100, "warrior", "⚔️", ["Warrior", "Savaşçı", "Воин"]),
    row(Kills, 1_000, "slayer", "💀", ["Slayer", "Ölüm Makinesi", "Гроза врагов"]),
    row(Deaths, 100, "phoenix", "🔥", ["Phoenix", "Anka Kuşu", "Феникс"]),
    row(Wins, 1, "first-win", "🥇", ["First Win", "İlk Zafer", "Первая победа"]),
    row(Wins, 50, "champion", "🏆", ["Champion", "Şampiyon", "Чемпион"]),
    row(Wins, 500, "unstoppable", "🚀", ["Unstoppable", "Durdurulamaz", "Неудержимая сила"]),
    row(Votes, 1, "first-vote", "🗳️", ["First Vote", "İlk Oy", "Первый голос"]),
    row(Votes, 30, "supporter", "📣", ["Supporter", "Destekçi", "Группа поддержки"]),
    row(Votes, 200, "true-fan", "💖", ["True Fan", "Gerçek Hayran", "Настоящий фанат"]),
    row(Reviews, 1, "critic", "✍️", ["Critic", "Eleştirmen", "Критик"]),
    row(Reviews, 10, "connoisseur", "🧐", ["Connoisseur", "Usta Eleştirmen", "Знаток"]),
    row(TierPoints, 1, "tier-climber", "🪜", ["Tier Climber", "Yükselişte", "На подъёме"]),
    row(TierPoints, tier::POINTS[0], "top-tier", "👑", ["Top Tier", "Zirvede", "На вершине"]),
];

/// Labels are in English, Turkish and Russian.
const fn row(
    metric: AchievementMetric,
    threshold: i64,
    id: &'static str,
    icon: &'static str,
    [label, label_tr, label_ru]: [&'static str; 3],
) -> Achievement {
    Achievement { id, label, label_tr, label_ru, icon, metric, threshold }
}

/// The mask of achievements that these totals reach. The caller must keep bits that were earned before.
pub fn earned(totals: &PlayerTotals) -> u64 {
    CATALOGUE
        .iter()
        .enumerate()
        .filter(|(_, achievement)| achievement.reached(totals))
        .fold(0, |mask, (bit, _)| mask | 1 << bit)
}

/// The achievements that are neither in the mask nor reached, closest to completion first; at most three.
pub fn next_goals(totals: &PlayerTotals, mask: u64) -> Vec<&'static Achievement> {
    let mut open: Vec<_> = CATALOGUE
        .iter()
        .enumerate()
        .filter(|(bit, achievement)| mask & 1 << bit == 0 && !achievement.reached(totals))
        .map(|(_, achievement)| achievement)
        .collect();
    // The stable sort keeps ties in the order of the list.
    open.sort_by(|a, b| b.fraction(totals).total_cmp(&a.fraction(totals)));
    open.truncate(NEXT_GOALS);
    open
}

/// The position in the list, which is also the bit number.
pub fn by_id(id: &str) -> Option<usize> {
    CATALOGUE.iter().position(|achievement| achievement.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;
    use utoipa::PartialSchema;

    const KEYS: [&str; 5] = ["icon", "id", "label", "labelRu", "labelTr"];

    #[test]
    fn positions_never_change() {
        let ids: Vec<_> = CATALOGUE.iter().map(|achievement| achievement.id).collect();
        assert_eq!(
            ids.join(" "),
            "first-steps regular old-hand warm-up day-and-night veteran marathon living-legend \
             explorer globetrotter first-blood warrior slayer phoenix first-win champion \
             unstoppable first-vote supporter true-fan critic connoisseur tier-climber top-tier"
        );
    }

    #[test]
    fn entries_are_unique_and_complete() {
        assert!(CATALOGUE.len() <= u64::BITS as usize);
        let rules: HashSet<_> = CATALOGUE.iter().map(|a| (a.metric as u8, a.threshold)).collect();
        assert_eq!(rules.len(), CATALOGUE.len());
        for text in [
            |a: &Achievement| a.id,
            |a: &Achievement| a.label,
            |a: &Achievement| a.label_tr,
            |a: &Achievement| a.label_ru,
            |a: &Achievement| a.icon,
        ] {
            let texts: HashSet<_> = CATALOGUE.iter().map(text).collect();
            assert_eq!(texts.len(), CATALOGUE.len());
            assert!(!texts.contains(""));
        }
        for (position, achievement) in CATALOGUE.iter().enumerate() {
            assert!(achievement.threshold > 0);
            assert_eq!(by_id(achievement.id), Some(position));
            assert!(achievement.label_ru.chars().all(|c| !c.is_ascii_alphabetic()));
        }
        assert_eq!(by_id("unknown"), None);
    }

    #[test]
    fn rules_are_not_serialised() {
        let json = serde_json::to_value(CATALOGUE[0]).unwrap();
        let mut keys: Vec<_> = json.as_object().unwrap().keys().collect();
        keys.sort_unstable();
        assert_eq!(keys, KEYS);
        let schema = serde_json::to_value(Achievement::schema()).unwrap();
        let mut keys: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        keys.sort_unstable();
        assert_eq!(keys, KEYS);
    }

    #[test]
    fn a_new_player_gets_the_first_entries_as_goals() {
        let goals = next_goals(&PlayerTotals::default(), 0);
        let ids: Vec<_> = goals.iter().map(|goal| goal.id).collect();
        assert_eq!(ids, ["first-steps", "regular", "old-hand"]);
    }

    #[test]
    fn the_nearest_goals_come_first() {
        let totals = PlayerTotals { sessions: 40, kills: 90, servers: 2, ..PlayerTotals::default() };
        let goals = next_goals(&totals, earned(&totals));
        let ids: Vec<_> = goals.iter().map(|goal| goal.id).collect();
        assert_eq!(ids, ["warrior", "regular", "explorer"]);
    }

    fn any_totals() -> impl Strategy<Value = PlayerTotals> {
        prop::array::uniform9(prop_oneof![-2..3_i64, 0..120_i64, 0..8_000_000_i64]).prop_map(|n| PlayerTotals {
            play_time_s: n[0],
            sessions: n[1],
            servers: n[2],
            kills: n[3],
            deaths: n[4],
            wins: n[5],
            votes: n[6],
            reviews: n[7],
            tier_points: n[8],
        })
    }

    proptest! {
        #[test]
        fn goals_are_the_closest_achievements_not_earned(totals in any_totals(), mask in any::<u64>()) {
            let done = mask | earned(&totals);
            let goals = next_goals(&totals, mask);
            let open: Vec<_> = (0..CATALOGUE.len()).filter(|bit| done & 1 << bit == 0).collect();
            prop_assert_eq!(goals.len(), open.len().min(NEXT_GOALS));
            let bits: Vec<_> = goals.iter().map(|goal| by_id(goal.id).unwrap()).collect();
            prop_assert!(bits.iter().all(|bit| open.contains(bit)));
            prop_assert!(goals.is_sorted_by(|a, b| a.fraction(&totals) >= b.fraction(&totals)));
            if let Some(last) = goals.last() {
                let left_out = open.iter().filter(|bit| !bits.contains(bit));
                for bit in left_out {
                    prop_assert!(CATALOGUE[*bit].fraction(&totals) <= last.fraction(&totals));
                }
            }
        }

        #[test]
        fn more_play_never_loses_an_achievement(totals in any_totals(), more in 0..1_000_i64) {
            let later = PlayerTotals {
                play_time_s: totals.play_time_s + more,
                kills: totals.kills + more,
                reviews: totals.reviews + more,
                ..totals
            };
            prop_assert_eq!(earned(&totals) & !earned(&later), 0);
        }
    }
}
