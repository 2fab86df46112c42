//! Empty stores, files to import, and the stored totals.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rollcall::transfer::{self, Error, ImportOptions, LineCounts, Resource};
use rollcall_model::time::{DAY, HOUR, MINUTE, iso};
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::media::Media;
use rollcall_store::{Conn, migrate};

use crate::harness::{self, Engine};

pub const NOW: i64 = 1_769_851_800_000;

/// An empty store with a connection and in-memory pictures.
pub struct Store {
    pub conn: Conn,
    pub media: Media,
    _store: harness::Store,
}

pub fn store(engine: Engine) -> Store {
    let store = harness::Store::new(engine);
    let (mut conn, media) = (store.conn(), Media::in_memory());
    migrate(&mut conn).unwrap();
    ensure_builtin(&mut conn, &BuiltinPictures::save(&media).unwrap()).unwrap();
    Store { conn, media, _store: store }
}

pub fn sqlite() -> Store {
    store(Engine::Sqlite)
}

pub fn stores() -> impl Iterator<Item = Store> {
    Engine::BOTH.into_iter().map(store)
}

/// The importable files in a directory.
pub fn ndjson_files_in(folder: &Path) -> Vec<PathBuf> {
    Resource::ALL.into_iter().map(|resource| folder.join(resource.file_name())).filter(|path| path.is_file()).collect()
}

pub fn import(store: &mut Store, files: &[PathBuf]) -> Result<LineCounts, Error> {
    let import = ImportOptions { now: NOW, media: &store.media, progress: &mut |_, _| () };
    transfer::import(&mut store.conn, files, None, import)
}

pub fn export(store: &mut Store, folder: &Path) -> BTreeMap<String, String> {
    transfer::export(&mut store.conn, folder, &store.media, &mut |_, _| ()).unwrap();
    let files = ndjson_files_in(folder);
    assert_eq!(files.len(), Resource::ALL.len());
    files
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

pub fn exported(store: &mut Store) -> BTreeMap<String, String> {
    export(store, tempfile::tempdir().unwrap().path())
}

fn write(folder: &Path, files: &BTreeMap<String, String>) -> Vec<PathBuf> {
    files
        .iter()
        .map(|(name, text)| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect()
}

pub fn import_text(store: &mut Store, files: &BTreeMap<String, String>) -> Result<LineCounts, Error> {
    let folder = tempfile::tempdir().unwrap();
    import(store, &write(folder.path(), files))
}

/// The example lines of the documentation, by file.
pub fn documented_lines() -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let (mut file, mut inside) = (String::new(), false);
    for line in include_str!("../../../docs/DATA.md").lines() {
        let named = line.trim_start_matches("## ").trim_matches(|c| "`:".contains(c));
        if line.starts_with("```") {
            inside = line == "```json";
        } else if inside {
            files.entry(file.clone()).or_default().push_str(&format!("{line}\n"));
        } else if named.ends_with(".ndjson") && !named.contains([',', ' ']) {
            file = named.to_owned();
        }
    }
    files
}

/// The documented_lines lines and many more, with unusual texts.
pub fn many_lines() -> BTreeMap<String, String> {
    let mut files = documented_lines();
    let mut add = |file: &str, line: serde_json::Value| {
        files.get_mut(&format!("{file}.ndjson")).unwrap().push_str(&format!("{line}\n"));
    };
    let texts = [
        "plain",
        "ünïcode ☃ 🐉",
        "tab\there",
        "line\nbreak",
        "back\\slash \\N",
        "quote\"'",
        "İstanbul",
        "B",
        "a",
        "_",
        "~",
    ];
    for (i, text) in texts.iter().enumerate() {
        let i = i as i64;
        // Names are on one line.
        let name = text.replace(['\t', '\n'], " ");
        // Ids in both cases: a language-aware collation orders them differently than bytes.
        let id = format!("{}-{i}", if i % 2 == 0 { "Zz" } else { "aa" });
        add("accounts", serde_json::json!({"id": id, "username": format!("u{name}{i}"), "createdAt": iso(NOW + i)}));
        add(
            "servers",
            serde_json::json!({
                "id": id, "name": format!("Lantern Bay {name}"), "ip": "h.example", "motdRaw": text, "tps": 0.1 + i as f64 / 3.0,
                "visibility": if i % 4 == 3 { "UNLISTED" } else { "PUBLIC" }, "tags": [name, "b", "A"], "ownerId": id,
            }),
        );
        add(
            "skins",
            serde_json::json!({"id": format!("s{id}"), "name": name, "description": text, "ownerId": id, "likes": ["acc-bo", id], "tags": [name]}),
        );
        add("capes", serde_json::json!({"id": format!("c{id}"), "name": name, "ownerId": id, "favorites": [id]}));
        add(
            "players",
            serde_json::json!({
                "id": id, "gameUuid": format!("{i:032x}"), "mainNickname": name, "nicknameHistory": [name, "old", name],
                "linkedSkinId": format!("s{id}"), "capeId": format!("c{id}"), "tierPoints": i * 7,
            }),
        );
        for k in 0..9 {
            let at = NOW - (k * 7 % 5) * DAY - i * HOUR;
            let (key, server) = (
                format!("{}{i}-{k}", if k % 2 == 0 { "x" } else { "X" }),
                format!("{}-{}", if (i + k) % 11 % 2 == 0 { "Zz" } else { "aa" }, (i + k) % 11),
            );
            add(
                "votes",
                serde_json::json!({"id": key, "serverId": server, "playerId": id, "gameUsername": name, "votedAt": iso(at)}),
            );
            add(
                "reviews",
                serde_json::json!({"id": key, "serverId": server, "playerId": id, "gameUsername": name, "rating": 1 + k % 5, "content": text, "createdAt": iso(at)}),
            );
            let status = ["APPROVED", "PENDING", "REJECTED"][k as usize % 3];
            add(
                "update_posts",
                serde_json::json!({"id": key, "serverId": server, "accountId": id, "title": name, "content": text, "status": status, "createdAt": iso(at)}),
            );
            add(
                "sessions",
                serde_json::json!({"id": key, "serverId": server, "playerId": id, "joinedAt": iso(at), "leftAt": iso(at + k * MINUTE)}),
            );
            add(
                "player_stats",
                serde_json::json!({"id": key, "serverId": server, "playerId": id, "timestamp": iso(at), "statsJson": {"kills": k * 3 % 7, "wins": 0.1 * k as f64, "é": 1e300}}),
            );
            add(
                "samples",
                serde_json::json!({"serverId": server, "timestamp": iso(NOW - i * MINUTE), "onlinePlayers": k, "tps": 1.0 / (k + 1) as f64}),
            );
        }
    }
    files
}

/// Every stored total, ordered by id.
pub fn stored_totals(conn: &mut Conn) -> Vec<String> {
    let order = if conn.is_postgres() { " collate \"C\"" } else { "" };
    let queries = [
        ("servers", "id", vec!["total_votes", "vote_heat_at", "rating_sum", "rating_count", "update_count"]),
        ("textures", "id", vec!["like_count", "favorite_count", "usage_count"]),
        (
            "players",
            "id",
            vec![
                "total_play_time",
                "session_count",
                "servers_count",
                "total_kills",
                "total_deaths",
                "total_wins",
                "vote_count",
                "review_count",
                "achievements",
            ],
        ),
        ("votes", "id", vec!["ordinal"]),
        ("reviews", "id", vec!["ordinal"]),
        ("update_posts", "id", vec!["coalesce(ordinal, -1)"]),
        ("player_stats", "id", vec!["kills_gain", "deaths_gain", "wins_gain"]),
        (
            "(select s.id, d.day, d.votes from vote_days d join servers s on s.n = d.server_n) d",
            "id",
            vec!["day", "votes"],
        ),
    ];
    let mut out = Vec::new();
    for (table, id, columns) in queries {
        let sql = format!("select {id}, {} from {table} order by id{order}, 2", columns.join(", "));
        let rows = conn.query(&sql, &[], |row| {
            let numbers: Vec<i64> = (1..=columns.len()).map(|i| row.get(i)).collect();
            format!("{table} {} {numbers:?}", row.get::<String>(0))
        });
        out.extend(rows.unwrap());
    }
    let heat = format!("select vote_heat from servers order by id{order}");
    out.extend(conn.query(&heat, &[], |row| row.get::<f64>(0).to_string()).unwrap());
    out
}
