//! `GET /servers/{slug}/explain`

use rollcall_model::time::{HOUR, MINUTE, parse_iso};
use rollcall_store::values;
use serde_json::Value;

use super::expected::{all_servers, ids, number, text, walk};
use super::fixture::{insert, named};
use crate::harness::{Engine, NOW, Server, both};

fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale + value.signum() * 1e-9).round() / scale
}

fn time(value: &Value) -> f64 {
    parse_iso(text(value)).expect("a time") as f64
}

/// Each value again, from the inputs alone.
fn check(explained: &Value) {
    let input = |figure: &str, name: &str| number(&explained[figure]["inputs"][name]);
    let value = |figure: &str| number(&explained[figure]["value"]);
    let (online, watched) = (input("uptime", "onlineMs"), input("uptime", "watchedMs"));
    let uptime = if watched == 0.0 { 0.0 } else { rounded(100.0 * online / watched, 2) };
    assert_eq!(value("uptime"), uptime);
    let mean = |sum: &str, weight: &str| input("trend", sum) / input("trend", weight).max(1.0);
    let (now, before) = (mean("playerMs", "watchedMs"), mean("playerMsBefore", "watchedMsBefore"));
    assert_eq!(value("trend"), if before == 0.0 { 0.0 } else { rounded(100.0 * (now - before) / before, 1) });
    let age = time(&explained["hotScore"]["computedAt"]) - time(&explained["hotScore"]["inputs"]["voteHeatAt"]);
    let heat = input("hotScore", "voteHeat") * (-age.max(0.0) / (48 * HOUR) as f64).exp2();
    let interest = heat + 2.0 * (1.0 + input("hotScore", "recentPlayers")).ln();
    assert_eq!(value("hotScore"), rounded(interest * input("hotScore", "uptime") / 100.0, 3));
    assert_eq!(input("hotScore", "uptime"), value("uptime"));
    let reviews = input("rating", "reviews");
    assert_eq!(value("rating"), if reviews == 0.0 { 0.0 } else { rounded(input("rating", "ratingSum") / reviews, 2) });
    assert_eq!(value("rank"), 1.0 + input("rank", "ahead") + input("rank", "tiedAhead"));
    for figure in ["uptime", "trend", "hotScore"] {
        assert!((0.0..=1.0).contains(&number(&explained[figure]["coverage"])), "{figure}");
    }
}

#[tokio::test]
async fn the_inputs_give_the_figures_of_the_lists() {
    let by_votes = walk("/servers?sort=votes", "servers", 100).await;
    let order = ids(&by_votes);
    for listed in all_servers().await {
        let explained = both(&format!("/servers/{}/explain", text(&listed["slug"]))).await.data();
        check(&explained);
        for figure in ["uptime", "trend", "rating"] {
            assert_eq!(explained[figure]["value"], listed[figure], "{figure} of {}", listed["slug"]);
        }
        let place = order.iter().position(|id| *id == text(&listed["id"])).expect("it is listed");
        assert_eq!(explained["rank"]["value"], place + 1);
        assert_eq!(explained["rank"]["inputs"]["servers"], order.len());
        assert_eq!(explained["rank"]["inputs"]["totalVotes"], listed["totalVotes"]);
    }
}

#[test]
fn the_confidence_of_a_player_count() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Counted")]);
        let conn = &mut server.store.conn();
        let explain = || server.run(server.get("/servers/server-0/explain")).data()["players"].clone();
        assert_eq!(explain()["confidence"], "offline");
        for (minute, rejected, confidence, reported) in [(3, None, "sampled", 5), (2, Some(900_i64), "capped", 900)] {
            let sql = "insert into samples (server_n, at, online, players, latency, rejected_players)
                       values ((select n from servers), $1, $2, 5, 9, $3)";
            conn.execute(sql, values![NOW - minute * MINUTE, true, rejected]).unwrap();
            // Another address of the same resource: the response before may be cached.
            let path = format!("/servers/server-0/explain?{minute}");
            let players = server.run(server.get(&path)).data()["players"].clone();
            assert_eq!((&players["confidence"], &players["value"]), (&confidence.into(), &5.into()));
            assert_eq!((&players["reported"], &players["named"]), (&reported.into(), &0.into()));
        }
    }
}
