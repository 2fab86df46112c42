//! `rollcall backup` and `rollcall restore`

mod cut_short;
mod refusals;
mod room;
mod running;

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

/// What a backup becomes where nothing was.
fn restored(file: &Path) -> Store {
    let store = Store::new(Engine::Sqlite);
    printed(&store.rollcall(&["restore", text(file)]));
    store
}

fn text(path: &Path) -> &str {
    path.to_str().expect("plain text")
}

/// The names of the keys that a store holds.
fn names(store: &Store, args: &[&str]) -> Vec<String> {
    let output = store.rollcall(&[&["key", "list", "--json"], args].concat());
    let keys: Vec<Value> = serde_json::from_str(printed(&output)).expect("JSON");
    keys.iter().map(|key| key["name"].as_str().expect("a name").to_owned()).collect()
}

/// The names of what stands in a folder, in their order.
fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("plain text")).collect();
    names.sort();
    names
}

/// Changes a backup as somebody could who knows how they are made.
fn tamper(file: &Path, change: impl FnOnce(&mut Conn)) {
    change(&mut Conn::open_aside(file).expect("it opens"));
    rollcall::backup::seal(file, &|_, _, _| ()).expect("it is sealed anew");
}
