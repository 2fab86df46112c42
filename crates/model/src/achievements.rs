//! The fixed catalogue of player achievements. Earned ones are stored as bits by position, so entries
//! are only ever appended: never reordered, never removed.

use super::tier;
use Metric::*;
use serde::Serialize;
use utoipa::ToSchema;

/// How many goals a player is shown.
const GOALS_SHOWN: usize = 3;
const HOUR_S: i64 = 3_600;

/// A player's own figures, over all servers and all time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub play_time_s: i64,
    pub sessions: i64,
    pub servers: i64,
    pub kills: i64,
    pub deaths: i64,
    pub wins: i64,
    pub votes: i64,
    pub reviews: i64,
    pub tier_points: i64,
}

/// The figure an achievement looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
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

impl Metric {
    pub fn of(self, figures: &Figures) -> i64 {
        match self {
            PlayTime => figures.play_time_s,
            Sessions => figures.sessions,
            Servers => figures.servers,
            Kills => figures.kills,
            Deaths => figures.deaths,
            Wins => figures.wins,
            Votes => figures.votes,
            Reviews => figures.reviews,
            TierPoints => figures.tier_points,
        }
    }
}

/// Only the texts are shown; the rule stays inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Achievement {
    pub id: &'static str,
    pub label: &'static str,
    pub label_tr: &'static str,
    pub label_ru: &'static str,
    pub icon: &'static str,
    #[serde(skip)]
    pub metric: Metric,
    /// Earned once the figure reaches this; always positive.
    #[serde(skip)]
    pub threshold: i64,
}

impl Achievement {
    fn reached(&self, figures: &Figures) -> bool {
        self.metric.of(figures) >= self.threshold
    }

    fn fraction(&self, figures: &Figures) -> f64 {
        self.metric.of(figures).max(0) as f64 / self.threshold as f64
    }
}

/// Bit `n` of a mask is entry `n`. One line each, so that the three languages can be compared.
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

/// Labels in the order English, Turkish, Russian.
const fn row(
    metric: Metric,
    threshold: i64,
    id: &'static str,
    icon: &'static str,
    [label, label_tr, label_ru]: [&'static str; 3],
) -> Achievement {
    Achievement { id, label, label_tr, label_ru, icon, metric, threshold }
}

/// The mask of all that the figures reach now; the caller keeps bits that were earned before.
pub fn earned(figures: &Figures) -> u64 {
    CATALOGUE
        .iter()
        .enumerate()
        .filter(|(_, achievement)| achievement.reached(figures))
        .fold(0, |mask, (bit, _)| mask | 1 << bit)
}

/// The three nearest that are neither in the mask nor reached, by the fraction already done.
pub fn next_goals(figures: &Figures, mask: u64) -> Vec<&'static Achievement> {
    let mut open: Vec<_> = CATALOGUE
        .iter()
        .enumerate()
        .filter(|(bit, achievement)| mask & 1 << bit == 0 && !achievement.reached(figures))
        .map(|(_, achievement)| achievement)
        .collect();
    // The sort is stable, which leaves ties in the order of the catalogue.
    open.sort_by(|a, b| b.fraction(figures).total_cmp(&a.fraction(figures)));
    open.truncate(GOALS_SHOWN);
    open
}

/// The position, which is also the bit.
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
    fn positions_are_frozen() {
        let ids: Vec<_> = CATALOGUE.iter().map(|achievement| achievement.id).collect();
        assert_eq!(
            ids.join(" "),
            "first-steps regular old-hand warm-up day-and-night veteran marathon living-legend \
             explorer globetrotter first-blood warrior slayer phoenix first-win champion \
             unstoppable first-vote supporter true-fan critic connoisseur tier-climber top-tier"
        );
    }

    #[test]
    fn the_catalogue_is_sound() {
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
    fn only_the_texts_are_serialised_and_described() {
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
    fn a_new_player_is_offered_the_first_entries() {
        let goals = next_goals(&Figures::default(), 0);
        let ids: Vec<_> = goals.iter().map(|goal| goal.id).collect();
        assert_eq!(ids, ["first-steps", "regular", "old-hand"]);
    }

    #[test]
    fn the_nearest_goals_come_first() {
        let figures = Figures { sessions: 40, kills: 90, servers: 2, ..Figures::default() };
        let goals = next_goals(&figures, earned(&figures));
        let ids: Vec<_> = goals.iter().map(|goal| goal.id).collect();
        assert_eq!(ids, ["warrior", "regular", "explorer"]);
    }

    fn any_figures() -> impl Strategy<Value = Figures> {
        prop::array::uniform9(prop_oneof![-2..3_i64, 0..120_i64, 0..8_000_000_i64]).prop_map(|n| Figures {
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
        fn goals_are_the_nearest_not_earned(figures in any_figures(), mask in any::<u64>()) {
            let done = mask | earned(&figures);
            let goals = next_goals(&figures, mask);
            let open: Vec<_> = (0..CATALOGUE.len()).filter(|bit| done & 1 << bit == 0).collect();
            prop_assert_eq!(goals.len(), open.len().min(GOALS_SHOWN));
            let bits: Vec<_> = goals.iter().map(|goal| by_id(goal.id).unwrap()).collect();
            prop_assert!(bits.iter().all(|bit| open.contains(bit)));
            prop_assert!(goals.is_sorted_by(|a, b| a.fraction(&figures) >= b.fraction(&figures)));
            if let Some(last) = goals.last() {
                let left_out = open.iter().filter(|bit| !bits.contains(bit));
                for bit in left_out {
                    prop_assert!(CATALOGUE[*bit].fraction(&figures) <= last.fraction(&figures));
                }
            }
        }

        #[test]
        fn more_play_never_loses_an_achievement(figures in any_figures(), more in 0..1_000_i64) {
            let later = Figures {
                play_time_s: figures.play_time_s + more,
                kills: figures.kills + more,
                reviews: figures.reviews + more,
                ..figures
            };
            prop_assert_eq!(earned(&figures) & !earned(&later), 0);
        }
    }
}
