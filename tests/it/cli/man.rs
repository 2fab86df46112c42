//! `man DIR`: pages for every command, without warnings of groff.

use std::process::Command;

use super::{complaint, printed, rollcall, stderr};

#[test]
fn every_command_has_a_page_that_renders_without_warnings() {
    let folder = tempfile::tempdir().unwrap();
    printed(&rollcall(folder.path(), &["man", "."]).output().unwrap());
    let mut pages: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().expect("plain names"))
        .collect();
    pages.sort();
    for page in ["rollcall.1", "rollcall-serve.1", "rollcall-key-create.1", "rollcall-server-add.1"] {
        assert!(pages.iter().any(|name| name == page), "{page} is missing in {pages:?}");
    }
    // Commands for packagers are not documented for users.
    assert!(!pages.iter().any(|name| name == "rollcall-man.1"));
    for page in &pages {
        let output = Command::new("groff")
            .args(["-Kutf8", "-man", "-Tutf8", "-ww", "-z", page])
            .current_dir(folder.path())
            .output()
            .expect("groff (apt-get install groff-base)");
        assert_eq!((printed(&output), stderr(&output)), ("", ""), "{page}");
    }
    let text = std::fs::read_to_string(folder.path().join("rollcall.1")).unwrap();
    assert!(!text.contains("Try it"), "the text for terminals is left out");
    // An argument that is left out would move the others.
    assert!(text.contains("\n.TH rollcall 1 \"\" \"rollcall "), "{}", text.lines().nth(2).unwrap_or_default());
    for section in ["NAME", "SYNOPSIS", "SUBCOMMANDS", "EXAMPLES", "\"EXIT STATUS\"", "ENVIRONMENT", "FILES"] {
        assert!(text.contains(&format!(".SH {section}")), "{section}");
    }
}

#[test]
fn a_missing_folder_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let output = rollcall(folder.path(), &["man", "missing"]).output().unwrap();
    assert!(complaint(&output, 1).starts_with("cannot write missing/rollcall-"), "{}", stderr(&output));
}
