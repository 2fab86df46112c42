//! Player counts that a server cannot have do not reach totals, rankings and peaks.

use rollcall_demo::fake_servers::FakeStatus;
use rollcall_store::values;
use serde_json::{Value, json};

use super::{TrackerFixture, says};
use crate::harness::Engine;

fn count(players: i64, max_players: i64) -> FakeStatus {
    FakeStatus { max_players, ..says(players) }
}

fn current_players(fixture: &TrackerFixture, slug: &str) -> Value {
    fixture.until(&format!("/servers/{slug}"), |data| data["server"]["isOnline"] == true)["server"]["currentPlayers"]
        .clone()
}

/// The stored counts of a server, oldest first: what counts, and what was rejected.
fn samples(fixture: &TrackerFixture, slug: &str) -> Vec<(i64, Option<i64>)> {
    let sql = "select x.players, x.rejected_players from samples x join servers s on s.n = x.server_n
               where s.slug = $1 order by x.at";
    fixture.store().change(|conn| {
        rollcall_store::samples::write_pending(conn)?;
        conn.query(sql, values![slug], |row| (row.get(0), row.get(1)))
    })
}

#[test]
fn impossible_counts_are_marked_and_left_out() {
    Engine::BOTH.into_iter().for_each(impossible_counts_are_marked_and_left_out_on);
}

fn impossible_counts_are_marked_and_left_out_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    fixture.java("honest.example", says(69));
    fixture.java("slots.example", count(1_000_000, 100));
    fixture.java("boaster.example", count(1_000_000, 1_000_000));
    for (host, name) in [("honest.example", "Honest"), ("slots.example", "Slots"), ("boaster.example", "Boaster")] {
        fixture.command(&["add", host, "--name", name, "--country", "de"]);
    }
    fixture.track();
    fixture.polls(8);
    fixture.settle_totals();
    // The slots and a queue, and what any server may have.
    let total = 69 + 125 + 1_000;
    let live = fixture.until("/live", |data| data["stats"]["totalPlayers"] == total);
    assert_eq!(live["stats"]["peakToday"], total);
    assert_eq!((&live["countryPlayers"], &live["regions"][0]["players"]), (&json!({"Germany": total}), &json!(total)));
    assert_eq!((&live["topServers"][0]["players"], &live["topServers"][1]["players"]), (&json!(1_000), &json!(125)));
    // The first total may be older than the first poll of some servers.
    let history = fixture.until("/live/history", |data| data["history"][0]["totalPlayers"] != 0);
    assert!((1..=total).contains(&history["history"][0]["totalPlayers"].as_i64().unwrap()), "{history}");
    assert_eq!(fixture.get("/servers?minPlayers=1001")["pagination"]["total"], 0);
    for (slug, counted, reason) in [("slots", 125, "far above its slots"), ("boaster", 1_000, "far above its history")]
    {
        let server = fixture.get(&format!("/servers/{slug}"))["server"].clone();
        let counts = (&server["currentPlayers"], &server["periodStats"]["24h"]["peakPlayers"]);
        assert_eq!(counts, (&json!(counted), &json!(counted)));
        let history = server["statsHistory"].as_array().unwrap();
        assert!(history.iter().all(|point| point["onlinePlayers"].as_i64() <= Some(counted)), "{server}");
        assert_eq!(samples(&fixture, slug), [(counted, Some(1_000_000)); 9], "{slug}");
        let shown: Value = serde_json::from_str(&fixture.command(&["show", slug, "--json"])).unwrap();
        assert_eq!(shown["note"], format!("reports 1000000 players, not counted: {reason}"));
    }
    assert_eq!(samples(&fixture, "honest"), [(69, None); 9]);
}

#[test]
fn a_queue_unknown_slots_and_growth_are_normal() {
    Engine::BOTH.into_iter().for_each(a_queue_unknown_slots_and_growth_are_normal_on);
}

fn a_queue_unknown_slots_and_growth_are_normal_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    fixture.java("queue.example", count(124, 100));
    fixture.java("unknown.example", count(80, 0));
    fixture.bedrock("pocket.example", count(501, 500));
    let growing = fixture.java("growing.example", count(900, 10_000));
    fixture.java("large.example", count(3_000, 5_000));
    for host in ["queue", "unknown", "growing", "large"] {
        fixture.command(&["add", &format!("{host}.example"), "--name", host]);
    }
    fixture.command(&["add", "pocket.example", "--edition", "bedrock", "--name", "pocket"]);
    fixture.track();
    for (slug, players) in [("queue", 124), ("unknown", 80), ("pocket", 501), ("growing", 900), ("large", 1_000)] {
        assert_eq!(current_players(&fixture, slug), players, "{slug}");
    }
    // The server has a history, so that it may grow. The new one must repeat its count.
    fixture.poll();
    fixture.set_reply(&growing, Some(count(3_600, 10_000)));
    fixture.polls(2);
    fixture.until("/servers/growing", |data| data["server"]["currentPlayers"] == 3_600);
    assert_eq!(current_players(&fixture, "large"), 1_000);
    fixture.poll();
    fixture.until("/servers/large", |data| data["server"]["currentPlayers"] == 3_000);
    assert_eq!(
        samples(&fixture, "large"),
        [(1_000, Some(3_000)), (1_000, Some(3_000)), (1_000, Some(3_000)), (1_000, Some(3_000)), (3_000, None)]
    );
    // A single wrong count is replaced by the last accepted one.
    fixture.set_reply(&growing, Some(count(900_000, 1_000_000)));
    fixture.poll();
    assert_eq!(samples(&fixture, "growing").last(), Some(&(3_600, Some(900_000))));
    fixture.until("/live", |data| data["stats"]["totalPlayers"] == 124 + 80 + 501 + 3_600 + 3_000);
}

#[test]
fn proxies_that_show_too_few_slots_count_after_five_polls() {
    Engine::BOTH.into_iter().for_each(proxies_that_show_too_few_slots_count_after_five_polls_on);
}

fn proxies_that_show_too_few_slots_count_after_five_polls_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    fixture.java("velocity.example", count(800, 500));
    fixture.java("bungee.example", count(30, 1));
    for host in ["velocity", "bungee"] {
        fixture.command(&["add", &format!("{host}.example"), "--name", host]);
    }
    fixture.track();
    fixture.polls(6);
    for (slug, reported, at_first) in [("velocity", 800, 625), ("bungee", 30, 21)] {
        let expected = [[(at_first, Some(reported)); 4].as_slice(), &[(reported, None); 3]].concat();
        assert_eq!(samples(&fixture, slug), expected, "{slug}");
    }
    fixture.until("/live", |data| data["stats"]["totalPlayers"] == 830);
}

#[test]
fn an_operator_confirms_or_discards_counts() {
    Engine::BOTH.into_iter().for_each(an_operator_confirms_or_discards_counts_on);
}

fn an_operator_confirms_or_discards_counts_on(engine: Engine) {
    let mut fixture = TrackerFixture::new(engine);
    fixture.java("huge.example", count(40_000, 200_000));
    fixture.command(&["add", "huge.example", "--name", "Huge"]);
    fixture.track();
    fixture.polls(6);
    assert_eq!(current_players(&fixture, "huge"), 1_000);
    for level in ["sampled", "verified"] {
        fixture.command(&["set", "huge", "--trust", level]);
        fixture.poll();
        fixture.until("/live", |data| data["stats"]["totalPlayers"] == 40_000);
        fixture.command(&["set", "huge", "--trust", "suspicious"]);
        fixture.poll();
        fixture.until("/live", |data| data["stats"]["totalPlayers"] == 0);
    }
    assert_eq!(samples(&fixture, "huge").last(), Some(&(0, Some(40_000))));
}
