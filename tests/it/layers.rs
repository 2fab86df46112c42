//! Checks the rules of `ARCHITECTURE.md` that the compiler cannot: where SQL, drivers, `clap` and the environment may
//! be used, which module of the root crate may use which, and that the modules of every crate use each other without
//! cycles. Test code is exempt.

mod module_graph;
mod named_paths;
mod source;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use module_graph::ModuleGraph;
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
    let graph = root_crate();
    let mut violations = Vec::new();
    for (row, (module, allowed)) in MODULES.into_iter().enumerate() {
        let lower = &MODULES[..row];
        for name in allowed.iter().filter(|name| !lower.iter().any(|(module, _)| module == *name)) {
            violations.push(format!("the table lets {module} use {name}, which is not above it"));
        }
        let mut used = BTreeSet::new();
        for place in graph.uses.iter().filter(|place| place.from.first() == Some(&module)) {
            let Some(&name) = place.to.first().filter(|name| **name != module) else { continue };
            if !allowed.contains(&name) {
                violations.push(format!("{}: {module} must not use {name}", place.place()));
            }
            used.insert(name);
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
    assert_eq!(root_crate().top_modules(), modules);
}

#[test]
fn modules_use_each_other_without_cycles() {
    let cycles: Vec<String> = module_graphs().iter().flat_map(ModuleGraph::cycles).collect();
    assert_none(
        "cycles between modules: move what both need to a lower module, or what joins them to a higher one",
        &cycles,
    );
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

/// One graph for each crate.
fn module_graphs() -> &'static [ModuleGraph<'static>] {
    static GRAPHS: LazyLock<Vec<ModuleGraph>> = LazyLock::new(|| ModuleGraph::of_crates(source_files()));
    &GRAPHS
}

fn root_crate() -> &'static ModuleGraph<'static> {
    module_graphs().iter().find(|graph| graph.folder == "src").expect("the root crate")
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
