//! A disk without room, as a limit to the size of a file makes it.

use std::process::{Command, Output};

use super::{back_up, complaint, entries, names, text};
use crate::harness::{Engine, Server, Store};

/// Runs a command that may not write files of more than so many blocks of 512 bytes.
fn within(blocks: u32, store: &Store, args: &[&str]) -> Output {
    let command = store.command(args);
    let limit = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &limit, "sh"]).arg(command.get_program()).args(command.get_args()).current_dir(store.path());
    shell.output().expect("sh runs")
}

#[test]
fn what_does_not_fit_leaves_nothing_behind() {
    let store = Server::own(Engine::Sqlite).store.clone();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backup");
    for blocks in [100, 400, 800, 1600] {
        let output = within(blocks, &store, &["backup", text(&file)]);
        let told = complaint(&output, 1);
        assert!(told.contains("backup.part") || told.contains("failed"), "{told}");
        assert_eq!(entries(folder.path()), [""; 0], "{blocks}: {told}");
    }
    back_up(&store, &file);
    let size = file.metadata().unwrap().len();
    assert!(size > 1600 * 512, "the test must stop short of {size}");
    let before = (names(&store, &[]), entries(store.path()));
    for blocks in [100, 400, 800, 1600] {
        let output = within(blocks, &store, &["restore", text(&file), "--replace"]);
        let told = complaint(&output, 1);
        assert!(told.starts_with("the copy into ") && told.contains("rollcall.db.restoring failed"), "{told}");
        assert_eq!((names(&store, &[]), entries(store.path())), before, "{blocks}");
    }
}
