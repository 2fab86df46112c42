//! A key is printed once and stored nowhere.

use std::path::{Path, PathBuf};

use super::{Program, printed};
use crate::harness::{Engine, Store, fetch};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Lists show the first seven characters of a key. The rest must not appear.
fn assert_hidden(keys: &[&str], bytes: &[u8], place: &str) {
    for key in keys {
        assert_eq!(memchr::memmem::find(bytes, &key.as_bytes()[7..]), None, "{place}");
    }
}

#[tokio::test]
async fn no_log_metric_or_file_contains_a_key() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let key = printed(&store.rollcall(&["key", "create"])).trim().to_owned();
        let mut command = store.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("ROLLCALL_LOG_FILTER", "trace").env("ROLLCALL_METRICS_LISTEN", "127.0.0.1:0");
        let program = Program::start(command);
        let header = [("x-api-key", key.as_str())];
        for (path, status) in
            [("/v1/servers", 200), ("/v1/nothing", 404), ("/v1/servers?limit=x", 400), ("/healthz", 200)]
        {
            let joint = if path.contains('?') { '&' } else { '?' };
            assert_eq!(program.get(path, &header).await.status, status);
            assert_eq!(program.get(&format!("{path}{joint}api_key={key}"), &[]).await.status, status);
            assert_eq!(program.get(&format!("{path}{joint}%61pi_key={key}"), &header).await.status, status);
        }
        let keys = printed(&store.rollcall(&["key", "list", "--json"])).to_owned();
        let id = serde_json::from_str::<serde_json::Value>(&keys).unwrap()[0]["id"].as_str().unwrap().to_owned();
        let rotated = printed(&store.rollcall(&["key", "rotate", &id, "--grace", "1h"])).trim().to_owned();
        let secrets = [key.as_str(), &rotated];
        for args in [&["key", "list"][..], &["key", "show", &id], &["key", "usage", &id], &["export", "exported"]] {
            assert_hidden(&secrets, &store.rollcall(args).stdout, args[1]);
        }
        program.until_logged("/v1/nothing");
        let log = program.log();
        let metrics = fetch(&program.metrics(), &[]).await.body;
        assert!(String::from_utf8_lossy(&metrics).contains("rollcall_requests_total"));
        assert_hidden(&secrets, &metrics, "the metrics");
        assert!(log.lines().count() > 10 && log.contains("\"DEBUG\"") && log.contains("/v1/nothing"), "{log}");
        if engine == Engine::Sqlite {
            printed(&store.rollcall(&["backup", "copy.db"]));
        }
        // While the server runs, the write-ahead logs exist, too.
        for running in [true, false] {
            let files = files(store.path());
            let named = |name: &str| files.iter().any(|file| file.ends_with(name));
            let expected =
                ["copy.db", "rollcall.db", "rollcall.db-wal", "rollcall-ledger.db", "rollcall-ledger.db-wal"];
            assert!(engine == Engine::Postgres || !running || expected.iter().all(|name| named(name)), "{files:?}");
            for file in &files {
                let bytes = std::fs::read(file).expect("a readable file");
                assert_hidden(&secrets, &bytes, &file.display().to_string());
            }
            if running {
                program.signal("TERM");
                program.until_logged("stopped");
            }
        }
        let kept: Vec<String> =
            store.change(|conn| conn.query("select hash || hint from key_secrets", &[], |row| row.get(0)));
        assert_eq!(kept.len(), 2);
        kept.iter().for_each(|kept| assert_hidden(&secrets, kept.as_bytes(), "the store"));
    }
}
