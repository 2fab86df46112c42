//! What goes out comes back, and small imports keep the totals true.

use rollcall::transfer::Resource;
use rollcall_store::totals::{self, Scope};
use rollcall_store::{Conn, changes};

use super::fixture::{documented, exported, import_text, kept_totals, plenty, sqlite, stores};

#[test]
fn every_documented_line_imports() {
    let files = documented();
    assert_eq!(files.len(), Resource::ALL.len(), "{:?}", files.keys());
    for mut store in stores() {
        let counts = import_text(&mut store, &files).unwrap();
        for (resource, count) in counts {
            assert_eq!(count, files[&resource.file_name()].lines().count() as u64);
        }
    }
}

#[test]
fn a_round_trip_gives_the_same_bytes() {
    let mut first = sqlite();
    import_text(&mut first, &plenty()).unwrap();
    let original = exported(&mut first);
    for (name, text) in plenty() {
        // The system account and the default skins are in every store.
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
        assert_eq!(kept_totals(&mut store.conn), kept_totals(&mut first.conn));
        last.push(store);
    }
}

#[test]
fn importing_again_changes_nothing() {
    for mut store in stores() {
        import_text(&mut store, &plenty()).unwrap();
        let (files, totals) = (exported(&mut store), kept_totals(&mut store.conn));
        let numbers =
            |conn: &mut Conn| conn.query("select n from players order by id", &[], |row| row.get::<i64>(0)).unwrap();
        let before = numbers(&mut store.conn);
        import_text(&mut store, &plenty()).unwrap();
        assert_eq!(exported(&mut store), files);
        import_text(&mut store, &files).unwrap();
        assert_eq!(exported(&mut store), files);
        assert_eq!(kept_totals(&mut store.conn), totals);
        assert_eq!(numbers(&mut store.conn), before, "row numbers are kept");
    }
}

#[test]
fn totals_after_small_imports_are_those_of_everything() {
    for mut store in stores() {
        import_text(&mut store, &plenty()).unwrap();
        let epoch = changes::state(&mut store.conn).unwrap().epoch;
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
            let touched = kept_totals(&mut store.conn);
            store
                .conn
                .transaction(|conn| -> rollcall_store::Result<()> {
                    totals::recompute(conn, &Scope::All)?;
                    assert_eq!(kept_totals(conn), touched, "{file} {line}");
                    Err(rollcall_store::Error::Busy)
                })
                .unwrap_err();
        }
        let state = changes::state(&mut store.conn).unwrap();
        assert_eq!(state.epoch, epoch, "small imports stamp rows and do not make read models load anew");
        let slug: String =
            store.conn.one("select slug from servers where id = 'srv-quarry'", &[], |row| row.get(0)).unwrap();
        assert_eq!(slug, "old-quarry", "a slug that no line gives stays");
    }
}
