//! The peers' own database, made from ours.

use std::net::SocketAddr;
use std::path::PathBuf;

use indicatif::ProgressBar;
use rollcall_search::fold_search;
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::contenders::Contender;
use crate::data::{self, Size, Store};
use crate::load::{Client, head, request};
use crate::progress;

const SCHEMA: &str = include_str!("../peers/sql/schema.sql");
const INDEXES: &str = include_str!("../peers/sql/indexes.sql");
/// Rows that are copied as they are.
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

pub fn path(size: Size) -> PathBuf {
    folder(size).join("peer.db")
}

pub fn folder(size: Size) -> PathBuf {
    data::folder().join(format!("peers-{}", size.name()))
}

fn stamp(size: Size) -> String {
    let sum = crc32fast::hash([SCHEMA, INDEXES, COPY].concat().as_bytes());
    format!("{} {sum:08x}", data::stamp(size))
}

pub fn is_made(size: Size) -> bool {
    data::has(&folder(size).join("made"), &stamp(size))
}

/// Servers are taken from our own answers, so that all fields are the same.
pub async fn make(size: Size, store: &Store, ours: &Contender) -> Result<(), String> {
    let bar = progress::waiting(format!("the peers' database, {}", size.name()));
    let _ = std::fs::remove_dir_all(folder(size));
    std::fs::create_dir_all(folder(size)).map_err(|error| error.to_string())?;
    let servers = servers(ours.address, &ours.headers).await;
    fill(size, store, &servers, &bar).map_err(|error| said(&error))?;
    data::write(&folder(size).join("made"), &stamp(size))?;
    progress::done(&bar);
    Ok(())
}

/// Two figures follow the clock in ours, and must not be older in theirs.
pub fn refresh(size: Size, store: &Store) -> Result<(), String> {
    let refreshed = || {
        let conn = Connection::open(path(size))?;
        attach(&conn, store)?;
        conn.execute_batch(
            "update servers set uptime = o.uptime, trend = o.trend from ours.servers o
             where o.n = servers.n and (o.uptime <> servers.uptime or o.trend <> servers.trend)",
        )
    };
    refreshed().map_err(|error| said(&error))
}

fn said(error: &rusqlite::Error) -> String {
    format!("the peers' database: {error}")
}

fn attach(conn: &Connection, store: &Store) -> rusqlite::Result<()> {
    let ours = store.folder.join("rollcall.db").display().to_string();
    conn.execute("attach database ?1 as ours", [format!("file:{ours}?mode=ro")])?;
    Ok(())
}

async fn servers(address: SocketAddr, headers: &str) -> Vec<Value> {
    let mut client = Client::connect(address).await;
    let mut all = Vec::new();
    for page in 1.. {
        let answer = client.ask(&request(&format!("/v1/servers?limit=100&page={page}"), headers)).await;
        let body = &answer[head(answer).expect("a head")..];
        let mut list: Value = serde_json::from_slice(body).expect("JSON");
        match list["data"]["servers"].take() {
            Value::Array(servers) if !servers.is_empty() => all.extend(servers),
            _ => break,
        }
    }
    all
}

fn fill(size: Size, store: &Store, servers: &[Value], bar: &ProgressBar) -> rusqlite::Result<()> {
    let mut conn = Connection::open(path(size))?;
    conn.execute_batch("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -524288;")?;
    conn.execute_batch(SCHEMA)?;
    attach(&conn, store)?;
    let transaction = conn.transaction()?;
    {
        let mut find = transaction.prepare("select n, rating_count from ours.servers where slug = ?1")?;
        let marks = (1..=30).map(|i| format!("?{i}")).chain(["null".to_owned()]).collect::<Vec<_>>().join(", ");
        let mut insert = transaction.prepare(&format!("insert into servers values ({marks})"))?;
        for server in servers {
            let text = |name: &str| server[name].as_str();
            let whole = |name: &str| server[name].as_i64();
            let (n, ratings): (i64, i64) = find.query_row([text("slug")], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let name = text("name").unwrap_or_default();
            let tags: Vec<&str> = server["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let mut searched = vec![name];
            searched.extend(["shortDescription", "motd", "ip"].into_iter().filter_map(text));
            searched.extend(tags);
            insert.execute(params![
                n,
                text("id"),
                text("slug"),
                name,
                fold_search(name),
                text("shortDescription"),
                text("ip"),
                whole("port"),
                text("iconUrl"),
                text("bannerUrl"),
                text("motdImageUrl"),
                text("motd"),
                text("website"),
                text("chatUrl"),
                text("visibility"),
                server["isOnline"].as_bool(),
                whole("currentPlayers"),
                whole("maxPlayers"),
                text("version"),
                whole("latency"),
                text("lastPing"),
                text("country"),
                server["tags"].to_string(),
                text("gameMode"),
                server["uptime"].as_f64(),
                server["trend"].as_f64(),
                whole("totalVotes"),
                server["rating"].as_f64(),
                ratings,
                text("createdAt"),
            ])?;
            let search = fold_search(&searched.join("\n"));
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
