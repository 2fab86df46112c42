//! The command line: output and exit status.

mod account;
mod backup;
mod check;
mod completions;
mod config;
mod confirm;
mod demo;
mod effective_settings;
mod file_permissions;
mod health;
mod import;
mod json_output;
mod key;
mod logs;
mod man;
mod media;
mod metrics;
mod nodes;
mod reload;
mod roles;
mod secrets;
mod seed;
mod serve;
mod wal;

use std::path::Path;
use std::process::{Command, Output};

use crate::harness::Program;

/// `rollcall ARGS` in a folder, without flags for the store.
fn rollcall(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rollcall"));
    command.args(args).current_dir(folder);
    command
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("plain text")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("plain text")
}

/// The output of a command that succeeded.
fn printed(output: &Output) -> &str {
    assert!(output.status.success(), "{}", stderr(output));
    stdout(output)
}

/// The one-line message of a command that failed with this status.
pub fn complaint(output: &Output, status: i32) -> &str {
    assert_eq!((output.status.code(), stdout(output)), (Some(status), ""), "{}", stderr(output));
    let sentence = stderr(output).strip_prefix("rollcall: ").unwrap_or_else(|| panic!("{}", stderr(output)));
    let sentence = sentence.strip_suffix('\n').expect("a whole line");
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence
}
