//! Live activity continues the generated history: rates of votes and reviews, and their totals.

use std::sync::Arc;

use super::*;
use crate::vote_receivers::DemoVoteReceivers;
use crate::world::DemoWorld;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::totals::{self, RecomputeScope};

/// Fewer rows than the demo, at about half of its rates.
fn size() -> WorldSize {
    WorldSize {
        votes: 30_000,
        reviews: 1_200,
        days: 90,
        hours_ms: 2 * DAY,
        five_minutes_ms: HOUR,
        ..WorldSize::tests()
    }
}

fn activity(store: &mut TestStore) -> LiveActivity {
    let pictures = PictureGenerator::minimal(store.media.clone());
    let size = WorldSize { raw_interval_ms: HOUR, ..size() };
    generate_demo(&mut store.conn, SEED, NOW, &size, &pictures, &GenerateProgress::hidden()).unwrap();
    LiveActivity::new(Arc::new(DemoWorld::generate(SEED, NOW, &size)), DemoVoteReceivers::default())
}

/// Rows per hour, from the earliest.
fn per_hour(store: &mut TestStore, table: &str, time: &str, from: i64, hours: i64) -> Vec<i64> {
    let count = |hour: i64| {
        let (from, to) = (from + hour * HOUR, from + (hour + 1) * HOUR);
        store.count(&format!("{table} where {time} > {from} and {time} <= {to}"))
    };
    (0..hours).map(count).collect()
}

#[test]
fn votes_and_reviews_go_on_as_before() {
    let mut store = store();
    let activity = activity(&mut store);
    let before: Vec<_> = [("votes", "voted_at"), ("reviews", "created_at")]
        .map(|(t, at)| per_hour(&mut store, t, at, NOW - DAY, 24))
        .into();
    for step in 0..24 * 6 {
        let from = NOW + step * 10 * MINUTE;
        activity.write(&mut store.conn, from, from + 10 * MINUTE).unwrap();
    }
    for ((table, time), before) in [("votes", "voted_at"), ("reviews", "created_at")].into_iter().zip(before) {
        let after = per_hour(&mut store, table, time, NOW, 24);
        let (low, high) = (before.iter().min().unwrap(), before.iter().max().unwrap());
        let outside = after.iter().filter(|count| !(low..=high).contains(count)).count();
        assert!(outside <= 1, "{table}: {after:?}, before {before:?}");
        let (sum, sum_before) = (after.iter().sum::<i64>(), before.iter().sum::<i64>());
        assert!(sum * 2 > sum_before && sum < sum_before * 2, "{table}: {sum} after, {sum_before} before");
    }
    // The totals are those of the rows.
    let dumped = store.dump();
    totals::recompute(&mut store.conn, &RecomputeScope::All).unwrap();
    assert!(store.dump() == dumped);
}

#[test]
fn a_span_of_time_has_the_same_events_in_one_step_or_many() {
    let (mut whole, mut parts) = (store(), store());
    let (activity, _) = (activity(&mut whole), self::activity(&mut parts));
    activity.write(&mut whole.conn, NOW, NOW + HOUR).unwrap();
    for minute in 0..60 {
        activity.write(&mut parts.conn, NOW + minute * MINUTE, NOW + (minute + 1) * MINUTE).unwrap();
    }
    let ids = |store: &mut TestStore| store.texts("select server_n || game_username || voted_at from votes order by 1");
    assert_eq!(ids(&mut whole), ids(&mut parts));
}
