//! A secret is shown once and found nowhere after.

use std::path::{Path, PathBuf};

use super::{Program, printed};
use crate::harness::{Engine, Store};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn neither_the_log_nor_any_file_holds_a_key_that_was_used() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let key = printed(&store.rollcall(&["key", "create"])).trim().to_owned();
        let mut command = store.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("ROLLCALL_LOG_FILTER", "trace");
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
        let log = program.log();
        assert!(log.lines().count() > 10 && log.contains("\"DEBUG\"") && log.contains("/v1/nothing"), "{log}");
        assert!(program.stop("TERM").0.success());
        let files = files(store.path());
        assert!(files.len() > 2);
        for file in files {
            let bytes = std::fs::read(&file).expect("a readable file");
            // What a list shows of a key is its first seven characters: the rest must stay unseen.
            let found = memchr::memmem::find(&bytes, &key.as_bytes()[7..]);
            assert_eq!(found, None, "{}", file.display());
        }
        let kept: Vec<String> =
            store.change(|conn| conn.query("select hash || hint from key_secrets", &[], |row| row.get(0)));
        assert!(kept.len() == 1 && !kept[0].contains(&key[7..]));
    }
}
