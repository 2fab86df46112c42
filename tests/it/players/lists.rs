//! `GET /players/{id}`: the bounds of its lists, and its figures.

use rollcall_model::time::DAY;
use rollcall_store::{Conn, Result, values};
use serde_json::Value;

use crate::harness::{Engine, NOW, Server, document};
use crate::servers::fixture::{change, named, write_all};

/// More servers than any list of a profile has items.
const SERVERS: usize = 60;
/// More days than the activity calendar has.
const DAYS: i64 = 400;

/// The lists of a profile that are cut.
const LISTS: [&str; 6] = ["recentSessions", "serversPlayed", "statsHistory", "votedServers", "reviews", "activityData"];

/// Gives the first player a session, a report, a vote and a review on every server, and a session on each of many days.
fn make_busy(conn: &mut Conn, rev: i64) -> Result<()> {
    for sql in [
        "insert into sessions (id, player_n, server_n, joined_at, left_at, play_time)
         select 'busy-s' || n, 1, n, $1 - n * 1000, $1 - n * 1000, 0 from servers where $2 > cast(0 as bigint)",
        "insert into player_stats (id, player_n, server_n, at, stats_json, kills_gain, deaths_gain, wins_gain)
         select 'busy-p' || n, 1, n, $1 - n * 1000, '{\"kills\":1}', 0, 0, 0 from servers where $2 > cast(0 as bigint)",
        "insert into votes (server_n, ordinal, id, player_n, game_username, voted_at)
         select n, (select coalesce(max(ordinal), 0) + 1 from votes where server_n = n), 'busy-v' || n, 1, 'busy',
                cast($1 as bigint)
         from servers where $2 > cast(0 as bigint)",
        "insert into reviews (server_n, ordinal, id, player_n, game_username, rating, content, created_at, updated_at)
         select n, (select coalesce(max(ordinal), 0) + 1 from reviews where server_n = n), 'busy-r' || n, 1, 'busy', 5, '-',
                cast($1 as bigint), cast($1 as bigint) from servers where $2 > cast(0 as bigint)",
        "update players set total_kills = 87, total_deaths = 40, updated_at = $1, rev = $2 where n = 1",
    ] {
        conn.execute(sql, values![NOW, rev])?;
    }
    for day in 0..DAYS {
        let sql = "insert into sessions (id, player_n, server_n, joined_at, left_at, play_time)
                   values ($1, 1, 1, $2, $2, 0)";
        conn.execute(sql, values![format!("busy-d{day}"), NOW - day * DAY])?;
    }
    Ok(())
}

fn busy_profile(engine: Engine) -> Value {
    let server = Server::own(engine);
    let extra: Vec<_> = (0..SERVERS).map(|number| named(number, &format!("Extra {number}"))).collect();
    let conn = &mut server.store.conn();
    let before = server.run(server.get("/servers?limit=1")).data()["pagination"]["total"].as_u64().unwrap() as usize;
    change(conn, |conn, rev| write_all(conn, &extra, rev));
    change(conn, make_busy);
    let total = before + SERVERS;
    server.run(server.until("/servers?limit=1", |list| list.data()["pagination"]["total"] == total));
    let id: String = conn.query_one("select id from players where n = 1", &[], |row| row.get(0)).unwrap();
    server.run(server.get(&format!("/players/{id}"))).data()["player"].clone()
}

#[test]
fn lists_end_at_their_documented_bounds() {
    let documented = &document()["components"]["schemas"]["PlayerDetail"]["properties"];
    for engine in Engine::BOTH {
        let player = busy_profile(engine);
        for list in LISTS {
            assert_eq!(player[list].as_array().unwrap().len(), documented[list]["maxItems"], "{list}");
        }
        assert_eq!(player["kdRatio"], 2.18, "87 / 40 is 2.175");
    }
}
