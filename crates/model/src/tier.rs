//! Tiers of PvP tier lists: five levels, each with a high and a low half.

/// From the best tier down; the last is for players without a tier.
pub const LABELS: [&str; 11] = ["HT1", "LT1", "HT2", "LT2", "HT3", "LT3", "HT4", "LT4", "HT5", "LT5", "Unranked"];

/// The points of each tier, in the order of `LABELS`. Strictly decreasing, so that points identify the tier.
pub const POINTS: [i64; 11] = [60, 45, 30, 20, 10, 6, 4, 3, 2, 1, 0];

/// The best tier that these points reach.
pub fn from_points(points: i64) -> &'static str {
    LABELS[POINTS.partition_point(|needed| *needed > points).min(LABELS.len() - 1)]
}

/// The points of the tier with exactly this label.
pub fn points_of(label: &str) -> Option<i64> {
    let index = LABELS.iter().position(|known| *known == label)?;
    Some(POINTS[index])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_and_points_identify_each_other() {
        assert!(POINTS.is_sorted_by(|a, b| a > b));
        for (label, points) in LABELS.into_iter().zip(POINTS) {
            assert_eq!(from_points(points), label);
            assert_eq!(points_of(label), Some(points));
        }
        assert_eq!(points_of("ht1"), None);
    }

    #[test]
    fn points_between_two_tiers_give_the_lower_one() {
        assert_eq!(from_points(59), "LT1");
        assert_eq!(from_points(5), "HT4");
        assert_eq!(from_points(i64::MAX), "HT1");
        assert_eq!(from_points(-1), "Unranked");
        assert_eq!(from_points(i64::MIN), "Unranked");
    }

    proptest! {
        #[test]
        fn more_points_never_lower_the_tier(a in -5..100_i64, more in 0..100_i64) {
            let place = |points| LABELS.iter().position(|label| *label == from_points(points));
            prop_assert!(place(a + more) <= place(a));
        }
    }
}
