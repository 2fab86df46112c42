//! Checks the rules of `ARCHITECTURE.md` that the compiler cannot: where SQL, drivers, `clap` and the environment may
//! be used, and which module of the root crate may use which. Test code is exempt.

mod source;

use std::collections::BTreeSet;

use source::SourceFile;
pub use source::source_files;

/// The modules of the root crate, lowest first, each with the modules it uses. A module may use only modules above it
/// in this table. Add a module here only if the dependency is really needed.
const MODULES: [(&str, &[&str]); 32] = [
    ("batch_writer", &[]),
    ("config", &[]),
    ("http_client", &[]),
    ("limits", &[]),
    ("security_log", &[]),
    ("worker_pool", &[]),
    ("event_feed", &["config"]),
    ("accounts", &["config", "limits"]),
    ("catalogue", &[]),
    ("auth", &["config", "limits"]),
    ("moderation", &["config"]),
    ("transfer", &["moderation"]),
    ("tracked_servers", &["transfer"]),
    ("listings", &["config", "limits", "tracked_servers"]),
    ("error", &[]),
    ("texture_uploads", &["config", "error", "http_client", "limits", "moderation"]),
    ("intake", &["batch_writer", "limits"]),
    ("voting", &["batch_writer", "config", "limits"]),
    ("linking", &["config", "limits"]),
    ("texture_acts", &["batch_writer", "limits"]),
    ("tiers", &["config", "http_client"]),
    ("webhooks", &["accounts", "config", "event_feed", "http_client"]),
    ("http", &["config", "error", "limits", "worker_pool"]),
    ("captcha", &["config", "http_client", "limits"]),
    ("playground", &["captcha", "config", "error", "limits"]),
    (
        "app",
        &[
            "accounts",
            "auth",
            "captcha",
            "catalogue",
            "config",
            "event_feed",
            "http",
            "intake",
            "limits",
            "listings",
            "linking",
            "moderation",
            "playground",
            "security_log",
            "texture_acts",
            "texture_uploads",
            "tiers",
            "voting",
            "webhooks",
            "worker_pool",
        ],
    ),
    ("v1", &["app", "auth", "catalogue", "error", "event_feed", "http", "security_log"]),
    (
        "web",
        &[
            "accounts",
            "app",
            "captcha",
            "catalogue",
            "config",
            "error",
            "http",
            "limits",
            "listings",
            "linking",
            "moderation",
            "playground",
            "security_log",
            "texture_acts",
            "texture_uploads",
            "tracked_servers",
            "transfer",
            "v1",
            "voting",
            "webhooks",
        ],
    ),
    ("server", &["app", "config", "error", "http", "intake", "limits", "security_log", "v1", "web", "worker_pool"]),
    ("tracker", &["config", "limits"]),
    ("backup", &["moderation"]),
    (
        "cli",
        &[
            "accounts",
            "app",
            "backup",
            "config",
            "http",
            "http_client",
            "server",
            "tracked_servers",
            "tracker",
            "transfer",
            "v1",
            "worker_pool",
        ],
    ),
];

/// Files outside `crates/store/src/db` that may name a database driver.
const DRIVER_EXCEPTIONS: [&str; 1] = [
    // The store's error type wraps the errors of both drivers.
    "crates/store/src/lib.rs",
];

/// Files besides `src/config.rs` that may read the environment.
const ENVIRONMENT_EXCEPTIONS: [&str; 1] = [
    // Sets defaults of the allocator, which reads its variables before `main`.
    "src/cli/allocator.rs",
];

#[test]
fn sql_is_only_in_the_store() {
    let mut violations = Vec::new();
    for file in source_files().iter().filter(|file| !file.path.starts_with("crates/store/")) {
        for literal in file.literals.iter().filter(|literal| is_sql(&literal.text)) {
            violations.push(format!("{}:{}: {:?}", file.path, literal.line, literal.text));
        }
    }
    assert_none("SQL outside crates/store", &violations);
}

#[test]
fn a_module_uses_only_the_modules_in_its_row() {
    let files = source_files();
    let mut violations = Vec::new();
    for (row, (module, allowed)) in MODULES.into_iter().enumerate() {
        let lower = &MODULES[..row];
        for name in allowed.iter().filter(|name| !lower.iter().any(|(module, _)| module == *name)) {
            violations.push(format!("the table lets {module} use {name}, which is not above it"));
        }
        let mut used = BTreeSet::new();
        for file in files.iter().filter(|file| root_module(&file.path) == Some(module)) {
            for (line, name) in root_modules_used(file) {
                if name != module && !allowed.contains(&name) {
                    violations.push(format!("{}:{line}: {module} must not use {name}", file.path));
                }
                used.insert(name);
            }
        }
        for name in allowed.iter().filter(|name| !used.contains(*name)) {
            violations.push(format!("{module} no longer uses {name}: remove it from the table"));
        }
    }
    assert_none("dependencies between modules", &violations);
}

#[test]
fn every_module_is_in_the_table() {
    let modules: BTreeSet<&str> = MODULES.into_iter().map(|(module, _)| module).collect();
    let files = source_files();
    let found: BTreeSet<&str> = files.iter().filter_map(|file| root_module(&file.path)).collect();
    assert_eq!(found, modules);
}

#[test]
fn clap_is_only_in_the_command_line() {
    assert_none("clap outside src/cli", &uses_outside(&["clap"], |path| path.starts_with("src/cli/")));
}

#[test]
fn drivers_are_only_in_the_db_module_of_the_store() {
    let is_allowed = |path: &str| path.starts_with("crates/store/src/db/") || DRIVER_EXCEPTIONS.contains(&path);
    assert_none(
        "database drivers outside crates/store/src/db",
        &uses_outside(&["rusqlite", "tokio_postgres"], is_allowed),
    );
}

#[test]
fn only_the_configuration_reads_the_environment() {
    let is_allowed = |path: &str| path == "src/config.rs" || ENVIRONMENT_EXCEPTIONS.contains(&path);
    let reads = ["env::var", "env::vars", "env::var_os", "env::vars_os"];
    assert_none("the environment is read outside src/config.rs", &uses_outside(&reads, is_allowed));
}

fn assert_none(rule: &str, violations: &[String]) {
    assert!(violations.is_empty(), "{rule} ({}):\n{}", violations.len(), violations.join("\n"));
}

/// Where code outside the allowed files uses one of these paths.
fn uses_outside(paths: &[&str], is_allowed: impl Fn(&str) -> bool) -> Vec<String> {
    let mut violations = Vec::new();
    for file in source_files().iter().filter(|file| !is_allowed(&file.path)) {
        for (number, line) in file.code.lines().enumerate() {
            for path in paths.iter().filter(|path| contains_path(line, path)) {
                violations.push(format!("{}:{}: {path}", file.path, number + 1));
            }
        }
    }
    violations
}

/// Whether code contains a path as whole words.
fn contains_path(code: &str, path: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    code.match_indices(path)
        .any(|(at, _)| !is_word(code[..at].chars().next_back()) && !is_word(code[at + path.len()..].chars().next()))
}

/// Whether a string literal contains a statement. The project writes SQL keywords in lower case.
fn is_sql(literal: &str) -> bool {
    let words: Vec<&str> =
        literal.split(|c: char| !(c.is_alphanumeric() || "_.{}".contains(c))).filter(|word| !word.is_empty()).collect();
    let follows =
        |first: &str, second: &[&str]| words.windows(2).any(|pair| pair[0] == first && second.contains(&pair[1]));
    let select = words.iter().position(|word| *word == "select");
    let update = words.iter().position(|word| *word == "update");
    select.is_some_and(|at| words[at..].contains(&"from"))
        || update.is_some_and(|at| words[at..].get(2) == Some(&"set") && literal.contains('='))
        || follows("insert", &["into"])
        || follows("delete", &["from"])
        || follows("create", &["table", "temp", "index", "unique", "view", "trigger"])
        || follows("drop", &["table", "index", "view", "trigger"])
        || follows("alter", &["table"])
        || follows("vacuum", &["into"])
        || literal.split(';').any(|statement| statement.trim_start().starts_with("pragma "))
}

/// The module of the root crate that a file belongs to.
fn root_module(path: &str) -> Option<&str> {
    let name = path.strip_prefix("src/")?.split('/').next()?;
    let module = name.strip_suffix(".rs").unwrap_or(name);
    (!["lib", "main"].contains(&module)).then_some(module)
}

/// The modules of the root crate that a file names, as `crate::name`, `crate::{name, …}` or by enough `super::`.
fn root_modules_used(file: &SourceFile) -> Vec<(usize, &'static str)> {
    let depth = file.path.split('/').count() - 1 - usize::from(file.path.ends_with("/mod.rs"));
    let mut used = Vec::new();
    for root in ["crate::".to_owned(), "super::".repeat(depth)] {
        for (at, _) in file.code.match_indices(&root) {
            let path = &file.code[at + root.len()..];
            let line = file.code[..at].lines().count().max(1);
            let names = match path.strip_prefix('{') {
                Some(group) => first_segments(group),
                None => vec![identifier(path)],
            };
            let modules = MODULES.into_iter().map(|(module, _)| module);
            used.extend(modules.filter(|module| names.contains(module)).map(|module| (line, module)));
        }
    }
    used
}

/// The first path segment of each item in `a::b, c::{d, e}, f}`.
fn first_segments(group: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut names = vec![identifier(group.trim_start())];
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(identifier(group[at + 1..].trim_start())),
            _ => {}
        }
    }
    names
}

fn identifier(code: &str) -> &str {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
}

#[test]
fn sql_is_recognised() {
    for sql in [
        "select id from servers",
        "select id,\n n from {table}",
        "with x as (select 1 from y) delete from z",
        "insert into votes (id) values ($1)",
        "update servers set rev = $1",
        "delete from {table}",
        "create table x (n bigint)",
        "create temp table x (n bigint)",
        "create unique index x on y (z)",
        "drop table x",
        "alter table x add column y",
        "vacuum into ?1",
        "begin; pragma user_version = 2",
    ] {
        assert!(is_sql(sql), "{sql}");
    }
    for text in ["Select a file from the list", "update", "no update was set", "create an account", "from", "pragmatic"]
    {
        assert!(!is_sql(text), "{text}");
    }
}

#[test]
fn module_paths_are_recognised() {
    let used = |path: &str, code: &str| -> Vec<&str> {
        let file = SourceFile::parse(path, code);
        root_modules_used(&file).into_iter().map(|(_, module)| module).collect()
    };
    assert_eq!(used("src/a/b.rs", "use crate::http::X;"), ["http"]);
    assert_eq!(used("src/a/b.rs", "use crate::{app::{web, App}, http};"), ["http", "app"]);
    assert_eq!(used("src/a/b.rs", "use super::super::http::X;"), ["http"]);
    assert_eq!(used("src/a/b.rs", "use super::http::X;"), [""; 0]);
    assert_eq!(used("src/a/mod.rs", "fn f() { super::http::x() }"), ["http"]);
    assert_eq!(used("src/a.rs", "// crate::http\nconst X: &str = \"crate::http\";"), [""; 0]);
    assert_eq!(used("src/a.rs", "#[cfg(test)]\nmod tests { use crate::http; }"), [""; 0]);
}
