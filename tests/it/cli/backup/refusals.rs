//! Backups and restores that are refused. Each has a one-sentence error and changes nothing.

use std::fs::File;
use std::path::{Path, PathBuf};

use rollcall_store::media::path_in_kind;

use super::{Program, SERVE, back_up, backed_up, complaint, entries, keyed, names, printed, tamper, text};
use crate::harness::{Engine, Store};

#[test]
fn a_backup_never_overwrites() {
    let (store, file) = backed_up(&["one"]);
    let before = std::fs::read(&file).unwrap();
    let message = format!("{} already exists; a backup never overwrites a file", file.display());
    assert_eq!(complaint(&store.rollcall(&["backup", text(&file)]), 1), message);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(complaint(&store.rollcall(&["backup", "."]), 1), {
        let folder = std::path::absolute(store.path()).unwrap();
        format!("{} already exists; a backup never overwrites a file", folder.display())
    });
    std::fs::write(store.path().join("other.part"), "").unwrap();
    let message = complaint(&store.rollcall(&["backup", "other"]), 1).to_owned();
    assert!(message.contains("other.part exists: another backup is running, or one was interrupted"), "{message}");
    assert!(!store.path().join("other").exists());
}

#[test]
fn a_backup_needs_a_store_and_an_existing_directory() {
    let store = Store::new(Engine::Sqlite);
    let message = complaint(&store.rollcall(&["backup", "x"]), 1).to_owned();
    assert!(message.starts_with("no store at "), "{message}");
    assert_eq!(entries(store.path()), [""; 0]);
    drop(store.conn());
    let message = complaint(&store.rollcall(&["backup", "x"]), 1).to_owned();
    assert!(message.ends_with("rollcall.db is not a rollcall store"), "{message}");
    let store = keyed(&["one"]);
    let message = complaint(&store.rollcall(&["backup", "missing/x"]), 1).to_owned();
    assert!(message.starts_with("cannot write ") && message.contains("missing/x.part: No such file"), "{message}");
    store.change(|conn| conn.execute("insert into migrations (number) values (99)", &[]));
    let message = complaint(&store.rollcall(&["backup", "x"]), 1).to_owned();
    assert!(
        message.contains("was written by a newer version of rollcall") && message.contains("migration 99"),
        "{message}"
    );
    assert!(!store.path().join("missing").exists() && !store.path().join("x").exists());
}

#[test]
fn postgresql_stores_are_refused_with_a_hint() {
    let store = Store::new(Engine::Postgres);
    for (command, tool) in [("backup", "pg_dump"), ("restore", "pg_restore")] {
        let output = store.rollcall(&[command, "x"]);
        let message = complaint(&output, 2);
        assert!(message.contains(tool) && message.contains(text(&store.path().join("media"))), "{message}");
    }
    assert_eq!(entries(store.path()), [""; 0]);
}

/// The error of a restore that is refused and leaves no files.
fn refused(file: &Path) -> String {
    let store = Store::new(Engine::Sqlite);
    let message = complaint(&store.rollcall(&["restore", text(file)]), 1).to_owned();
    let mut left = entries(store.path());
    left.retain(|name| name != "rollcall.db.lock");
    assert_eq!(left, [""; 0], "{message}");
    message
}

#[test]
fn only_a_backup_is_restored() {
    let (store, file) = backed_up(&["one"]);
    let path = |name: &str| store.path().join(name);
    std::fs::write(path("text"), "not at all ".repeat(100)).unwrap();
    std::fs::write(path("empty"), "").unwrap();
    for name in ["text", "empty", "rollcall.db", "rollcall-ledger.db"] {
        if path(name).exists() {
            assert_eq!(
                refused(&path(name)),
                format!("{} is not a backup made by `rollcall backup`", path(name).display())
            );
        }
    }
    assert!(refused(&path("missing")).ends_with("missing: No such file or directory (os error 2)"));
    assert!(refused(store.path()).ends_with("Is a directory (os error 21)"));
    tamper(&file, |conn| conn.execute_batch("pragma user_version = 2").unwrap());
    assert!(refused(&file).contains("is a backup of a newer version of rollcall"));
}

#[test]
fn a_backup_with_any_changed_byte_is_refused() {
    let (_store, file) = backed_up(&["one", "two"]);
    let whole = std::fs::read(&file).unwrap();
    let other = file.with_file_name("other");
    let said = |message: &str| message.contains("is damaged: ") || message.contains("is not a backup");
    for length in [whole.len() - 1, whole.len() - 4096, whole.len() / 2, 4096, 512, 100] {
        std::fs::write(&other, &whole[..length]).unwrap();
        let message = refused(&other);
        assert!(said(&message), "{length}: {message}");
    }
    std::fs::write(&other, [&whole[..], b"more"].concat()).unwrap();
    assert!(said(&refused(&other)));
    for at in (0..whole.len()).step_by(whole.len() / 40).chain([24, 60, 68, 95, whole.len() - 1]) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&other, &bytes).unwrap();
        let message = refused(&other);
        assert!(said(&message) || message.contains("newer version of rollcall"), "{at}: {message}");
    }
}

#[test]
#[ignore = "slow, ./test runs it"]
fn a_forged_backup_is_refused() {
    let name = "0".repeat(32);
    let long = format!("icon/{name}.png");
    let not_a_store = "does not contain a store as written by `rollcall backup`";
    for (sql, wanted) in [
        ("insert into migrations (number) values (99)", "was written by a newer version of rollcall"),
        ("delete from migrations", not_a_store),
        ("create view v as select 1", not_a_store),
        ("create trigger t after insert on keys begin select 1; end", not_a_store),
        ("drop table votes; create table votes (x)", "table votes differs from what its migrations create"),
        ("drop table votes", "table votes differs from what its migrations create"),
        ("drop table pictures", "table pictures differs from what its migrations create"),
        // Anything that SQLite would evaluate when a table of the expected name is read.
        (
            "drop table backup; create view backup as select 1 as one, 0 as made_at, '' as made_by, x'' as sum",
            not_a_store,
        ),
        ("drop table migrations; create view migrations as select 1 as number", not_a_store),
        ("drop table pictures; create view pictures as select 'a' as name, x'00' as bytes", not_a_store),
        ("create virtual table v using fts5(x)", not_a_store),
        ("alter table votes add column more text as (hex(zeroblob(1000000))) virtual", "table votes differs"),
        ("create table other (x)", "table other differs from what its migrations create"),
        ("create index other on votes (game_username)", "table other differs from what its migrations create"),
        ("create index other on votes (hex(zeroblob(1000000)))", "table other differs from what its migrations create"),
        ("drop index votes_recent", "table votes_recent differs from what its migrations create"),
        // Values that would be of another type than the program reads.
        ("update keys set created_at = 'yesterday'", "keys.created_at, row 1 has a value of the wrong type"),
        ("update keys set created_at = 1.5", "keys.created_at, row 1 has a value of the wrong type"),
        ("update keys set name = x'00ff'", "keys.name, row 1 has a value of the wrong type"),
        ("update keys set name = cast(x'ff' as text)", "keys.name, row 1 has a value of the wrong type"),
        ("update backup set made_at = 'now'", "backup.made_at, row 1 has a value of the wrong type"),
        // Numbers with which the program would overflow.
        ("update keys set created_at = -1", "keys.created_at, row 1 is -1 and not from 0 to 253402300799999"),
        ("update keys set per_day = 4294967296", "keys.per_day, row 1 is 4294967296 and not from 0 to 4294967295"),
        ("update servers set max_players = 2147483648", "servers.max_players, row 1 is 2147483648 and not from 0 to"),
        ("update servers set total_votes = 9223372036854775807", "servers.total_votes, row 1 is 9223372036854775807"),
        (
            "insert into sessions (id, player_n, server_n, joined_at, left_at, play_time)
             values ('s', 1, 1, 0, 0, 9223372036854775807)",
            "sessions.play_time, row 1 is 9223372036854775807 and not from 0 to 2147483647",
        ),
        (
            "update servers set website = 'javascript:alert(1)'",
            "the link \"javascript:alert(1)\", which is not a web address",
        ),
        ("insert into pictures values ('../../x', x'00')", "picture \"../../x\" that does not match the hash"),
        ("insert into pictures values ('/x', x'00')", "picture \"/x\" that does not match the hash"),
        ("insert into pictures values (x'ff', x'00')", "pictures.name, row "),
        (&format!("insert into pictures values ('{long}', x'00')"), "does not match the hash in its name"),
        ("update pictures set bytes = x'00'", "does not match the hash in its name"),
    ] {
        let (store, file) = backed_up_with_a_server(&["one"]);
        tamper(&file, |conn| conn.execute_batch(sql).unwrap());
        let message = refused(&file);
        assert!(message.contains(wanted), "{sql}: {message}");
        // An existing store is not touched either.
        complaint(&store.rollcall(&["restore", text(&file), "--replace"]), 1);
        assert_eq!(names(&store, &[]), ["one"]);
    }
}

fn backed_up_with_a_server(names: &[&str]) -> (Store, PathBuf) {
    let store = keyed(names);
    printed(&store.rollcall(&["server", "add", "play.example.org", "--slug", "play"]));
    let file = store.path().join("backup");
    back_up(&store, &file);
    (store, file)
}

/// SQLite parses the definitions in a file before it runs the first query, whatever their names say.
#[test]
fn a_definition_that_hides_behind_another_is_refused() {
    let hidden = "create view votes as select 1";
    for change in [
        format!("update sqlite_schema set sql = '{hidden}' where name = 'votes'"),
        format!("update sqlite_schema set type = 'view', rootpage = 0, sql = '{hidden}' where name = 'votes'"),
        "update sqlite_schema set rootpage = (select rootpage from sqlite_schema where name = 'keys') where name = 'votes'"
            .to_owned(),
        "update sqlite_schema set sql = replace(sql, 'check (rating between 1 and 5)', 'check (length(zeroblob(900000000)))')
         where name = 'reviews'"
            .to_owned(),
    ] {
        let (_store, file) = backed_up(&["one"]);
        // Not through our own connection, which would not allow it.
        let conn = rusqlite::Connection::open(&file).unwrap();
        conn.execute_batch(&format!("pragma writable_schema = on; {change}; pragma writable_schema = off;")).unwrap();
        drop(conn);
        // Where a checksum can still be written.
        let _ = rollcall::backup::write_checksum(&file, &|_, _, _| ());
        let message = refused(&file);
        assert!(message.contains("is damaged: "), "{change}: {message}");
    }
}

#[test]
fn pictures_are_encoded_again_and_names_lose_control_characters() {
    let (store, file) = backed_up_with_a_server(&["one"]);
    let icon: String =
        store.change(|conn| conn.query_one("select icon from servers where slug = 'play'", &[], |row| row.get(0)));
    let picture = std::fs::read(store.path().join("media").join(&icon)).unwrap();
    let polyglot = [&picture[..], b"<script>alert(1)</script>"].concat();
    let named = path_in_kind("icon", &polyglot);
    let hex: String = polyglot.iter().map(|byte| format!("{byte:02x}")).collect();
    tamper(&file, |conn| {
        conn.execute_batch(&format!(
            "insert into pictures values ('{named}', x'{hex}');
             update servers set icon = '{named}', name = 'Play' || char(27) || '[31m' || char(8238) || 'x';
             update keys set name = 'a' || char(10) || 'b'"
        ))
        .unwrap();
    });
    let restored = super::restored(&file);
    let row = restored.change(|conn| {
        conn.query_one("select icon, name from servers where slug = 'play'", &[], |row| {
            (row.get::<String>(0), row.get::<String>(1))
        })
    });
    assert_eq!(row, (icon, "Play\u{fffd}[31m\u{fffd}x".to_owned()));
    assert_eq!(names(&restored, &[]), ["a\u{fffd}b"]);
    assert!(!restored.path().join("media").join(&named).exists());
    for path in ["no picture", "\u{89}PNG"] {
        let (_store, file) = backed_up(&["one"]);
        let named = path_in_kind("icon", path.as_bytes());
        let hex: String = path.bytes().map(|byte| format!("{byte:02x}")).collect();
        tamper(&file, |conn| {
            conn.execute_batch(&format!("insert into pictures values ('{named}', x'{hex}')")).unwrap()
        });
        assert!(refused(&file).contains("that cannot be decoded; nothing was restored"));
    }
}

#[test]
fn posts_are_rendered_again() {
    let (_store, file) = backed_up_with_a_server(&["one"]);
    tamper(&file, |conn| {
        conn.execute_batch(
            "insert into accounts (id, username, username_key, avatar, role, created_at)
             values ('eve-1', 'Eve', 'eve', '', 'USER', 0);
             insert into update_posts (server_n, ordinal, id, account_n, title, content, html, status, created_at, updated_at)
             select s.n, 1, 'post', a.n, 'News', '*new* <b>', '<script>alert(1)</script>', 'APPROVED', 0, 0
             from servers s, accounts a where a.id = 'eve-1'",
        )
        .unwrap();
    });
    let sql = "select html from update_posts where id = 'post'";
    let html = super::restored(&file).change(|conn| conn.query_one(sql, &[], |row| row.get::<String>(0)));
    assert_eq!(html, "<p><em>new</em> &lt;b&gt;</p>");
}

/// Every place of a name, with the keys by which players and accounts are found.
#[test]
fn names_of_everything_lose_control_characters_and_keep_matching_keys() {
    let (_store, file) = backed_up_with_a_server(&["one"]);
    let bad = "char(27) || char(8238)";
    tamper(&file, |conn| {
        conn.execute_batch(&format!(
            "update servers set game_mode = 'Mode' || {bad};
             insert into accounts (id, username, username_key, avatar, role, created_at) values
                 ('eve-1', 'Eve' || char(27), 'eve' || char(27), '', 'USER' || {bad}, 0),
                 ('eve-2', 'Eve' || char(8238), 'eve' || char(8238), '', 'USER', 0);
             insert into players (id, game_uuid, nickname, nickname_key, country, skin, skin_model, linked_skin_n,
                                  tier_overall, tier_points, created_at, updated_at, last_seen_at, total_play_time,
                                  session_count, servers_count, total_kills, total_deaths, total_wins, vote_count,
                                  review_count, achievements, rev)
             select 'ada', '069a79f444e94726a5befca90e38aaf5', 'Ada' || {bad}, 'ada' || {bad}, 'Land' || {bad}, '', 'classic',
                    min(n), 'Unranked', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from textures;
             insert into reported_names (server_n, player_n, nickname, nickname_key, since, seen_at)
             select s.n, p.n, p.nickname, p.nickname_key, 0, 0 from servers s, players p;
             insert into reviews (server_n, ordinal, id, game_username, rating, content, created_at, updated_at)
             select n, 1, 'review', 'Ada' || {bad}, 5, '', 0, 0 from servers;
             insert into update_posts (server_n, ordinal, id, account_n, title, content, status, created_at, updated_at)
             select s.n, 1, 'post', a.n, 'Title' || {bad}, '', 'APPROVED', 0, 0 from servers s, accounts a
             where a.id = 'eve-1'"
        ))
        .unwrap();
    });
    let restored = super::restored(&file);
    let row = |sql: &str| restored.change(|conn| conn.query(sql, &[], |row| row.get::<String>(0)));
    for (sql, expected) in [
        ("select game_mode from servers", "Mode"),
        ("select role from accounts where id = 'eve-1'", "USER"),
        ("select nickname from players", "Ada"),
        ("select nickname_key from players", "ada"),
        ("select country from players", "Land"),
        ("select nickname from reported_names", "Ada"),
        ("select nickname_key from reported_names", "ada"),
        ("select game_username from reviews", "Ada"),
        ("select title from update_posts", "Title"),
    ] {
        assert_eq!(row(sql), [format!("{expected}\u{fffd}\u{fffd}")], "{sql}");
    }
    // These two would have the same name.
    for (column, name) in [("username", "Eve"), ("username_key", "eve")] {
        let mut names = row(&format!("select {column} from accounts where id like 'eve-%'"));
        names.sort();
        assert_eq!(names, [format!("{name}\u{fffd}"), format!("{name}\u{fffd}2")]);
    }
}

#[test]
fn an_existing_store_is_replaced_only_with_the_flag_and_is_kept() {
    let (_one, file) = backed_up(&["one"]);
    let store = keyed(&["two"]);
    printed(&store.rollcall(&["key", "list"]));
    let message = complaint(&store.rollcall(&["restore", text(&file)]), 1).to_owned();
    assert!(message.starts_with("there is already a store at ") && message.contains("--replace"), "{message}");
    assert_eq!(names(&store, &[]), ["two"]);
    for (round, kept, before) in [(1, "rollcall-before-restore.db", "two"), (2, "rollcall-before-restore-2.db", "one")]
    {
        let output = store.rollcall(&["restore", text(&file), "--replace"]);
        let message = printed(&output);
        assert!(message.starts_with("Restored accounts (1), keys (1) and pictures (3) as of 20"), "{round}: {message}");
        assert!(
            message.contains("; the previous store is kept as ") && message.ends_with(&format!("{kept}.\n")),
            "{message}"
        );
        assert_eq!(names(&store, &[]), ["one"]);
        let kept = format!("sqlite:{}", store.path().join(kept).display());
        let output = super::super::rollcall(store.path(), &["key", "list", "--database", &kept]).output().unwrap();
        assert!(printed(&output).contains(before), "{}", printed(&output));
    }
    // A ledger without its store counts as an existing store.
    std::fs::remove_file(store.path().join("rollcall.db")).unwrap();
    complaint(&store.rollcall(&["restore", text(&file)]), 1);
}

#[tokio::test]
async fn a_server_and_a_restore_exclude_each_other() {
    let (store, file) = backed_up(&["one"]);
    let program = Program::start(store.command(&SERVE));
    let message = complaint(&store.rollcall(&["restore", text(&file), "--replace"]), 1).to_owned();
    assert!(message.starts_with("a server or another command is using ") && message.contains("stop it"), "{message}");
    assert_eq!(program.get("/readyz", &[]).await.status, 200);
    // A backup may run beside a server.
    back_up(&store, &store.path().join("second"));
    assert!(program.stop("TERM").0.success());

    let restoring = File::options().append(true).open(store.path().join("rollcall.db.lock")).unwrap();
    restoring.try_lock().expect("the lock is free");
    for command in [&SERVE[..], &["demo", "--listen", "127.0.0.1:0"], &["key", "list"], &["migrate"], &["backup", "x"]]
    {
        let output = store.rollcall(command);
        let message = complaint(&output, 1);
        assert!(
            message.starts_with("a restore of ") && message.contains("is running; try again"),
            "{command:?}: {message}"
        );
    }
    drop(restoring);
    printed(&store.rollcall(&["restore", text(&file), "--replace"]));
    Program::start(store.command(&SERVE));
}
