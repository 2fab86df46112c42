//! `rollcall backup` and `rollcall restore`

mod disk_full;
mod interrupted;
mod live_store;
mod refusals;
mod schedule;

use std::path::{Path, PathBuf};

use rollcall_store::Conn;
use serde_json::Value;

use super::{Program, complaint, printed};
use crate::harness::{Engine, Store};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

/// A store with keys of these names and nothing else.
fn keyed(names: &[&str]) -> Store {
    let store = Store::new(Engine::Sqlite);
    for name in names {
        printed(&store.rollcall(&["key", "create", "--name", name]));
    }
    store
}

fn back_up(store: &Store, file: &Path) {
    printed(&store.rollcall(&["backup", text(file)]));
}

/// A store with keys of these names, and a backup of it.
fn backed_up(names: &[&str]) -> (Store, PathBuf) {
    let store = keyed(names);
    let file = store.path().join("backup");
    back_up(&store, &file);
    (store, file)
}

/// A new store, restored from a backup.
fn restored(file: &Path) -> Store {
    let store = Store::new(Engine::Sqlite);
    printed(&store.rollcall(&["restore", text(file)]));
    store
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The names of the keys in a store.
fn names(store: &Store, args: &[&str]) -> Vec<String> {
    let output = store.rollcall(&[&["key", "list", "--json"], args].concat());
    let keys: Vec<Value> = serde_json::from_str(printed(&output)).expect("JSON");
    keys.iter().map(|key| key["name"].as_str().expect("a name").to_owned()).collect()
}

/// The sorted names of the files in a directory.
fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("a directory entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// Changes a backup like an attacker who knows the format and updates the checksum.
fn tamper(file: &Path, change: impl FnOnce(&mut Conn)) {
    change(&mut Conn::open_unsynced(file).expect("the backup opens"));
    // Without a table for it there is no checksum, and the file is refused even before.
    let _ = rollcall::backup::write_checksum(file, &|_, _, _| ());
}
