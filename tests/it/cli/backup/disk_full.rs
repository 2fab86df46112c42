//! A full disk, simulated by a limit on the file size.

use std::process::{Command, Output};

use super::{back_up, complaint, entries, names, text};
use crate::harness::{Engine, Server, Store};

/// Runs a command that cannot write files larger than this many blocks of 512 bytes.
fn with_file_size_limit(blocks: u32, store: &Store, args: &[&str]) -> Output {
    let command = store.command(args);
    let limit = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &limit, "sh"]).arg(command.get_program()).args(command.get_args()).current_dir(store.path());
    shell.output().expect("sh runs")
}

#[test]
fn a_full_disk_leaves_no_partial_files() {
    let store = Server::own(Engine::Sqlite).store.clone();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backup");
    for blocks in [100, 400, 800, 1600] {
        let output = with_file_size_limit(blocks, &store, &["backup", text(&file)]);
        let message = complaint(&output, 1);
        assert!(message.contains("backup.part") || message.contains("failed"), "{message}");
        assert_eq!(entries(folder.path()), [""; 0], "{blocks}: {message}");
    }
    back_up(&store, &file);
    let size = file.metadata().unwrap().len();
    assert!(size > 1600 * 512, "the largest limit must be below {size}");
    let before = (names(&store, &[]), entries(store.path()));
    for blocks in [100, 400, 800, 1600] {
        let output = with_file_size_limit(blocks, &store, &["restore", text(&file), "--replace"]);
        let message = complaint(&output, 1);
        assert!(message.starts_with("writing ") && message.contains("rollcall.db.restoring failed"), "{message}");
        assert_eq!((names(&store, &[]), entries(store.path())), before, "{blocks}");
    }
}
