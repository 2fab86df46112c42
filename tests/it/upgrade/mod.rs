//! Stores of every earlier schema: the current program migrates them and responses as before.

use std::collections::BTreeSet;
use std::path::Path;

use reqwest::Method;
use rollcall_store::{Conn, migrate_ledger_like, migrate_like};

use crate::assert_answer;
use crate::harness::{Browser, Engine, NOW, PASSWORD, Program, Server, Store, TestResponse, run_blocking};

/// Every set of migrations that a version of the program had, oldest first; the last is the current one. Numbers from 1001
/// are the ledger's. Accounts (4) and the playground (3) were developed side by side, so that 4 may have run before 3.
const SCHEMAS: &[&[i64]] = &[
    &[1],
    &[1, 2, 1001],
    &[1, 2, 3, 1001, 1002],
    &[1, 2, 4, 1001, 1003],
    &[1, 2, 3, 4, 1001, 1002, 1003],
    &[1, 2, 3, 4, 5, 1001, 1002, 1003],
    &[1, 2, 3, 4, 5, 6, 1001, 1002, 1003],
    &[1, 2, 3, 4, 5, 6, 7, 1001, 1002, 1003],
    &[1, 2, 3, 4, 5, 6, 7, 8, 1001, 1002, 1003],
    &[1, 2, 3, 4, 5, 6, 7, 8, 1001, 1002, 1003, 1004],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1001, 1002, 1003, 1004],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1001, 1002, 1003, 1004, 1005],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1001, 1002, 1003, 1004, 1005],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1001, 1002, 1003, 1004, 1005],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1001, 1002, 1003, 1004, 1005],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1001, 1002, 1003, 1004, 1005, 1006],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1001, 1002, 1003, 1004, 1005, 1006],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1001, 1002, 1003, 1004, 1005, 1006],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 1001, 1002, 1003, 1004, 1005, 1006],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 1001, 1002, 1003, 1004, 1005, 1006],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 1001, 1002, 1003, 1004, 1005, 1006],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 1001, 1002, 1003, 1004, 1005, 1006],
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 1001, 1002, 1003, 1004, 1005, 1006],
    &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 1001, 1002, 1003, 1004, 1005,
        1006,
    ],
    &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 1001, 1002, 1003, 1004,
        1005, 1006,
    ],
    &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 1001, 1002, 1003, 1004,
        1005, 1006,
    ],
    &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 1001, 1002, 1003,
        1004, 1005, 1006,
    ],
    &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 1001, 1002,
        1003, 1004, 1005, 1006,
    ],
    &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 28, 1001, 1002,
        1003, 1004, 1005, 1006,
    ],
    &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 1001,
        1002, 1003, 1004, 1005, 1006,
    ],
];

/// Migrations that added the tables which a test below looks at.
const ROTATION: i64 = 2;
const ACCOUNTS: i64 = 4;
const QUOTA_LEDGER: i64 = 1001;
const LOGIN_SESSIONS: i64 = 1003;

/// The last schema in which overlapping sessions counted twice.
const BEFORE_OVERLAPS: &[i64] = SCHEMAS[11];

/// Migrations that take columns away: they run after the rows of earlier ones are inserted.
const MOVES_ROWS: [i64; 1] = [28];

/// The rows that a store has in the tables and columns of each migration. Migrations that only change indexes or move rows have none.
const ROWS: &[(i64, &str)] = &[
    (1, include_str!("rows/0001.sql")),
    (2, include_str!("rows/0002.sql")),
    (4, include_str!("rows/0004.sql")),
    (5, include_str!("rows/0005.sql")),
    (7, include_str!("rows/0007.sql")),
    (9, include_str!("rows/0009.sql")),
    (10, include_str!("rows/0010.sql")),
    (11, include_str!("rows/0011.sql")),
    (12, include_str!("rows/0012.sql")),
    (13, include_str!("rows/0013.sql")),
    (14, include_str!("rows/0014.sql")),
    (15, include_str!("rows/0015.sql")),
    (16, include_str!("rows/0016.sql")),
    (17, include_str!("rows/0017.sql")),
    (18, include_str!("rows/0018.sql")),
    (19, include_str!("rows/0019.sql")),
    (20, include_str!("rows/0020.sql")),
    (21, include_str!("rows/0021.sql")),
    (22, include_str!("rows/0022.sql")),
    (24, include_str!("rows/0024.sql")),
    (25, include_str!("rows/0025.sql")),
    (26, include_str!("rows/0026.sql")),
    (27, include_str!("rows/0027.sql")),
    (1001, include_str!("rows/1001.sql")),
    (1002, include_str!("rows/1002.sql")),
    (1003, include_str!("rows/1003.sql")),
    (1004, include_str!("rows/1004.sql")),
    (1005, include_str!("rows/1005.sql")),
    (1006, include_str!("rows/1006.sql")),
];

/// Secrets whose hashes are in the rows.
const KEY: &str = "rc_Upgrade0Upgrade0Upgrade0Upgrad37vqp1";
const ROTATED_KEY: &str = "rc_Rotated0Rotated0Rotated0Rotate1SnVv0";
const DISABLED_KEY: &str = "rc_Disable0Disable0Disable0Disabl1A6XqQ";
const SESSION_COOKIE: &str = "5e5510005e5510005e5510005e5510005e5510005e5510005e5510005e551000";

/// Each with the name of its snapshot.
const ENDPOINTS: [(&str, &str); 18] = [
    ("servers", "/servers"),
    ("server", "/servers/harbor"),
    ("server_offline", "/servers/summit"),
    ("voters", "/servers/harbor/voters"),
    ("reviews", "/servers/harbor/reviews"),
    ("updates", "/servers/harbor/updates"),
    ("servers_top", "/servers/top"),
    ("players", "/players"),
    ("player", "/players/player-ada"),
    ("leaderboard", "/leaderboards"),
    ("leaderboard_sessions_7d", "/leaderboards?metric=sessions&period=7d"),
    ("search", "/search?q=har"),
    ("live", "/live"),
    ("live_history", "/live/history"),
    ("skins", "/skins"),
    ("skin", "/skins/diver"),
    ("capes", "/capes"),
    ("cape", "/capes/anchor"),
];

/// A store as the program of this schema left it.
fn old_store(engine: Engine, schema: &[i64]) -> Store {
    let store = Store::new(engine);
    run_blocking(|| {
        let mut conn = store.conn();
        let before: Vec<i64> = schema.iter().copied().filter(|number| !MOVES_ROWS.contains(number)).collect();
        migrate_like(&mut conn, &before).unwrap();
        fill(&mut conn, schema, |number| number < QUOTA_LEDGER);
        migrate_like(&mut conn, schema).unwrap();
        // The first version had no ledger: on SQLite there was no such file.
        if schema.contains(&QUOTA_LEDGER) {
            let mut ledger = Conn::open(&store.database.ledger()).unwrap();
            migrate_ledger_like(&mut ledger, schema).unwrap();
            fill(&mut ledger, schema, |number| number >= QUOTA_LEDGER);
        }
    });
    store
}

fn fill(conn: &mut Conn, schema: &[i64], is_here: impl Fn(i64) -> bool) {
    let bytes = if conn.is_postgres() { "bytea" } else { "blob" };
    for (number, sql) in ROWS.iter().copied().filter(|(number, _)| schema.contains(number) && is_here(*number)) {
        conn.execute_batch(&sql.replace("{bytes}", bytes))
            .unwrap_or_else(|error| panic!("rows of migration {number}: {error}"));
    }
}

/// Migrates the store with the program itself, and checks that it had something to do exactly if the schema is old.
fn upgrade(store: &Store, schema: &[i64]) {
    let output = store.rollcall(&["migrate"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{schema:?}: {}", String::from_utf8_lossy(&output.stderr));
    let is_current = Some(&schema) == SCHEMAS.last();
    assert_eq!(printed == "The schema is up to date.\n", is_current, "{schema:?}: {printed}");
    // Every command but `migrate` also brings the built-in skins up to date.
    assert!(store.rollcall(&["key", "list"]).status.success());
}

/// Remaining requests of the minute, the day and the month.
fn remaining(response: &TestResponse) -> [u32; 3] {
    ["minute", "day", "month"].map(|window| {
        let header = response.header(&format!("x-ratelimit-remaining-{window}")).expect("every response has it");
        header.parse().expect("a number")
    })
}

#[test]
fn the_list_of_schemas_ends_with_all_migrations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/store/migrations");
    let files = [folder.join("ledger"), folder].map(|folder| std::fs::read_dir(folder).unwrap());
    let names = files.into_iter().flatten().map(|file| file.unwrap().file_name().into_string().unwrap());
    let numbers: BTreeSet<i64> = names.filter_map(|name| name.strip_suffix(".sql")?.get(..4)?.parse().ok()).collect();
    assert_eq!(SCHEMAS[SCHEMAS.len() - 1], Vec::from_iter(numbers), "add the new schema, and rows for its tables");
}

/// The schemas to upgrade from: all, or as many of the newest as TEST_NEWEST_SCHEMAS says.
fn schemas() -> &'static [&'static [i64]] {
    #[expect(clippy::disallowed_methods, reason = "a setting of the tests, not of the program")]
    let newest = std::env::var("TEST_NEWEST_SCHEMAS").ok();
    let newest = newest.map(|count| count.parse::<usize>().expect("a number"));
    &SCHEMAS[SCHEMAS.len().saturating_sub(newest.unwrap_or(usize::MAX))..]
}

#[tokio::test]
#[ignore = "slow, ./test runs it"]
async fn a_sqlite_store_of_every_earlier_schema_works_as_before() {
    every_earlier_schema_works_as_before(Engine::Sqlite).await;
}

#[tokio::test]
#[ignore = "slow, ./test runs it"]
async fn a_postgresql_store_of_every_earlier_schema_works_as_before() {
    every_earlier_schema_works_as_before(Engine::Postgres).await;
}

async fn every_earlier_schema_works_as_before(engine: Engine) {
    for schema in schemas() {
        let store = old_store(engine, schema);
        upgrade(&store, schema);
        let server = Server::over(store, NOW);
        answers_are_as_before(&server, schema).await;
        if schema.contains(&ACCOUNTS) {
            assert!(schema.contains(&LOGIN_SESSIONS), "accounts came with their sessions");
            accounts_sessions_and_usage_are_as_before(&server, schema).await;
        }
        // Last, because it uses quota.
        keys_and_used_quota_are_as_before(&server, schema).await;
    }
}

async fn answers_are_as_before(server: &Server, schema: &[i64]) {
    for (name, path) in ENDPOINTS {
        let response = server.get(path).await;
        assert_eq!(response.status, 200, "{schema:?} {path}");
        assert_answer!(name, response);
    }
}

async fn keys_and_used_quota_are_as_before(server: &Server, schema: &[i64]) {
    let response = server.get_as(KEY, "/servers").await;
    assert_eq!(response.status, 200, "{schema:?}");
    // The first version counted in memory only.
    let expected = if schema.contains(&QUOTA_LEDGER) { [54, 879, 15_999] } else { [59, 999, 19_999] };
    assert_eq!(remaining(&response), expected, "{schema:?}");
    // The key belongs to an account that owns the skin and likes it.
    let viewer = server.get_as(KEY, "/skins/diver").await.data()["skin"]["viewer"].clone();
    assert_eq!(viewer, serde_json::json!({"liked": true, "favorited": false, "isOwner": true}), "{schema:?}");
    assert_eq!(server.get_as(DISABLED_KEY, "/servers").await.status, 403, "{schema:?}");
    let rotated = if schema.contains(&ROTATION) { 200 } else { 401 };
    assert_eq!(server.get_as(ROTATED_KEY, "/servers").await.status, rotated, "{schema:?}");
}

async fn accounts_sessions_and_usage_are_as_before(server: &Server, schema: &[i64]) {
    let cookie = format!("__Host-rollcall={SESSION_COOKIE}");
    let page = server.raw(Method::GET, "/dashboard", &[("cookie", &cookie)]).await;
    assert_eq!(page.status, 200, "{schema:?}");
    assert!(page.html().contains("Status page"), "{schema:?}");
    let mut mara = Browser::new(server);
    assert_eq!(mara.sign_in("Mara", PASSWORD).await.redirect_target(), "/dashboard", "{schema:?}");
    let page = mara.get("/dashboard/keys/key-of-mara/settings").await;
    assert!(page.html().contains("/limits/withdraw"), "{schema:?}");
    assert!(mara.get("/dashboard/log").await.html().contains("key rotated"), "{schema:?}");
    let usage = mara.get("/dashboard/keys/key-of-mara/usage.csv?range=month").await.html();
    assert_eq!(
        usage,
        "time,key,endpoint,status,requests,bytes\r\n\
         2026-06-02T00:00:00.000Z,Status page,/servers,2xx,100,10000\r\n\
         2026-06-03T00:00:00.000Z,Status page,/players/{id},4xx,20,400\r\n",
        "{schema:?}"
    );
}

#[tokio::test]
async fn overlapping_sessions_of_an_old_store_count_once() {
    for engine in Engine::BOTH {
        let store = old_store(engine, BEFORE_OVERLAPS);
        // One hour of it overlaps the session on another server; the unlisted server takes nothing away.
        store.change(|conn| {
            conn.execute_batch(
                "insert into sessions (id, player_n, server_n, joined_at, left_at, play_time) values
                     ('session-5', 1, 2, 1780401600000, 1780408800000, 7200),
                     ('session-6', 1, 3, 1780398000000, 1780405200000, 7200);
                 update players set total_play_time = total_play_time + 7200, session_count = session_count + 1
                 where id = 'player-ada'",
            )
        });
        upgrade(&store, BEFORE_OVERLAPS);
        let server = Server::over(store, NOW);
        let player = server.get("/players/player-ada").await.data()["player"].clone();
        assert_eq!(player["totalPlayTime"], 9_000 + 3_600, "{engine:?}");
        let sessions = player["recentSessions"].as_array().unwrap();
        let overlapping = sessions.iter().find(|session| session["id"] == "session-5").unwrap();
        assert_eq!(overlapping["totalPlayTime"], 3_600, "{engine:?}");
    }
}

#[tokio::test]
async fn serve_migrates_an_old_store_by_itself() {
    for engine in Engine::BOTH {
        for schema in [SCHEMAS[0], SCHEMAS[3]] {
            let store = old_store(engine, schema);
            let program = Program::start(store.command(&["serve", "--listen", "127.0.0.1:0"]));
            let response = program.get("/v1/servers/harbor/reviews", &[("x-api-key", KEY)]).await;
            assert_eq!((response.status, &response.data()["total"]), (200, &serde_json::json!(2)), "{schema:?}");
        }
    }
}
