//! `/servers/{slug}/history`, `/history` and `/live/history` with a range.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rollcall_model::buckets::{FIVE_MINUTES, PingSample, split_into_buckets};
use rollcall_model::time::{DAY, HOUR, MINUTE, iso};
use rollcall_store::pending_samples::PendingSamples;
use rollcall_store::samples;
use serde_json::{Value, json};

use super::expected::{all_servers, items, text};
use super::fixture::{insert, named};
use crate::harness::{Engine, NOW, Server, both};

/// A sample counts until the next one, at most this long.
const MAX_GAP: i64 = 4 * MINUTE;

/// Samples at uneven minutes over six hours, with an outage, gaps, latency and sometimes ticks per second.
fn uneven_samples() -> Vec<PingSample> {
    let mut at = NOW - 6 * HOUR;
    let mut samples = Vec::new();
    for i in 0_i64.. {
        at += MINUTE * [1, 1, 2, 1, 3, 1, 7][i as usize % 7];
        if at >= NOW {
            break;
        }
        let online = !(40..55).contains(&i);
        let tps = (online && i % 3 == 0).then_some(15.0 + (i % 20) as f64 / 4.0);
        let (players, latency_ms) = if online { (i * 7 % 50, 10 + i % 13) } else { (0, 0) };
        samples.push(PingSample { at, online, players, latency_ms, tps });
    }
    samples
}

fn store(server: &Server, samples: &[PingSample]) {
    let conn = &mut server.store.conn();
    let n: i64 = conn.query_one("select n from servers", &[], |row| row.get(0)).unwrap();
    let pairs = samples.windows(2);
    let history = PendingSamples {
        samples: samples.iter().map(|sample| (*sample, None)).collect(),
        buckets: pairs.flat_map(|pair| split_into_buckets(&pair[0], pair[1].at, MAX_GAP, FIVE_MINUTES)).collect(),
    };
    conn.transaction(|conn| samples::insert_pending(conn, [(n, &history)].into_iter())).unwrap();
}

fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale + 1e-9).round() / scale
}

/// What a bucket must be, counted minute by minute.
fn recount(samples: &[PingSample], at: i64, width: i64) -> Option<Value> {
    let minutes = (at..at + width).step_by(MINUTE as usize);
    // The sample that a minute belongs to: the last one before its end, if it is young enough and a later one ends it.
    let of_minute = |minute: i64| {
        let i = samples.iter().rposition(|sample| sample.at <= minute)?;
        let is_over = i + 1 == samples.len() || minute - samples[i].at >= MAX_GAP;
        (!is_over).then(|| samples[i])
    };
    let watched: Vec<PingSample> = minutes.filter_map(of_minute).collect();
    let count = watched.len() as f64;
    if watched.is_empty() {
        return None;
    }
    let players = || watched.iter().map(|sample| sample.counted_players());
    let online = || watched.iter().filter(|sample| sample.online);
    let mean = |values: Vec<f64>, decimals| {
        let count = values.len() as f64;
        (!values.is_empty()).then(|| rounded(values.iter().sum::<f64>() / count, decimals))
    };
    Some(json!({
        "at": iso(at),
        "coverage": rounded(count / ((NOW - at).min(width) / MINUTE) as f64, 4),
        "players": {
            "avg": rounded(players().sum::<i64>() as f64 / count, 2),
            "peak": players().max(),
            "low": players().min(),
        },
        "latency": mean(online().map(|sample| sample.latency_ms as f64).collect(), 1),
        "tps": mean(online().filter_map(|sample| sample.tps).collect(), 2),
        "uptime": rounded(100.0 * online().count() as f64 / count, 2),
    }))
}

#[test]
fn a_history_equals_a_recount_of_the_samples() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Watched")]);
        let samples = uneven_samples();
        store(&server, &samples);
        for (resolution, width) in [("5m", FIVE_MINUTES), ("1h", HOUR)] {
            let path = format!("/servers/server-0/history?from={}&resolution={resolution}", iso(NOW - 6 * HOUR));
            let data = server.run(server.get(&path)).data();
            let expected: Vec<Value> =
                (NOW - 6 * HOUR..NOW).step_by(width as usize).filter_map(|at| recount(&samples, at, width)).collect();
            assert!(expected.len() > 5 && expected.iter().any(|point| point["uptime"] != 100.0));
            assert_eq!(data["points"], Value::from(expected), "{engine:?} {resolution}");
            assert_eq!(
                (&data["from"], &data["to"], &data["next"]),
                (&json!(iso(NOW - 6 * HOUR)), &json!(iso(NOW)), &Value::Null)
            );
        }
    }
}

/// All points, page by page.
async fn read_all(server: &Server, path: &str) -> Vec<Value> {
    let (mut points, mut after) = (Vec::new(), "start".to_owned());
    loop {
        let data = server.get(&format!("{path}&after={after}")).await.data();
        points.extend_from_slice(items(&data["points"]));
        match data["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => return points,
        }
    }
}

#[test]
fn more_points_than_fit_come_in_pages() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Old")]);
        let sample = PingSample { at: NOW - 9 * DAY, online: true, players: 3, latency_ms: 9, tps: Some(19.5) };
        let conn = &mut server.store.conn();
        let n: i64 = conn.query_one("select n from servers", &[], |row| row.get(0)).unwrap();
        let pieces: Vec<_> = split_into_buckets(&sample, NOW, 9 * DAY, FIVE_MINUTES).map(|piece| (n, piece)).collect();
        samples::add_to_rollups(conn, &pieces).unwrap();
        let path = format!("/servers/server-0/history?from={}", iso(NOW - 9 * DAY));
        let first = server.run(server.get(&format!("{path}&resolution=5m"))).data();
        assert_eq!(items(&first["points"]).len(), 2_000);
        let points = server.run(read_all(&server, &format!("{path}&resolution=5m")));
        let times: Vec<&str> = points.iter().map(|point| text(&point["at"])).collect();
        let expected: Vec<String> = (NOW - 9 * DAY..NOW).step_by(FIVE_MINUTES as usize).map(iso).collect();
        assert_eq!(times, expected);
        // Chosen to fit, so in one page.
        let auto = server.run(server.get(&path)).data();
        assert_eq!((&auto["resolution"], items(&auto["points"]).len()), (&json!("1h"), 9 * 24));
        let old = auto["points"][0].clone();
        assert_eq!((&old["latency"], &old["tps"]), (&json!(9.0), &json!(19.5)), "kept as long as the buckets");
        // Versions that kept neither.
        conn.execute("update samples_hour set latency_sum = null, tps_ms = null, tps_sum = null", &[]).unwrap();
        let unknown = server.run(server.get(&format!("{path}&resolution=1h&fields=latency,tps"))).data();
        let expected = json!({"at": old["at"], "coverage": 1.0, "latency": null, "tps": null});
        assert_eq!(unknown["points"][0], expected);
        let address = "/servers/server-0/history".to_owned();
        let query = format!("?from={}&resolution=5m&format=csv&fields=uptime", iso(NOW - 9 * DAY));
        let rows = server.run(read_table(&server, &address, query));
        let expected: Vec<String> = times.iter().map(|at| format!("{at},1,100")).collect();
        assert_eq!(rows, [&["at,coverage,uptime".to_owned()], &expected[..]].concat());
    }
}

/// All rows of a table, with one header row; each response links to the next one.
async fn read_table(server: &Server, address: &str, mut query: String) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    loop {
        // The second time from the cache.
        let table = server.get(&format!("{address}{query}")).await;
        let again = server.get(&format!("{address}{query}")).await;
        assert_eq!((&table.body, table.header("link")), (&again.body, again.header("link")));
        let text = String::from_utf8(table.body.clone()).unwrap();
        let is_first = rows.is_empty();
        rows.extend(text.split_terminator("\r\n").skip(usize::from(!is_first)).map(str::to_owned));
        match table.header("link") {
            Some(link) => {
                let next = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
                query = next.expect("a link to the next page").to_owned();
            }
            None => return rows,
        }
    }
}

fn forged_cursor(width: i64, from: i64, at: i64) -> String {
    URL_SAFE_NO_PAD.encode(json!({"width": width, "from": from, "at": at}).to_string())
}

#[tokio::test]
async fn a_cursor_belongs_to_its_range() {
    let slug = text(&all_servers().await[0]["slug"]).to_owned();
    let (from, at) = (NOW - 2 * DAY, NOW - DAY);
    let good = forged_cursor(HOUR, from, at);
    let path = format!("/servers/{slug}/history");
    let page = both(&format!("{path}?resolution=1h&from={}&after={good}", iso(from + MINUTE))).await.data();
    assert_eq!((&page["resolution"], &page["from"]), (&json!("1h"), &json!(iso(from))));
    assert_eq!(page["points"][0]["at"], iso(at));
    for (query, cursor) in [
        // Of another resolution, or another start.
        ("resolution=5m&", &good),
        ("from=2026-01-01&", &good),
        // Of no page.
        ("", &forged_cursor(FIVE_MINUTES, from, i64::MIN)),
        ("", &forged_cursor(FIVE_MINUTES, i64::MIN, at)),
        ("", &forged_cursor(HOUR, from, at + 1)),
        ("", &forged_cursor(HOUR, at, from)),
        ("", &forged_cursor(7, from, at)),
    ] {
        let response = both(&format!("{path}?{query}after={cursor}")).await;
        let error = "after must be start, or `next` of a response with the same parameters, not";
        assert!(response.error().starts_with(error), "{query}: {}", response.error());
        assert_eq!(response.status, 400, "{query}");
    }
    let far = forged_cursor(HOUR, from, i64::MAX - i64::MAX.rem_euclid(HOUR));
    assert_eq!(both(&format!("{path}?after={far}")).await.data()["points"], json!([]));
}

#[tokio::test]
async fn servers_are_compared_over_the_same_range() {
    let most_voted = both("/servers?sort=votes&limit=3").await.data();
    let slugs: Vec<&str> = items(&most_voted["servers"]).iter().map(|server| text(&server["slug"])).collect();
    let list = format!("{},no-such-server,{},{}", slugs[0], slugs[1], slugs[2]);
    let data = both(&format!("/history?servers={list}&from=2026-05-30&to=2026-06-01T12:00:00Z")).await.data();
    assert_eq!(data["missing"], json!(["no-such-server"]));
    for (slug, compared) in slugs.iter().zip(items(&data["servers"])) {
        assert_eq!(compared["slug"], **slug);
        let path = format!("/servers/{slug}/history?from=2026-05-30&to=2026-06-01T12:00:00Z");
        let resolution = text(&data["resolution"]);
        let alone = both(&format!("{path}&resolution={resolution}")).await.data();
        assert_eq!(compared["points"], alone["points"], "{slug}");
        assert!(!items(&compared["points"]).is_empty());
    }
    assert_eq!(items(&data["servers"]).len(), 3);
    let eleven = ["a"; 11].join(",");
    for (servers, error) in [
        (eleven.as_str(), "servers must be 1 to 10 values, separated by commas, not"),
        ("a,,b", "servers must be 1 to 10 values, separated by commas, not \"a,,b\""),
    ] {
        let response = both(&format!("/history?servers={servers}")).await;
        assert_eq!(response.status, 400);
        assert!(response.error().starts_with(error), "{}", response.error());
    }
}

#[tokio::test]
async fn a_table_has_the_figures_of_the_points() {
    let slug = text(&all_servers().await[0]["slug"]).to_owned();
    let path = format!("/servers/{slug}/history?from=2026-06-03T10:00:00Z&fields=players,uptime");
    let json = both(&path).await.data();
    let point = &json["points"][0];
    assert_eq!(
        point.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["at", "coverage", "players", "uptime"],
        "only what was asked for"
    );
    let table = both(&format!("{path}&format=csv")).await;
    assert_eq!(table.header("content-type"), Some("text/csv; charset=utf-8"));
    let text = String::from_utf8(table.body).unwrap();
    let mut lines = text.split("\r\n");
    assert_eq!(lines.next(), Some("at,coverage,players_avg,players_peak,players_low,uptime"));
    for point in items(&json["points"]) {
        let figures = [&point["coverage"], &point["players"]["avg"]].map(|value| value.as_f64().unwrap().to_string());
        let (peak, low) = (&point["players"]["peak"], &point["players"]["low"]);
        let uptime = point["uptime"].as_f64().unwrap();
        let expected = format!("{},{},{peak},{low},{uptime}", point["at"].as_str().unwrap(), figures.join(","));
        assert_eq!(lines.next(), Some(expected.as_str()));
    }
    assert_eq!((lines.next(), lines.next()), (Some(""), None));
    let table = both(&format!("/history?servers={slug}&format=csv&fields=tps")).await;
    assert!(table.body.starts_with(b"server,at,coverage,tps\r\n"));
    // The columns do not depend on what was found.
    let table = both("/history?servers=no-such-server&format=csv&fields=tps").await;
    assert_eq!(table.body, b"server,at,coverage,tps\r\n");
}

#[tokio::test]
async fn the_live_history_takes_a_range() {
    let plain = both("/live/history").await.data();
    assert!(plain["history"].is_array() && plain["points"].is_null());
    let range = both("/live/history?from=2026-06-02&to=2026-06-03&resolution=1h").await.data();
    let points = items(&range["points"]);
    assert_eq!((points.len(), &range["next"]), (24, &Value::Null));
    for point in points {
        let same = items(&plain["history"]).iter().find(|hour| hour["timestamp"] == point["at"]).expect("the hour");
        let (hour, avg) = (same["totalPlayers"].as_f64().unwrap(), point["players"]["avg"].as_f64().unwrap());
        assert!((hour - avg).abs() <= 0.51, "{hour} {avg}");
        assert!(point["uptime"].is_null() && point["latency"].is_null());
    }
    let table = both("/live/history?format=csv").await;
    assert!(table.body.starts_with(b"at,coverage,players_avg,players_peak,players_low\r\n"));
}

#[tokio::test]
async fn a_wrong_range_is_named() {
    let slug = text(&all_servers().await[0]["slug"]).to_owned();
    for (query, error) in [
        (
            "from=yesterday",
            "from must be a UTC time like 2026-01-31T09:30:00Z or a date like 2026-01-31, not \"yesterday\"",
        ),
        (
            "to=2026-02-30",
            "to must be a UTC time like 2026-01-31T09:30:00Z or a date like 2026-01-31, not \"2026-02-30\"",
        ),
        ("from=2027-01-01", "from must be before now, 2026-06-03T14:00:00.000Z, not \"2027-01-01T00:00:00.000Z\""),
        (
            "from=2026-06-01&to=2026-06-01",
            "from must be before to, 2026-06-01T00:00:00.000Z, not \"2026-06-01T00:00:00.000Z\"",
        ),
        (
            "fields=players,ping",
            "fields must be one or more of players, latency, tps, uptime, separated by commas, not \"ping\"",
        ),
        ("resolution=1m", "resolution must be one of auto, 5m, 1h, 1d, not \"1m\""),
        (
            "from=2026-01-01&resolution=5m",
            "from must be at or after 2026-05-03T14:00:00.000Z with resolution 5m, not \"2026-01-01T00:00:00.000Z\"",
        ),
        ("after=nonsense", "after must be start, or `next` of a response with the same parameters, not \"nonsense\""),
        ("format=xml", "format must be one of json, csv, not \"xml\""),
    ] {
        for path in [format!("/servers/{slug}/history"), format!("/history?servers={slug}")] {
            let joint = if path.contains('?') { '&' } else { '?' };
            let response = both(&format!("{path}{joint}{query}")).await;
            assert_eq!((response.status, response.error().as_str()), (400, error), "{path} {query}");
        }
    }
    assert_eq!(both("/servers/no-such-server/history").await.status, 404);
    let later = both(&format!("/servers/{slug}/history?from=2026-06-03&to=2026-06-04")).await.data();
    assert_eq!(later["to"], iso(NOW), "the day is not over");
}
