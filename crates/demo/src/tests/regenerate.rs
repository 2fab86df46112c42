//! What happens to existing rows when a world is generated.

use super::*;
use rollcall_model::time::DAY;
use rollcall_store::values;

#[test]
fn regenerating_keeps_keys_and_other_accounts() {
    let mut store = store();
    store.generate(SEED, NOW);
    let account = "insert into accounts (id, username, username_key, avatar, role, created_at)
                   values ('mine', 'Mine', 'mine', 'avatar', 'USER', 1) returning n";
    let mine: i64 = store.conn.query_one(account, &[], |row| row.get(0)).unwrap();
    let demo: i64 =
        store.conn.query_one("select min(n) from accounts where role = 'USER'", &[], |row| row.get(0)).unwrap();
    for (id, owner) in [("a", Some(mine)), ("b", Some(demo)), ("c", None)] {
        store
            .conn
            .execute(
                "insert into keys (id, name, account_n, per_minute, per_day, per_month, disabled, created_at)
                 values ($1, 'key', $2, 1, 1, 1, false, 1)",
                values![id, owner],
            )
            .unwrap();
    }
    let before: (i64, i64) =
        store.conn.query_one("select epoch, rev from store_state", &[], |row| (row.get(0), row.get(1))).unwrap();
    store.generate(SEED + 1, NOW + DAY);
    let state: (i64, i64, i64, i64) = store
        .conn
        .query_one("select epoch, rev, demo_seed, demo_until from store_state", &[], |row| {
            (row.get(0), row.get(1), row.get(2), row.get(3))
        })
        .unwrap();
    assert!(state.0 > before.0 && state.1 > before.1);
    assert_eq!((state.2, state.3), (SEED.cast_signed() + 1, NOW + DAY));
    assert_eq!(store.count("keys where account_n is not null"), 2);
    assert_eq!(store.count("accounts where id = 'mine'"), 1);
    let expected = WorldSize::tests().accounts as i64 + 3;
    assert_eq!(store.count("accounts"), expected, "the system account, mine, and the demo account with a key");
    assert_eq!(store.count("servers"), WorldSize::tests().servers as i64);
    assert_eq!(store.count(&format!("servers where rev <= {}", before.1)), 0);
}

#[test]
fn a_failed_generation_changes_nothing() {
    let mut store = store();
    store.generate(SEED, NOW);
    let before = store.dump();
    // Simulates a disk that is full near the end.
    store
        .conn
        .execute_batch("create trigger full before insert on samples_day begin select raise(abort, 'disk full'); end")
        .unwrap();
    let pictures = PictureGenerator::minimal(store.media.clone());
    let failed =
        generate_demo(&mut store.conn, SEED + 1, NOW, &WorldSize::tests(), &pictures, &GenerateProgress::hidden());
    assert!(failed.is_err());
    assert!(store.dump() == before);
}

#[test]
fn existing_pictures_are_not_drawn_again() {
    let mut store = store();
    let size = WorldSize { servers: 2, players: 12, votes: 20, accounts: 2, skins: 2, capes: 1, ..WorldSize::tests() };
    let generate = |store: &mut TestStore, seed| {
        let pictures = PictureGenerator::unique(store.media.clone());
        generate_demo(&mut store.conn, seed, NOW, &size, &pictures, &GenerateProgress::hidden()).unwrap();
    };
    generate(&mut store, SEED);
    // This change survives only if the paths are taken from the rows.
    store.conn.execute("update servers set icon = banner", &[]).unwrap();
    generate(&mut store, SEED);
    assert_eq!(store.count("servers where icon = banner"), 2);
    generate(&mut store, SEED + 1);
    assert_eq!(store.count("servers where icon = banner"), 0);
}

#[test]
fn bulk_seed_fills_an_empty_store_and_refuses_a_filled_one() {
    let mut store = store();
    let pictures = PictureGenerator::minimal(store.media.clone());
    let options = BulkSeedOptions { servers: 60, players: 300, votes: 2_000, sessions: 2, seed: SEED };
    let indexes = "select name || coalesce(sql, '') from sqlite_master where type = 'index' order by name";
    let before = store.texts(indexes);
    bulk_seed(&mut store.conn, &options, NOW, &pictures, &GenerateProgress::hidden()).unwrap();
    assert_eq!(store.texts(indexes), before);
    assert_eq!(store.count("servers"), 60);
    assert_eq!(store.count("players"), 300);
    assert_eq!(store.count("votes"), 2_000);
    assert_eq!(store.count("reviews"), 40);
    assert_eq!(store.count("pragma_foreign_key_check"), 0);
    assert_eq!(store.conn.query_one("pragma foreign_keys", &[], |row| row.get::<i64>(0)).unwrap(), 1);
    assert!(store.count("samples_hour") >= 40 * 40);
    let refused = bulk_seed(&mut store.conn, &options, NOW, &pictures, &GenerateProgress::hidden()).unwrap_err();
    assert_eq!(refused.to_string(), "the store already holds servers or players; seed needs an empty store");
}
