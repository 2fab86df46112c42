//! `completions SHELL`: the shells themselves judge the scripts.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{complaint, printed, rollcall};

/// The script of a shell in a file.
fn script(folder: &TempDir, shell: &str) -> std::path::PathBuf {
    let output = rollcall(folder.path(), &["completions", shell]).output().unwrap();
    let file = folder.path().join(shell);
    std::fs::write(&file, printed(&output)).unwrap();
    file
}

/// What bash offers for a line whose last word is incomplete.
fn offered(script: &Path, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let program = "source \"$0\" && COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)) && \
        _rollcall rollcall \"${@: -1}\" \"${@: -2:1}\" && printf '%s\\n' \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["--norc", "-c", program]).arg(script).args(words).output().unwrap();
    let text = printed(&output);
    text.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let script = script(&folder, "bash");
    let check = Command::new("bash").arg("-n").arg(&script).output().unwrap();
    assert_eq!((printed(&check), check.stderr.len()), ("", 0));
    assert_eq!(offered(&script, "rollcall serv"), ["serve", "server"]);
    assert_eq!(offered(&script, "rollcall key rot"), ["rotate"]);
    assert_eq!(offered(&script, "rollcall serve --pub"), ["--public-url"]);
    assert_eq!(offered(&script, "rollcall completions f"), ["fish"]);
}

#[test]
fn scripts_of_other_shells_name_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    for (shell, first) in [("zsh", "#compdef rollcall"), ("fish", "# Print an optspec")] {
        let text = std::fs::read_to_string(script(&folder, shell)).unwrap();
        assert!(text.starts_with(first), "{shell}: {}", text.lines().next().unwrap_or_default());
        // Parsed by the shell itself where it is installed.
        if let Ok(check) = Command::new(shell).arg("-n").arg(folder.path().join(shell)).output() {
            assert_eq!((printed(&check), check.stderr.len()), ("", 0), "{shell}");
        }
    }
    let output = rollcall(folder.path(), &["completions", "cmd"]).output().unwrap();
    assert!(complaint(&output, 2).contains("bash, zsh, fish"));
}
