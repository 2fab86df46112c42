//! Scripts that check dependencies.

use std::path::Path;
use std::process::{Command, Output};

fn script(name: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("scripts").join(name));
    command.current_dir(root);
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_yanked_version_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("index/registry/.cache");
    let entry = |name: &str, version: &str, yanked: bool| {
        format!("{version}\0{{\"name\":\"{name}\",\"vers\":\"{version}\",\"yanked\":{yanked}}}\0")
    };
    for (path, entries) in [
        ("ex/am/example", entry("example", "1.0.0", true) + &entry("example", "1.0.1", false)),
        ("3/f/foo", entry("foo", "0.1.0", false)),
    ] {
        let file = cache.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("\u{3}\u{2}\0\0\0etag\0{entries}")).unwrap();
    }
    let check = |packages: &[(&str, &str)]| -> Output {
        let lock: String = packages
            .iter()
            .map(|(name, version)| {
                format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"registry+somewhere\"\n\n")
            })
            .collect();
        let own = "[[package]]\nname = \"ours\"\nversion = \"0.1.0\"\n";
        std::fs::write(folder.path().join("Cargo.lock"), format!("version = 4\n\n{lock}{own}")).unwrap();
        script("yanked").arg(folder.path().join("Cargo.lock")).arg(folder.path().join("index")).output().unwrap()
    };
    assert!(check(&[("example", "1.0.1"), ("foo", "0.1.0")]).status.success());
    let output = check(&[("example", "1.0.0"), ("foo", "0.1.0")]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), "yanked from the registry: example 1.0.0\n"));
    let output = check(&[("foo", "0.2.0")]);
    let message = "not in cargo's index of the registry: foo 0.2.0\n";
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), message));
}

#[test]
fn licences_sources_and_bans_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let check = |package: serde_json::Value| -> (Option<i32>, String) {
        let file = folder.path().join("metadata.json");
        std::fs::write(&file, serde_json::json!({"packages": [package]}).to_string()).unwrap();
        let output = script("deny").arg(file).output().unwrap();
        (output.status.code(), text(&output.stderr).to_owned())
    };
    let package = |name: &str, license: Option<&str>, source: Option<&str>, dependency: (&str, Option<&str>)| {
        serde_json::json!({
            "name": name, "version": "1.0.0", "license": license, "source": source,
            "dependencies": [{"name": "foo", "req": dependency.0, "registry": dependency.1}],
        })
    };
    let (registry, usual) = (Some("registry+somewhere"), ("^1", None));
    for license in
        ["MIT", "GPL-3.0 OR MIT", "MIT/GPL-3.0", "(GPL-3.0 OR ISC) AND Zlib", "Apache-2.0 WITH LLVM-exception"]
    {
        assert_eq!(check(package("a", Some(license), registry, usual)), (Some(0), String::new()), "{license}");
    }
    for license in ["GPL-3.0", "MIT AND GPL-3.0", "MIT AND (GPL-3.0 OR AGPL-3.0)", "", "MIT OR", "(MIT"] {
        let expression = if license.is_empty() { "none" } else { license };
        let message = format!("the licence of a 1.0.0 is not allowed: {expression}\n");
        assert_eq!(check(package("a", Some(license), registry, usual)), (Some(1), message));
    }
    for (package, message) in [
        (package("a", None, registry, usual), "the licence of a 1.0.0 is not allowed: none\n"),
        (package("sqlx", Some("MIT"), registry, usual), "sqlx 1.0.0 is banned\n"),
        (
            package("a", Some("MIT"), Some("git+somewhere"), usual),
            "a 1.0.0 is not from a registry, but from git+somewhere\n",
        ),
        (package("a", Some("MIT"), registry, ("^1", Some("other"))), "a 1.0.0 takes foo from the registry other\n"),
        (package("a", None, None, ("*", None)), "a 1.0.0 takes any version of foo\n"),
    ] {
        assert_eq!(check(package), (Some(1), message.to_owned()));
    }
}

#[test]
fn a_missing_advisory_database_is_reported_or_fails() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let check = |required: &str| {
        let mut command = script("advisories");
        command.env("ADVISORY_DB", folder.path().join("none")).env("NOT_CHECKED", &note);
        command.env("REQUIRE_ADVISORIES", required).output().unwrap()
    };
    let output = check("0");
    let message = "Known vulnerabilities were NOT checked: there is no advisory database at ";
    assert!(output.status.success() && text(&output.stderr).starts_with(message), "{}", text(&output.stderr));
    assert!(std::fs::read_to_string(&note).unwrap().starts_with(message));
    let output = check("1");
    assert!(!output.status.success() && text(&output.stderr).starts_with(message), "{}", text(&output.stderr));
    assert!(!note.exists());
    // ./test prints the note after everything else, and CI requires a database.
    let read = |name: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    assert!(read("test").contains("cat target/not-checked"));
    assert!(read(".github/workflows/test.yml").contains("REQUIRE_ADVISORIES: 1"));
}
