//! An interrupted restore leaves either the complete old store or the complete new one.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::{backed_up, complaint, entries, keyed, names, printed, restored, text};
use crate::harness::{Engine, Store};

const MARKER: &str = "rollcall.db.restored";
const KEPT: &str = "rollcall-before-restore.db";

/// A store as a killed process leaves it: its last key is only in the WAL.
fn store_with_wal() -> Store {
    let (running, left) = (keyed(&["old"]), Store::new(Engine::Sqlite));
    let open = running.conn();
    printed(&running.rollcall(&["key", "create", "--name", "last"]));
    printed(&running.rollcall(&["key", "list"]));
    for name in ["rollcall.db", "rollcall.db-wal", "rollcall-ledger.db"] {
        std::fs::copy(running.path().join(name), left.path().join(name)).expect(name);
    }
    drop(open);
    left
}

/// Copies the databases of a restored store into another store's directory, under the temporary names of a restore.
fn add_pending_store(new: &Store, old: &Store) {
    for name in ["rollcall.db", "rollcall-ledger.db"] {
        std::fs::copy(new.path().join(name), old.path().join(format!("{name}.restoring"))).expect(name);
    }
}

#[test]
fn after_the_commit_point_the_next_command_completes_the_restore() {
    let steps = [
        ("rollcall.db-wal", "rollcall-before-restore.db-wal"),
        ("rollcall.db", "rollcall-before-restore.db"),
        ("rollcall.db.restoring", "rollcall.db"),
        ("rollcall-ledger.db", "rollcall-before-restore-ledger.db"),
        ("rollcall-ledger.db.restoring", "rollcall-ledger.db"),
    ];
    let (_source, file) = backed_up(&["new"]);
    let new = restored(&file);
    for done in 0..=steps.len() {
        let store = store_with_wal();
        add_pending_store(&new, &store);
        std::fs::write(store.path().join(MARKER), KEPT).unwrap();
        for (from, to) in &steps[..done] {
            std::fs::rename(store.path().join(from), store.path().join(to)).expect(from);
        }
        if done % 2 == 0 {
            assert_eq!(names(&store, &[]), ["new"], "after {done} steps");
        } else {
            // The next restore sees the new store.
            complaint(&store.rollcall(&["restore", text(&file)]), 1);
        }
        assert_eq!(names(&store, &[]), ["new"], "after {done} steps");
        assert_eq!(kept(store.path()), ["last", "old"], "after {done} steps");
        let left: Vec<String> = entries(store.path()).into_iter().filter(|name| name.contains(".restor")).collect();
        assert_eq!(left, [""; 0], "after {done} steps");
    }
}

/// The names of the keys in the old store.
fn kept(folder: &Path) -> Vec<String> {
    let database = format!("sqlite:{}", folder.join(KEPT).display());
    let output = super::super::rollcall(folder, &["key", "list", "--json", "--database", &database]).output().unwrap();
    let keys: Vec<serde_json::Value> = serde_json::from_str(printed(&output)).unwrap();
    let mut names: Vec<String> = keys.iter().map(|key| key["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn before_the_commit_point_the_old_store_is_untouched() {
    let (_source, file) = backed_up(&["new"]);
    let store = store_with_wal();
    add_pending_store(&restored(&file), &store);
    std::fs::write(store.path().join("rollcall.db.restored.part"), "roll").unwrap();
    assert_eq!(names(&store, &[]), ["old", "last"]);
    printed(&store.rollcall(&["restore", text(&file), "--replace"]));
    assert_eq!(names(&store, &[]), ["new"]);
    assert!(!entries(store.path()).iter().any(|name| name.contains(".restor")));
}

#[test]
#[ignore = "slow, ./test runs it"]
fn a_killed_restore_leaves_the_old_or_the_new_store() {
    let (_source, file) = backed_up(&["new"]);
    let mut seen = [0, 0];
    for millis in (0..120).step_by(6) {
        let store = keyed(&["old"]);
        let mut restore = store.command(&["restore", text(&file), "--replace"]);
        let mut restore = restore.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Not a wait: each round kills the restore at a different moment.
        #[expect(clippy::disallowed_methods, reason = "interrupts at a different moment each time")]
        std::thread::sleep(Duration::from_millis(millis));
        restore.kill().unwrap();
        restore.wait().unwrap();
        let names = names(&store, &[]);
        assert!(names == ["old"] || names == ["new"], "{names:?} after {millis} ms");
        seen[usize::from(names == ["new"])] += 1;
        printed(&store.rollcall(&["restore", text(&file), "--replace"]));
    }
    assert!(seen[0] > 0, "{seen:?}");
}
