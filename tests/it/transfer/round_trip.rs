//! An export imports to the same data, and small imports keep the totals correct.

use rollcall::transfer::Resource;
use rollcall_store::totals::{self, RecomputeScope};
use rollcall_store::{Conn, revision};

use super::fixture::{documented_lines, exported, import_text, many_lines, sqlite, stored_totals, stores};

#[test]
fn every_example_in_the_documentation_imports() {
    let files = documented_lines();
    assert_eq!(files.len(), Resource::ALL.len(), "{:?}", files.keys());
    for mut store in stores() {
        let counts = import_text(&mut store, &files).unwrap();
        for (resource, count) in counts {
            assert_eq!(count, files[&resource.file_name()].lines().count() as u64);
        }
    }
}

#[test]
fn export_import_export_gives_the_same_bytes() {
    let mut first = sqlite();
    import_text(&mut first, &many_lines()).unwrap();
    let original = exported(&mut first);
    for (name, text) in many_lines() {
        // Every store has the system account and the default skins.
        let built_in = match name.as_str() {
            "accounts.ndjson" => 1,
            "skins.ndjson" => 2,
            _ => 0,
        };
        assert_eq!(text.lines().count() + built_in, original[&name].lines().count(), "{name}");
    }
    let mut last = Vec::new();
    for store in stores().chain([sqlite()]) {
        let mut store = store;
        store.media = first.media.clone();
        import_text(&mut store, &original).unwrap();
        assert_eq!(exported(&mut store), original);
        assert_eq!(stored_totals(&mut store.conn), stored_totals(&mut first.conn));
        last.push(store);
    }
}

#[test]
fn the_current_nickname_ends_the_history() {
    for mut store in stores() {
        import_text(&mut store, &documented_lines()).unwrap();
        let players = exported(&mut store).remove("players.ndjson").unwrap();
        let histories = players.lines().map(|line| {
            let player: serde_json::Value = serde_json::from_str(line).unwrap();
            player["nicknameHistory"].clone()
        });
        let expected = [serde_json::json!(["Cleo"]), serde_json::json!(["Daxter", "Dax99", "Dax"])];
        assert_eq!(histories.collect::<Vec<_>>(), expected);
    }
}

#[test]
#[ignore = "slow, ./test runs it"]
fn importing_is_idempotent() {
    for mut store in stores() {
        import_text(&mut store, &many_lines()).unwrap();
        let (files, totals) = (exported(&mut store), stored_totals(&mut store.conn));
        let numbers =
            |conn: &mut Conn| conn.query("select n from players order by id", &[], |row| row.get::<i64>(0)).unwrap();
        let before = numbers(&mut store.conn);
        import_text(&mut store, &many_lines()).unwrap();
        assert_eq!(exported(&mut store), files);
        import_text(&mut store, &files).unwrap();
        assert_eq!(exported(&mut store), files);
        assert_eq!(stored_totals(&mut store.conn), totals);
        assert_eq!(numbers(&mut store.conn), before, "row numbers do not change");
    }
}

#[test]
#[ignore = "slow, ./test runs it"]
fn totals_after_small_imports_equal_a_full_recompute() {
    for mut store in stores() {
        import_text(&mut store, &many_lines()).unwrap();
        let epoch = revision::current(&mut store.conn).unwrap().epoch;
        let small = [
            (
                "votes",
                r#"{"id":"late","serverId":"srv-quarry","playerId":"ply-dax","gameUsername":"Dax","votedAt":"2020-01-01T00:00:00Z"}"#,
            ),
            (
                "votes",
                r#"{"id":"x0-0","serverId":"srv-lantern","playerId":"ply-cleo","gameUsername":"C","votedAt":"2026-01-01T00:00:00Z"}"#,
            ),
            (
                "reviews",
                r#"{"id":"x2-0","serverId":"srv-lantern","gameUsername":"C","rating":1,"createdAt":"2026-01-01T00:00:00Z"}"#,
            ),
            (
                "update_posts",
                r#"{"id":"x0-0","serverId":"srv-lantern","accountId":"acc-bo","title":"t","status":"REJECTED","createdAt":"2026-01-01T00:00:00Z"}"#,
            ),
            ("players", r#"{"id":"ply-dax","gameUuid":"61699b2ed3274a019f1e0ea8c3f06bc6","mainNickname":"Dax"}"#),
            (
                "sessions",
                r#"{"id":"ses-1","playerId":"ply-cleo","serverId":"srv-lantern","joinedAt":"2026-01-01T00:00:00Z","leftAt":"2026-01-01T01:00:00Z"}"#,
            ),
            (
                "player_stats",
                r#"{"id":"between","playerId":"ply-dax","serverId":"srv-quarry","timestamp":"2026-01-30T12:00:00Z","statsJson":{"kills":13}}"#,
            ),
            ("servers", r#"{"id":"srv-quarry","name":"Old Quarry","ip":"quarry.example","visibility":"UNLISTED"}"#),
            ("servers", r#"{"id":"srv-quarry","name":"Old Quarry","ip":"quarry.example"}"#),
            ("skins", r#"{"id":"skin-miner","name":"Miner","ownerId":"acc-ada","likes":["acc-ada","acc-bo"]}"#),
        ];
        for (file, line) in small {
            import_text(&mut store, &[(format!("{file}.ndjson"), line.to_owned())].into()).unwrap();
            let touched = stored_totals(&mut store.conn);
            store
                .conn
                .transaction(|conn| -> rollcall_store::Result<()> {
                    totals::recompute(conn, &RecomputeScope::All)?;
                    assert_eq!(stored_totals(conn), touched, "{file} {line}");
                    Err(rollcall_store::Error::Busy)
                })
                .unwrap_err();
        }
        let state = revision::current(&mut store.conn).unwrap();
        assert_eq!(state.epoch, epoch, "a small import must not make the read models reload everything");
        let slug: String =
            store.conn.query_one("select slug from servers where id = 'srv-quarry'", &[], |row| row.get(0)).unwrap();
        assert_eq!(slug, "old-quarry", "a slug that a line omits does not change");
    }
}

#[test]
fn overlapping_sessions_count_once() {
    let session = |id: &str, server: &str, from: &str, to: &str| {
        format!(
            "{{\"id\":\"{id}\",\"playerId\":\"ply-cleo\",\"serverId\":\"{server}\",\
             \"joinedAt\":\"2026-01-05T{from}:00Z\",\"leftAt\":\"2026-01-05T{to}:00Z\"}}\n"
        )
    };
    // Together from 10:00 to 12:30.
    let sessions = [
        session("a", "srv-quarry", "10:00", "12:00"),
        session("b", "srv-lantern", "11:00", "12:30"),
        session("c", "srv-lantern", "10:30", "10:40"),
    ]
    .concat();
    for mut store in stores() {
        let mut files = documented_lines();
        files.get_mut("sessions.ndjson").unwrap().push_str(&sessions);
        import_text(&mut store, &files).unwrap();
        let total = |conn: &mut Conn| -> (i64, i64) {
            let sql = "select p.total_play_time, cast(sum(s.play_time) as bigint) from players p
                       join sessions s on s.player_n = p.n where p.id = 'ply-cleo' group by p.total_play_time";
            conn.query_one(sql, &[], |row| (row.get(0), row.get(1))).unwrap()
        };
        assert_eq!(total(&mut store.conn), (9_000, 9_000));
        // The export holds the whole sessions, so that importing a shorter one gives time back to the others.
        let sessions = exported(&mut store)["sessions.ndjson"].clone();
        assert!(sessions.contains("\"totalPlayTime\":5400"), "{sessions}");
        let shorter = session("a", "srv-quarry", "10:00", "10:30");
        import_text(&mut store, &[("sessions.ndjson".to_owned(), shorter)].into()).unwrap();
        assert_eq!(total(&mut store.conn), (1_800 + 600 + 5_400, 1_800 + 600 + 5_400));
    }
}
