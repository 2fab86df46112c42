//! `GET /live/history`

use rollcall_model::time::{DAY, HOUR, iso, parse_iso};

use crate::assert_answer;
use crate::harness::{Engine, NOW, Server, TestResponse, both};
use crate::servers::expected::{items, text};
use crate::servers::fixture::change;

#[test]
fn an_hour_is_an_average_or_left_out() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        change(&mut server.store.conn(), |conn, _| {
            for (hours_ago, watched, player_ms) in
                [(168, HOUR, 9), (167, HOUR, 7 * HOUR), (9, 0, 0), (1, HOUR / 2, 5 * HOUR), (0, 60, 89)]
            {
                let sql = "insert into samples_hour (server_n, at, watched_ms, online_ms, player_ms, peak, low)
                           values (0, $1, $2, $2, $3, 0, 0)";
                conn.execute(sql, rollcall_store::values![NOW - hours_ago * HOUR, watched, player_ms])?;
            }
            Ok(())
        });
        let seen = |response: &TestResponse| !items(&response.data()["history"]).is_empty();
        assert_answer!("live_history", server.run(server.until("/live/history", seen)));
    }
}

#[tokio::test]
async fn hourly_points_of_the_last_seven_days() {
    let data = both("/live/history").await.data();
    let times: Vec<&str> = items(&data["history"]).iter().map(|point| text(&point["timestamp"])).collect();
    assert!(times.len() > 160 && times.len() <= 168, "{}", times.len());
    assert!(times.is_sorted_by(|a, b| a < b));
    assert!(times.iter().all(|at| parse_iso(at).is_some_and(|at| at % HOUR == 0)));
    assert!(times[0] >= iso(NOW - 7 * DAY).as_str() && *times.last().unwrap() <= iso(NOW).as_str());
    assert!(items(&data["history"]).iter().all(|point| point["totalPlayers"].as_i64() >= Some(0)));
    assert_eq!(both("/live/history?limit=abc").await.data(), data);
}
