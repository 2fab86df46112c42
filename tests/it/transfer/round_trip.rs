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
