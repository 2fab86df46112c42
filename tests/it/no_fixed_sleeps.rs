//! No test waits a fixed time: it looks again until it finds what it waits for, by `until`. Clippy refuses
//! `std::thread::sleep` without a reason (`clippy.toml`); this finds the other ways to sleep. The service may use them, so
//! Clippy cannot ban them.

use std::collections::BTreeMap;
use std::path::Path;

/// How a file sleeps, by the end of its name.
const SLEEPS: [(&str, &[&str]); 3] = [
    (".rs", &["sleep(", "sleep_until("]),
    (".mjs", &["setTimeout(", "waitForTimeout(", "timers/promises"]),
    (".py", &["sleep("]),
];
/// Lines that may sleep, by file, and why.
const ALLOWED: [(&str, usize, &str); 11] = [
    ("tests/browser/setup.mjs", 1, "`until`: between two looks"),
    ("tests/faults/hostile_servers/listener.rs", 2, "the pace of a hostile server"),
    ("tests/interop/joining_clients.mjs", 1, "the deadline of the whole check"),
    ("tests/interop/linking.mjs", 1, "the deadline of the whole check"),
    ("tests/it/harness/until.rs", 1, "`until`: between two looks"),
    ("tests/it/harness/webhook_receiver.rs", 1, "a receiver that answers late"),
    ("tests/it/http/http2.rs", 2, "the pace of a client that goes on until it is disconnected"),
    ("tests/it/http/tls.rs", 1, "the pace of a client that goes on until it is disconnected"),
    ("tests/proxies/nodes.py", 1, "`until`: between two looks"),
    ("tests/proxies/rolling_restart.py", 1, "the pace of the load"),
    ("tests/proxies/steady_load.py", 1, "the pace of the load"),
];

/// Counts the lines that sleep in the files of a folder.
fn count_sleeps(root: &Path, folder: &Path, found: &mut BTreeMap<String, usize>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(root).expect("below the root").to_str().expect("UTF-8").to_owned();
        if path.is_dir() {
            if !name.ends_with("/node_modules") {
                count_sleeps(root, &path, found);
            }
            continue;
        }
        // This file names what it looks for.
        let Some((_, calls)) =
            SLEEPS.iter().find(|(end, _)| name.ends_with(end) && name != "tests/it/no_fixed_sleeps.rs")
        else {
            continue;
        };
        let source = std::fs::read_to_string(&path).expect("a readable file").replace("thread::sleep(", "");
        let count = source.lines().filter(|line| calls.iter().any(|call| line.contains(call))).count();
        if count > 0 {
            found.insert(name, count);
        }
    }
}

#[test]
fn no_test_sleeps_to_wait() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeMap::new();
    count_sleeps(root, &root.join("tests"), &mut found);
    let allowed: BTreeMap<String, usize> =
        ALLOWED.iter().map(|(path, lines, _)| ((*path).to_owned(), *lines)).collect();
    assert_eq!(
        found, allowed,
        "wait with `until`; a line that must sleep is listed in tests/it/no_fixed_sleeps.rs with its reason"
    );
}
