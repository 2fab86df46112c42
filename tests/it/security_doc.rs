//! `SECURITY.md` cites only files and tests that exist.

use std::path::Path;

const DOCUMENT: &str = include_str!("../../SECURITY.md");
/// What a cited path begins with.
const FOLDERS: [&str; 5] = ["crates/", "docs/", "scripts/", "src/", "tests/"];

/// The paths in backticks, each with the test after `::`, if any.
fn citations(document: &str) -> Vec<(&str, Option<&str>)> {
    let spans = document.split('`').skip(1).step_by(2);
    let paths = spans.filter(|span| FOLDERS.iter().any(|folder| span.starts_with(folder)));
    paths.map(|path| path.split_once("::").map_or((path, None), |(path, test)| (path, Some(test)))).collect()
}

/// Whether the file has a test of this name: in Rust a function that is marked as one, elsewhere a call of `test`.
fn has_test(path: &str, source: &str, name: &str) -> bool {
    if !path.ends_with(".rs") {
        return source.contains(&format!("test(\"{name}\""));
    }
    let is_mark =
        |line: &str| ["#[test]", "#[tokio::test]", "#[tokio::test("].iter().any(|mark| line.starts_with(mark));
    let mut is_marked = false;
    for line in source.lines().map(str::trim_start) {
        let signature = line.strip_prefix("async ").unwrap_or(line);
        if signature.strip_prefix("fn ").and_then(|rest| rest.split(['(', '<']).next()) == Some(name) && is_marked {
            return true;
        }
        // Other attributes and comments may stand between the mark and the function.
        is_marked = is_mark(line) || is_marked && (line.starts_with("#[") || line.starts_with("//"));
    }
    false
}

/// What is wrong with the citations of a document.
fn broken(document: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let problem = |(path, test): (&str, Option<&str>)| match (std::fs::read_to_string(root.join(path)), test) {
        (Ok(source), Some(test)) if !has_test(path, &source, test) => Some(format!("{path} has no test {test}")),
        (Ok(_), None) if path.ends_with(".test.mjs") => Some(format!("{path} is cited without a test")),
        (Err(_), None) if root.join(path).is_dir() => None,
        (Err(error), _) => Some(format!("{path}: {error}")),
        _ => None,
    };
    citations(document).into_iter().filter_map(problem).collect()
}

#[test]
fn every_cited_path_and_test_exists() {
    assert!(citations(DOCUMENT).iter().filter(|(_, test)| test.is_some()).count() > 40, "the citations are found");
    assert_eq!(broken(DOCUMENT), [""; 0]);
}

#[test]
fn a_missing_path_or_test_is_reported() {
    let this = "tests/it/security_doc.rs";
    assert_eq!(broken(&format!("`{this}`, `{this}::a_missing_path_or_test_is_reported`, `tests/it`")), [""; 0]);
    assert_eq!(broken(&format!("`{this}::no_such_test`")), [format!("{this} has no test no_such_test")]);
    assert_eq!(broken(&format!("`{this}::has_test`")), [format!("{this} has no test has_test")]);
    assert_eq!(broken("`tests/no_such_file.rs`").len(), 1);
    let script = "tests/browser/playground.test.mjs";
    assert_eq!(broken(&format!("`{script}::errors are explained`")), [""; 0]);
    assert_eq!(broken(&format!("`{script}::errors are`")), [format!("{script} has no test errors are")]);
    assert_eq!(broken(&format!("`{script}`")), [format!("{script} is cited without a test")]);
}
