//! A restore that ends in the middle, by a crash or by force: the store before is there, or the new one, whole.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::{backed_up, complaint, entries, keyed, names, printed, restored, text};
use crate::harness::{Engine, Store};

const NOTE: &str = "rollcall.db.restored";
const KEPT: &str = "rollcall-before-restore.db";

/// A store as a killed process leaves it: its last key is only in the log beside the database.
fn killed() -> Store {
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

/// Puts the databases of a restored store aside in another's folder, ready to take their places.
fn put_aside(new: &Store, old: &Store) {
    for name in ["rollcall.db", "rollcall-ledger.db"] {
        std::fs::copy(new.path().join(name), old.path().join(format!("{name}.restoring"))).expect(name);
    }
}

#[test]
fn once_the_new_store_counts_whoever_comes_next_finishes() {
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
        let store = killed();
        put_aside(&new, &store);
        std::fs::write(store.path().join(NOTE), KEPT).unwrap();
        for (from, to) in &steps[..done] {
            std::fs::rename(store.path().join(from), store.path().join(to)).expect(from);
        }
        if done % 2 == 0 {
            assert_eq!(names(&store, &[]), ["new"], "after {done} steps");
        } else {
            // A restore that comes next finds the store that counts.
            complaint(&store.rollcall(&["restore", text(&file)]), 1);
        }
        assert_eq!(names(&store, &[]), ["new"], "after {done} steps");
        assert_eq!(kept(store.path()), ["last", "old"], "after {done} steps");
        let left: Vec<String> = entries(store.path()).into_iter().filter(|name| name.contains(".restor")).collect();
        assert_eq!(left, [""; 0], "after {done} steps");
    }
}

/// The names of the keys in the store that was kept.
fn kept(folder: &Path) -> Vec<String> {
    let database = format!("sqlite:{}", folder.join(KEPT).display());
    let output = super::super::rollcall(folder, &["key", "list", "--json", "--database", &database]).output().unwrap();
    let keys: Vec<serde_json::Value> = serde_json::from_str(printed(&output)).unwrap();
    let mut names: Vec<String> = keys.iter().map(|key| key["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn until_then_the_store_before_is_untouched() {
    let (_source, file) = backed_up(&["new"]);
    let store = killed();
    put_aside(&restored(&file), &store);
    std::fs::write(store.path().join("rollcall.db.restored.part"), "roll").unwrap();
    assert_eq!(names(&store, &[]), ["old", "last"]);
    printed(&store.rollcall(&["restore", text(&file), "--replace"]));
    assert_eq!(names(&store, &[]), ["new"]);
    assert!(!entries(store.path()).iter().any(|name| name.contains(".restor")));
}

#[test]
fn killed_at_any_moment_it_leaves_one_of_the_two() {
    let (_source, file) = backed_up(&["new"]);
    let mut seen = [0, 0];
    for millis in (0..120).step_by(6) {
        let store = keyed(&["old"]);
        let mut restore = store.command(&["restore", text(&file), "--replace"]);
        let mut restore = restore.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Not to wait for something, but to strike at another moment each time.
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
