//! What is not backed up and not restored, in one sentence each; and then nothing has changed.

use std::fs::File;
use std::path::Path;

use super::{Program, SERVE, back_up, backed_up, complaint, entries, keyed, names, printed, tamper, text};
use crate::harness::{Engine, Store};

#[test]
fn a_backup_never_overwrites() {
    let (store, file) = backed_up(&["one"]);
    let before = std::fs::read(&file).unwrap();
    let told = format!("{} is there already; a backup never overwrites", file.display());
    assert_eq!(complaint(&store.rollcall(&["backup", text(&file)]), 1), told);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(complaint(&store.rollcall(&["backup", "."]), 1), {
        let folder = std::path::absolute(store.path()).unwrap();
        format!("{} is there already; a backup never overwrites", folder.display())
    });
    std::fs::write(store.path().join("other.part"), "").unwrap();
    let told = complaint(&store.rollcall(&["backup", "other"]), 1).to_owned();
    assert!(told.contains("other.part is there: another backup is being written, or one was cut short"), "{told}");
    assert!(!store.path().join("other").exists());
}

#[test]
fn a_backup_needs_a_store_and_a_folder() {
    let store = Store::new(Engine::Sqlite);
    let told = complaint(&store.rollcall(&["backup", "x"]), 1).to_owned();
    assert!(told.starts_with("there is no store at "), "{told}");
    assert_eq!(entries(store.path()), [""; 0]);
    drop(store.conn());
    let told = complaint(&store.rollcall(&["backup", "x"]), 1).to_owned();
    assert!(told.ends_with("rollcall.db is no store of rollcall"), "{told}");
    let store = keyed(&["one"]);
    let told = complaint(&store.rollcall(&["backup", "missing/x"]), 1).to_owned();
    assert!(told.starts_with("cannot write ") && told.contains("missing/x.part: No such file"), "{told}");
    store.change(|conn| conn.execute("insert into migrations (number) values (99)", &[]));
    let told = complaint(&store.rollcall(&["backup", "x"]), 1).to_owned();
    assert!(told.contains("is of a newer rollcall than this one") && told.contains("migration 99"), "{told}");
    assert!(!store.path().join("missing").exists() && !store.path().join("x").exists());
}

#[test]
fn postgresql_has_tools_of_its_own() {
    let store = Store::new(Engine::Postgres);
    for (command, tool) in [("backup", "pg_dump"), ("restore", "pg_restore")] {
        let output = store.rollcall(&[command, "x"]);
        let told = complaint(&output, 2);
        assert!(told.contains(tool) && told.contains(text(&store.path().join("media"))), "{told}");
    }
    assert_eq!(entries(store.path()), [""; 0]);
}

/// The sentence of a restore that is refused and leaves nothing.
fn refused(file: &Path) -> String {
    let store = Store::new(Engine::Sqlite);
    let told = complaint(&store.rollcall(&["restore", text(file)]), 1).to_owned();
    let mut left = entries(store.path());
    left.retain(|name| name != "rollcall.db.lock");
    assert_eq!(left, [""; 0], "{told}");
    told
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
                format!("{} is no backup that `rollcall backup` made", path(name).display())
            );
        }
    }
    assert!(refused(&path("missing")).ends_with("missing: No such file or directory (os error 2)"));
    assert!(refused(store.path()).ends_with("Is a directory (os error 21)"));
    tamper(&file, |conn| conn.batch("pragma user_version = 2").unwrap());
    assert!(refused(&file).contains("is a backup of a newer rollcall than this one"));
}

#[test]
fn a_backup_that_is_not_as_it_was_written_is_refused_whatever_the_byte() {
    let (_store, file) = backed_up(&["one", "two"]);
    let whole = std::fs::read(&file).unwrap();
    let other = file.with_file_name("other");
    let said = |told: &str| told.contains("is damaged: ") || told.contains("is no backup");
    for length in [whole.len() - 1, whole.len() - 4096, whole.len() / 2, 4096, 512, 100] {
        std::fs::write(&other, &whole[..length]).unwrap();
        let told = refused(&other);
        assert!(said(&told), "{length}: {told}");
    }
    std::fs::write(&other, [&whole[..], b"more"].concat()).unwrap();
    assert!(said(&refused(&other)));
    for at in (0..whole.len()).step_by(whole.len() / 40).chain([24, 60, 68, 95, whole.len() - 1]) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&other, &bytes).unwrap();
        let told = refused(&other);
        assert!(said(&told) || told.contains("newer rollcall"), "{at}: {told}");
    }
}

#[test]
fn a_backup_that_somebody_made_up_is_refused() {
    let name = "0".repeat(32);
    let long = format!("icon/{name}.png");
    let strange = "holds no store as `rollcall backup` writes it";
    for (sql, wanted) in [
        ("insert into migrations (number) values (99)", "is of a newer rollcall than this one"),
        ("delete from migrations", strange),
        ("create view v as select 1", strange),
        ("create trigger t after insert on keys begin select 1; end", strange),
        ("drop table votes; create table votes (x)", "the table votes is not as its migrations made it"),
        ("drop table votes", "the table votes is not as its migrations made it"),
        ("drop table pictures", "is damaged: "),
        ("insert into pictures values ('../../x', x'00')", "picture \"../../x\" that is not what its name says"),
        ("insert into pictures values ('/x', x'00')", "picture \"/x\" that is not what its name says"),
        ("insert into pictures values (x'ff', x'00')", "is not what its name says"),
        (&format!("insert into pictures values ('{long}', x'00')"), "is not what its name says"),
        ("update pictures set bytes = x'00'", "is not what its name says"),
    ] {
        let (store, file) = backed_up(&["one"]);
        tamper(&file, |conn| conn.batch(sql).unwrap());
        let told = refused(&file);
        assert!(told.contains(wanted), "{sql}: {told}");
        // Nor is a store touched that is there.
        complaint(&store.rollcall(&["restore", text(&file), "--replace"]), 1);
        assert_eq!(names(&store, &[]), ["one"]);
    }
}

#[test]
fn a_store_that_is_there_gives_way_only_when_told_and_is_kept() {
    let (_one, file) = backed_up(&["one"]);
    let store = keyed(&["two"]);
    printed(&store.rollcall(&["key", "list"]));
    let told = complaint(&store.rollcall(&["restore", text(&file)]), 1).to_owned();
    assert!(told.starts_with("there is a store at ") && told.contains("--replace"), "{told}");
    assert_eq!(names(&store, &[]), ["two"]);
    for (round, kept, before) in [(1, "rollcall-before-restore.db", "two"), (2, "rollcall-before-restore-2.db", "one")]
    {
        let output = store.rollcall(&["restore", text(&file), "--replace"]);
        let told = printed(&output);
        assert!(told.starts_with("Restored accounts (1), keys (1) and pictures (3) as of 20"), "{round}: {told}");
        assert!(told.contains("; the store before is kept as ") && told.ends_with(&format!("{kept}.\n")), "{told}");
        assert_eq!(names(&store, &[]), ["one"]);
        let kept = format!("sqlite:{}", store.path().join(kept).display());
        let output = super::super::rollcall(store.path(), &["key", "list", "--database", &kept]).output().unwrap();
        assert!(printed(&output).contains(before), "{}", printed(&output));
    }
    // A ledger alone is not to be mixed with a store that it does not belong to.
    std::fs::remove_file(store.path().join("rollcall.db")).unwrap();
    complaint(&store.rollcall(&["restore", text(&file)]), 1);
}

#[tokio::test]
async fn a_server_and_a_restore_keep_out_of_each_others_way() {
    let (store, file) = backed_up(&["one"]);
    let program = Program::start(store.command(&SERVE));
    let told = complaint(&store.rollcall(&["restore", text(&file), "--replace"]), 1).to_owned();
    assert!(told.starts_with("a server or another command is at work on ") && told.contains("stop it"), "{told}");
    assert_eq!(program.get("/readyz", &[]).await.status, 200);
    // Others may.
    back_up(&store, &store.path().join("second"));
    assert!(program.stop("TERM").0.success());

    let restoring = File::options().append(true).open(store.path().join("rollcall.db.lock")).unwrap();
    restoring.try_lock().expect("nobody is there");
    for command in [&SERVE[..], &["demo", "--listen", "127.0.0.1:0"], &["key", "list"], &["migrate"], &["backup", "x"]]
    {
        let output = store.rollcall(command);
        let told = complaint(&output, 1);
        assert!(told.starts_with("a restore of ") && told.contains("is under way; try again"), "{command:?}: {told}");
    }
    drop(restoring);
    printed(&store.rollcall(&["restore", text(&file), "--replace"]));
    Program::start(store.command(&SERVE));
}
