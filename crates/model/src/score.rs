//! All percentages, scores and ranks of the API. Values are rounded only here, so that ranks follow the values that clients see.

use super::time::HOUR;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Two days: long enough to survive a weekend, short enough to stay "hot".
const HALF_LIFE: i64 = 48 * HOUR;
/// Of acts on skins and capes: what was liked a week ago is still seen.
const TREND_HALF_LIFE: i64 = 72 * HOUR;
/// A hundred players weigh about as much as nine new votes, a thousand as fourteen.
const PLAYER_SHARE: f64 = 2.0;
/// Percent; the normal variation of a server without a trend.
const STABLE_WITHIN: f64 = 5.0;

/// Rounds half away from zero; never returns negative zero, which JSON would show as `-0.0`.
pub fn round(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale).round() / scale + 0.0
}

/// A fraction, rounded half away from zero on the decimal; 0 if the denominator is not positive. Whole numbers are exact: as a
/// float, 2.175 is a little less and would become 2.17.
pub fn ratio(numerator: i64, denominator: i64, decimals: u32) -> f64 {
    exact_ratio(i128::from(numerator), i128::from(denominator), decimals)
}

fn exact_ratio(numerator: i128, denominator: i128, decimals: u32) -> f64 {
    if denominator <= 0 {
        return 0.0;
    }
    let scale = 10_i128.pow(decimals);
    let doubled = numerator.abs().saturating_mul(2 * scale);
    let rounded = doubled.saturating_add(denominator) / denominator.saturating_mul(2);
    (numerator.signum() * rounded) as f64 / scale as f64
}

/// Percentage of the watched time, two decimals; 0 without watched time.
pub fn uptime(online_ms: i64, watched_ms: i64) -> f64 {
    let online = i128::from(online_ms.clamp(0, watched_ms.max(0)));
    exact_ratio(online * 100, i128::from(watched_ms), 2)
}

/// A time-weighted mean as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mean {
    pub sum: i64,
    pub weight: i64,
}

/// Change of a mean in percent, one decimal; 0 if the mean before is 0.
pub fn trend(now: Mean, before: Mean) -> f64 {
    let product = |a: i64, b: i64| i128::from(a) * i128::from(b.max(1));
    let (now, before) = (product(now.sum, before.weight), product(before.sum, now.weight));
    exact_ratio((now - before).saturating_mul(100), before, 1)
}

/// `up` above +5 %, `down` below −5 %, otherwise `stable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Up,
    Down,
    Stable,
}

pub fn direction(trend_percent: f64) -> Direction {
    if trend_percent > STABLE_WITHIN {
        Direction::Up
    } else if trend_percent < -STABLE_WITHIN {
        Direction::Down
    } else {
        Direction::Stable
    }
}

/// The heat after exponential decay; a `to_ms` before `from_ms` leaves it unchanged.
pub fn decay(heat: f64, from_ms: i64, to_ms: i64) -> f64 {
    let age = to_ms.saturating_sub(from_ms).max(0);
    heat * (-(age as f64) / HALF_LIFE as f64).exp2()
}

/// Adds a vote. The result is as of the later of both times, so votes may arrive in any order.
pub fn add_vote(heat: f64, heat_at: i64, vote_at: i64) -> (f64, i64) {
    let at = heat_at.max(vote_at);
    (decay(heat, heat_at, at) + decay(1.0, vote_at, at), at)
}

/// Adds an act to a trend: the base-2 logarithm of all acts, each halved with every [`TREND_HALF_LIFE`] of its age and counted as
/// of the epoch. Of two trends the higher one is higher at any time, so that an order by trend changes with acts only.
pub fn add_act(trend: f64, weight: f64, at: i64) -> f64 {
    let act = weight.log2() + at as f64 / TREND_HALF_LIFE as f64;
    let (high, low) = if trend > act { (trend, act) } else { (act, trend) };
    high + (low - high).exp2().ln_1p() / std::f64::consts::LN_2
}

/// Vote heat plus a logarithmic share of the players, scaled by uptime; three decimals.
pub fn hot_score(heat_now: f64, recent_players: f64, uptime_pct: f64) -> f64 {
    let interest = heat_now.max(0.0) + PLAYER_SHARE * recent_players.max(0.0).ln_1p();
    round(interest * uptime_pct.clamp(0.0, 100.0) / 100.0, 3)
}

/// Mean rating, two decimals; 0 without ratings.
pub fn rating(sum: i64, count: i64) -> f64 {
    ratio(sum, count, 2)
}

/// Kills per death, two decimals; the number of kills if there are no deaths.
pub fn kd_ratio(kills: i64, deaths: i64) -> f64 {
    ratio(kills.max(0), deaths.max(1), 2)
}

/// The inputs of [`rank_score`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankInput {
    pub play_time_s: i64,
    pub sessions: i64,
    pub servers: i64,
    pub kills: i64,
    pub wins: i64,
    pub tier_points: i64,
}

/// A sum with diminishing returns, two decimals; no input lowers it. Inputs that are easy to farm grow with the logarithm, the
/// others with the square root:
/// `4√hours + 3√wins + 8√tier points + 3·ln(1+sessions) + 6·ln(1+servers) + 5·ln(1+kills)`.
pub fn rank_score(input: &RankInput) -> f64 {
    let root = |x: f64| x.max(0.0).sqrt();
    let log = |x: i64| (x.max(0) as f64).ln_1p();
    let score = 4.0 * root(input.play_time_s as f64 / 3_600.0)
        + 3.0 * root(input.wins as f64)
        + 8.0 * root(input.tier_points as f64)
        + 3.0 * log(input.sessions)
        + 6.0 * log(input.servers)
        + 5.0 * log(input.kills);
    round(score, 2)
}

/// `1,234,567`
pub fn format_count(count: i64) -> String {
    let sign = if count < 0 { "-" } else { "" };
    format!("{sign}{}", grouped(&count.unsigned_abs().to_string()))
}

/// `1,234.56`, always two decimals; `0.00` if it is not finite.
pub fn format_score(score: f64) -> String {
    let score = if score.is_finite() { score } else { 0.0 };
    let text = format!("{:.2}", score.abs());
    let sign = if score < 0.0 && text != "0.00" { "-" } else { "" };
    let (whole, cents) = text.split_at(text.len() - 3);
    format!("{sign}{}{cents}", grouped(whole))
}

fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percentages() {
        assert_eq!(uptime(0, 0), 0.0);
        assert_eq!(uptime(1, 3), 33.33);
        assert_eq!(uptime(5, 3), 100.0);
        assert_eq!(uptime(-5, 3), 0.0);
        let mean = |sum, weight| Mean { sum, weight };
        assert_eq!(trend(mean(110, 1), mean(200, 2)), 10.0);
        assert_eq!(trend(mean(10, 1), mean(0, 1)), 0.0);
        assert_eq!(trend(mean(10, 1), mean(0, 0)), 0.0);
        assert_eq!(trend(mean(0, 0), mean(3, 1)), -100.0);
        assert!(trend(mean(99_999, 1_000), mean(100, 1)).is_sign_positive());
        assert_eq!(trend(mean(i64::MAX, 1), mean(1, i64::MAX)), trend(mean(i64::MAX, 1), mean(1, i64::MAX)).abs());
    }

    #[test]
    fn ratios_are_rounded_half_up_on_the_decimal() {
        // Each of these floats lies below its decimal.
        for (numerator, denominator, expected) in [(87, 40, 2.18), (43, 40, 1.08), (201, 200, 1.01), (23, 40, 0.58)] {
            assert_eq!(ratio(numerator, denominator, 2), expected, "{numerator}/{denominator}");
            assert_eq!(ratio(-numerator, denominator, 2), -expected);
        }
        assert_eq!(kd_ratio(87, 40), 2.18);
        assert_eq!(rating(807, 200), 4.04);
        assert_eq!(uptime(20_115, 200_000), 10.06);
        assert_eq!(trend(Mean { sum: 10_105, weight: 1 }, Mean { sum: 10_000, weight: 1 }), 1.1);
    }

    #[test]
    fn directions_ignore_changes_within_five_percent() {
        assert_eq!(direction(5.0), Direction::Stable);
        assert_eq!(direction(5.1), Direction::Up);
        assert_eq!(direction(-5.0), Direction::Stable);
        assert_eq!(direction(-5.1), Direction::Down);
        let names = [Direction::Up, Direction::Down, Direction::Stable];
        assert_eq!(serde_json::to_string(&names).unwrap(), r#"["up","down","stable"]"#);
    }

    #[test]
    fn votes_halve_every_two_days() {
        assert_eq!(decay(8.0, 0, 48 * HOUR), 4.0);
        assert_eq!(decay(8.0, 0, 96 * HOUR), 2.0);
        assert_eq!(decay(8.0, HOUR, 0), 8.0);
        assert_eq!(add_vote(0.0, 0, 7), (1.0, 7));
        assert_eq!(add_vote(2.0, 0, 48 * HOUR), (2.0, 48 * HOUR));
        assert_eq!(add_vote(2.0, 48 * HOUR, 0), (2.5, 48 * HOUR));
    }

    #[test]
    fn acts_halve_every_three_days_and_their_order_stays() {
        let once = add_act(f64::NEG_INFINITY, 1.0, 0);
        assert_eq!(once, 0.0);
        assert_eq!(add_act(once, 1.0, 0), 1.0);
        // Two acts of three days ago are worth one of now.
        let later = add_act(f64::NEG_INFINITY, 1.0, TREND_HALF_LIFE);
        assert_eq!(later, add_act(once, 1.0, 0));
        assert_eq!(add_act(once, 1.0, TREND_HALF_LIFE), add_act(later, 1.0, 0));
    }

    #[test]
    fn scores() {
        assert_eq!(hot_score(10.0, 0.0, 50.0), 5.0);
        assert_eq!(hot_score(0.0, 100.0, 100.0), 9.23);
        assert_eq!(hot_score(f64::NAN, -1.0, 100.0), 0.0);
        assert_eq!(rating(0, 0), 0.0);
        assert_eq!(rating(14, 3), 4.67);
        assert_eq!(kd_ratio(7, 0), 7.0);
        assert_eq!(kd_ratio(7, 3), 2.33);
        assert_eq!(rank_score(&RankInput::default()), 0.0);
    }

    fn with(input: RankInput, field: usize, more: i64) -> RankInput {
        let mut input = input;
        let fields = [
            &mut input.play_time_s,
            &mut input.sessions,
            &mut input.servers,
            &mut input.kills,
            &mut input.wins,
            &mut input.tier_points,
        ];
        *fields.into_iter().nth(field).unwrap() += more;
        input
    }

    fn any_rank_input() -> impl Strategy<Value = RankInput> {
        prop::array::uniform6(0..10_000_000_i64)
            .prop_map(|values| (0..6).fold(RankInput::default(), |input, i| with(input, i, values[i])))
    }

    proptest! {
        #[test]
        fn decay_composes(heat in 0.0..1e6, a in 0..1_000 * HOUR, b in 0..1_000 * HOUR) {
            let twice = decay(decay(heat, 0, a), a, a + b);
            let once = decay(heat, 0, a + b);
            prop_assert!((twice - once).abs() <= 1e-9 * heat.max(1.0));
            prop_assert!(once <= heat);
        }

        #[test]
        fn votes_may_arrive_in_any_order(mut votes in prop::collection::vec(0..1_000 * HOUR, 1..12)) {
            let total = |votes: &[i64]| votes.iter().fold((0.0, 0), |(heat, at), vote| add_vote(heat, at, *vote));
            let (heat, at) = total(&votes);
            votes.sort_unstable();
            let (sorted_heat, sorted_at) = total(&votes);
            prop_assert_eq!(at, sorted_at);
            prop_assert!((heat - sorted_heat).abs() < 1e-9);
        }

        #[test]
        fn rank_score_is_monotone_with_falling_returns(
            input in any_rank_input(), field in 0..6_usize, more in 1..100_000_i64,
        ) {
            let base = rank_score(&input);
            let first = rank_score(&with(input, field, more)) - base;
            let second = rank_score(&with(input, field, 2 * more)) - base - first;
            prop_assert!(first >= 0.0);
            // Three rounded values take part, each off by at most half a cent.
            prop_assert!(second <= first + 0.021);
        }

        #[test]
        fn hot_score_is_monotone(heat in 0.0..1e4, players in 0.0..1e6, up in 0.0..100.0, more in 0.0..1e3) {
            let base = hot_score(heat, players, up);
            prop_assert!(hot_score(heat + more, players, up) >= base);
            prop_assert!(hot_score(heat, players + more, up) >= base);
            prop_assert!(hot_score(heat, players, up + more) >= base);
        }

        #[test]
        fn separators_only_add_commas(count in any::<i64>()) {
            let text = format_count(count);
            prop_assert_eq!(text.replace(',', ""), count.to_string());
            prop_assert!(text.trim_start_matches('-').split(',').skip(1).all(|group| group.len() == 3));
        }

        #[test]
        fn uptime_is_a_percentage(online in any::<i64>(), watched in any::<i64>()) {
            prop_assert!((0.0..=100.0).contains(&uptime(online, watched)));
        }
    }
}
