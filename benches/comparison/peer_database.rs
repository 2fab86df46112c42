//! The SQLite database of the peers, copied from Rollcall's.

use std::net::SocketAddr;
use std::path::PathBuf;

use indicatif::ProgressBar;
use rollcall_search::fold_search;
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::data::{self, BenchStore, DataSize};
use crate::http_client::{HttpClient, header_length, request};
use crate::progress;
use crate::services::ServiceProcess;

const SCHEMA: &str = include_str!("../peers/sql/schema.sql");
const INDEXES: &str = include_str!("../peers/sql/indexes.sql");
/// Copies all tables but servers.
const COPY: &str = "
insert into server_tags select distinct t.tag, t.server_n from ours.server_tags t join servers s on s.n = t.server_n;
insert into players
  select p.n, p.id, p.game_uuid, p.nickname, p.nickname_key, 'https://stats.example.org/media/' || p.skin,
    'https://stats.example.org/media/' || t.png, p.skin_model, p.country, p.tier_overall, p.tier_points, p.tier_rank,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.last_tier_sync_at / 1000.0, 'unixepoch'),
    strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch'),
    strftime('%Y-%m-%dT%H:%M:%fZ', p.updated_at / 1000.0, 'unixepoch'),
    p.last_seen_at, p.total_play_time, p.session_count
  from ours.players p join ours.textures t on t.n = p.linked_skin_n order by p.n;
insert into sessions select player_n, joined_at, e.n, e.id, server_n, left_at, play_time
  from ours.sessions e join servers s on s.n = e.server_n order by player_n, joined_at, e.n;
insert into votes select server_n, ordinal, v.id, game_username, voted_at, player_n, a.username
  from ours.votes v join servers s on s.n = v.server_n left join ours.accounts a on a.n = v.account_n order by server_n, ordinal;
insert into vote_days select server_n, day, votes from ours.vote_days order by server_n, day;
insert into history_hour select server_n, at, case when watched_ms > 0 then player_ms / watched_ms else 0 end, peak
  from ours.samples_hour order by server_n, at;
insert into history_day select server_n, at, case when watched_ms > 0 then player_ms / watched_ms else 0 end, peak
  from ours.samples_day order by server_n, at;
insert into counts select (select count(*) from servers), (select count(*) from players);
";

pub fn path(size: DataSize) -> PathBuf {
    folder(size).join("peer.db")
}

pub fn folder(size: DataSize) -> PathBuf {
    data::folder().join(format!("peers-{}", size.name()))
}

fn fingerprint(size: DataSize) -> String {
    let sum = crc32fast::hash([SCHEMA, INDEXES, COPY].concat().as_bytes());
    format!("{} {sum:08x}", data::fingerprint(size))
}

pub fn is_ready(size: DataSize) -> bool {
    data::contains(&folder(size).join("complete"), &fingerprint(size))
}

/// Takes the servers from Rollcall's responses, so that all fields are the same.
pub async fn create(size: DataSize, store: &BenchStore, ours: &ServiceProcess) -> Result<(), String> {
    let bar = progress::spinner(format!("database of the peers, {}", size.name()));
    let _ = std::fs::remove_dir_all(folder(size));
    std::fs::create_dir_all(folder(size)).map_err(|error| error.to_string())?;
    let servers = all_servers(ours.address, &ours.headers).await;
    fill(size, store, &servers, &bar).map_err(|error| describe(&error))?;
    data::write(&folder(size).join("complete"), &fingerprint(size))?;
    progress::done(&bar);
    Ok(())
}

/// Copies uptime and trend again: Rollcall updates them with the clock.
pub fn refresh(size: DataSize, store: &BenchStore) -> Result<(), String> {
    let update = || {
        let conn = Connection::open(path(size))?;
        attach(&conn, store)?;
        conn.execute_batch(
            "update servers set uptime = o.uptime, trend = o.trend from ours.servers o
             where o.n = servers.n and (o.uptime <> servers.uptime or o.trend <> servers.trend)",
        )
    };
    update().map_err(|error| describe(&error))
}

fn describe(error: &rusqlite::Error) -> String {
    format!("database of the peers: {error}")
}

fn attach(conn: &Connection, store: &BenchStore) -> rusqlite::Result<()> {
    let ours = store.folder.join("rollcall.db").display().to_string();
    conn.execute("attach database ?1 as ours", [format!("file:{ours}?mode=ro")])?;
    Ok(())
}

async fn all_servers(address: SocketAddr, headers: &str) -> Vec<Value> {
    let mut client = HttpClient::connect(address).await;
    let mut all = Vec::new();
    for page in 1.. {
        let response = client.get(&request(&format!("/v1/servers?limit=100&page={page}"), headers)).await;
        let body = &response[header_length(response).expect("a complete header")..];
        let mut list: Value = serde_json::from_slice(body).expect("a JSON body");
        match list["data"]["servers"].take() {
            Value::Array(servers) if !servers.is_empty() => all.extend(servers),
            _ => break,
        }
    }
    all
}

fn fill(size: DataSize, store: &BenchStore, servers: &[Value], bar: &ProgressBar) -> rusqlite::Result<()> {
    let mut conn = Connection::open(path(size))?;
    conn.execute_batch("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -524288;")?;
    conn.execute_batch(SCHEMA)?;
    attach(&conn, store)?;
    let transaction = conn.transaction()?;
    {
        let mut find_row = transaction.prepare("select n, rating_count from ours.servers where slug = ?1")?;
        let placeholders = (1..=30).map(|i| format!("?{i}")).chain(["null".to_owned()]).collect::<Vec<_>>().join(", ");
        let mut insert = transaction.prepare(&format!("insert into servers values ({placeholders})"))?;
        for server in servers {
            let text = |name: &str| server[name].as_str();
            let integer = |name: &str| server[name].as_i64();
            let (n, ratings): (i64, i64) = find_row.query_row([text("slug")], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let name = text("name").unwrap_or_default();
            let tags: Vec<&str> = server["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let mut search_fields = vec![name];
            search_fields.extend(["shortDescription", "motd", "ip"].into_iter().filter_map(text));
            search_fields.extend(tags);
            insert.execute(params![
                n,
                text("id"),
                text("slug"),
                name,
                fold_search(name),
                text("shortDescription"),
                text("ip"),
                integer("port"),
                text("iconUrl"),
                text("bannerUrl"),
                text("motdImageUrl"),
                text("motd"),
                text("website"),
                text("chatUrl"),
                text("visibility"),
                server["isOnline"].as_bool(),
                integer("currentPlayers"),
                integer("maxPlayers"),
                text("version"),
                integer("latency"),
                text("lastPing"),
                text("country"),
                server["tags"].to_string(),
                text("gameMode"),
                server["uptime"].as_f64(),
                server["trend"].as_f64(),
                integer("totalVotes"),
                server["rating"].as_f64(),
                ratings,
                text("createdAt"),
            ])?;
            let search = fold_search(&search_fields.join("\n"));
            transaction.execute("update servers set search = ?1 where n = ?2", params![search, n])?;
        }
    }
    transaction.commit()?;
    for sql in [COPY, INDEXES] {
        bar.tick();
        conn.execute_batch(sql)?;
    }
    Ok(())
}
