//! `GET /live`

use std::collections::BTreeMap;

use rollcall_model::time::{iso, parse_iso, start_of_day};
use serde_json::Value;

use crate::assert_answer;
use crate::harness::{Engine, NOW, Server, both};
use crate::servers::expected::{all_servers, items, number, text, walk};
use crate::servers::fixture::{change, insert, named};

fn whole(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is not a whole number"))
}

#[tokio::test]
async fn the_response_matches_its_snapshot() {
    assert_answer!("live", both("/live").await);
}

#[tokio::test]
async fn totals_are_the_sums_over_the_list() {
    let (all, live) = (all_servers().await, both("/live").await.data());
    let stats = &live["stats"];
    let players: i64 = all.iter().map(|server| whole(&server["currentPlayers"])).sum();
    assert_eq!(whole(&stats["totalPlayers"]), players);
    assert_eq!(stats["totalServers"], all.len());
    assert_eq!(stats["onlineServers"], all.iter().filter(|server| server["isOnline"] == true).count());
    assert!(whole(&stats["peakToday"]) >= players);
    assert_eq!(text(&stats["generatedAt"]), iso(NOW));
    let latest = all.iter().map(|server| text(&server["lastPing"])).max().expect("a ping");
    assert_eq!(stats["latestPingAt"], latest);
    assert_eq!(whole(&stats["statsAgeSeconds"]), (NOW - parse_iso(latest).expect("a time")) / 1_000);
    assert_eq!(stats["stale"], false);
}

#[tokio::test]
async fn new_players_are_those_since_midnight() {
    let midnight = iso(start_of_day(NOW));
    let players = walk("/players", "players", 100).await;
    let new = players.iter().filter(|player| text(&player["createdAt"]) >= midnight.as_str()).count();
    assert_eq!(both("/live").await.data()["stats"]["newPlayersToday"], new);
}

#[tokio::test]
async fn the_ten_busiest_servers_are_listed() {
    let live = both("/live").await.data();
    let listed = both("/servers?sort=players&limit=10").await.data();
    let (top, listed) = (items(&live["topServers"]), items(&listed["servers"]));
    assert_eq!(top.len(), listed.len());
    for (top, listed) in top.iter().zip(listed) {
        for (field, same) in [
            ("id", "id"),
            ("name", "name"),
            ("players", "currentPlayers"),
            ("maxPlayers", "maxPlayers"),
            ("isOnline", "isOnline"),
            ("country", "country"),
        ] {
            assert_eq!(top[field], listed[same], "{field}");
        }
        let direction = match number(&listed["trend"]) {
            up if up > 5.0 => "up",
            down if down < -5.0 => "down",
            _ => "stable",
        };
        assert_eq!(top["trend"], direction);
    }
}

#[tokio::test]
async fn change_compares_with_an_hour_ago() {
    let live = both("/live").await.data();
    let listed = both("/servers?sort=players&limit=10").await.data();
    let before = iso(NOW - 3_600_000);
    for (top, listed) in items(&live["topServers"]).iter().zip(items(&listed["servers"])) {
        let detail = both(&format!("/servers/{}", text(&listed["slug"]))).await.data();
        let points = items(&detail["server"]["statsHistory"]);
        let then = points.iter().rfind(|point| text(&point["timestamp"]) <= before.as_str()).expect("a point");
        assert_eq!(whole(&top["change"]), whole(&top["players"]) - whole(&then["onlinePlayers"]), "{}", top["name"]);
    }
}

#[tokio::test]
async fn countries_and_regions_add_up() {
    let (all, live) = (all_servers().await, both("/live").await.data());
    let mut countries: BTreeMap<&str, i64> = BTreeMap::new();
    for server in &all {
        *countries.entry(text(&server["country"])).or_default() += whole(&server["currentPlayers"]);
    }
    assert_eq!(live["countryPlayers"], serde_json::json!(countries));
    let regions = items(&live["regions"]);
    let sum = |field: &str| regions.iter().map(|region| whole(&region[field])).sum::<i64>();
    assert_eq!(sum("players"), whole(&live["stats"]["totalPlayers"]));
    assert_eq!(sum("servers"), all.len() as i64);
    assert!(regions.is_sorted_by(|a, b| whole(&a["players"]) >= whole(&b["players"])));
}

#[test]
fn servers_without_a_known_country_are_in_the_unknown_region() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut servers = [named(0, "Reykjavik"), named(1, "Nowhere"), named(2, "Atlantis")];
        (servers[1].country, servers[2].country) = ("Unknown", "Atlantis");
        insert(&server, &servers);
        let live = server.run(server.get("/live")).data();
        let expected = serde_json::json!([
            {"id": "unknown", "name": "Unknown", "players": 10, "servers": 2},
            {"id": "europe", "name": "Europe", "players": 5, "servers": 1},
        ]);
        assert_eq!(live["regions"], expected);
        assert_eq!(live["stats"]["totalPlayers"], 15);
    }
}

#[tokio::test]
async fn recent_activity_is_the_latest_of_all_newest_first() {
    let mut expected: Vec<(String, String, &str)> = Vec::new();
    for server in all_servers().await {
        for (kind, list, time) in
            [("vote", "voters", "votedAt"), ("review", "reviews", "createdAt"), ("update", "updates", "createdAt")]
        {
            let data = both(&format!("/servers/{}/{list}?limit=20", text(&server["slug"]))).await.data();
            expected.extend(items(&data[list]).iter().map(|item| {
                let at = text(&item[time]).replace(' ', "T").trim_end_matches('Z').to_owned() + "Z";
                (at, text(&server["name"]).to_owned(), kind)
            }));
        }
    }
    expected.sort_by(|a, b| b.cmp(a));
    expected.truncate(20);
    let live = both("/live").await.data();
    let shown: Vec<(String, String, &str)> = items(&live["recentActivity"])
        .iter()
        .map(|activity| {
            (text(&activity["time"]).to_owned(), text(&activity["target"]).to_owned(), text(&activity["type"]))
        })
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn totals_are_stale_after_three_missed_intervals() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Silent")]);
        assert_eq!(server.run(server.get("/live")).data()["stats"]["stale"], true, "never pinged");
        for (silent, stale) in [(180, false), (181, true)] {
            change(&mut server.store.conn(), |conn, rev| {
                let sql = "update servers set last_ping = $1, rev = $2";
                conn.execute(sql, rollcall_store::values![NOW - silent * 1_000, rev]).map(drop)
            });
            let live =
                server.run(server.until("/live", |live| live.data()["stats"]["statsAgeSeconds"] == silent)).data();
            assert_eq!(live["stats"]["stale"], stale, "{silent} seconds");
        }
    }
}
