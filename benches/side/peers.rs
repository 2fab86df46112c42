//! Those who are written by others, or as others would write them: their versions are pinned, and they install themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::contenders::{Contender, Kind, free_port};
use crate::data::{self, Size};
use crate::{peer_data, progress};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers")
}

fn venv() -> PathBuf {
    data::folder().join("peers-python")
}

pub fn install() -> Result<(), String> {
    let (wanted, have) = (source().join("requirements-side.txt"), venv().join("installed.txt"));
    if !same(&wanted, &have) {
        let bar = progress::waiting("Datasette and FastAPI from PyPI");
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(venv()))?;
        run(Command::new(venv().join("bin/pip")).args(["-q", "install", "-r"]).arg(&wanted))?;
        std::fs::copy(&wanted, &have).map_err(|error| error.to_string())?;
        progress::done(&bar);
    }
    // Beside the sources, where Node looks for them.
    let folder = source().join("fastify");
    let (wanted, have) = (folder.join("package-lock.json"), folder.join("node_modules/installed-lock.json"));
    if !same(&wanted, &have) {
        let bar = progress::waiting("Fastify and better-sqlite3 from npm");
        run(Command::new("npm").args(["ci", "--silent", "--prefix"]).arg(&folder))?;
        std::fs::copy(&wanted, &have).map_err(|error| error.to_string())?;
        progress::done(&bar);
    }
    Ok(())
}

pub fn start(kind: Kind, size: Size) -> Result<Contender, String> {
    let (port, database) = (free_port(), peer_data::path(size));
    let workers = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut command = match kind {
        Kind::Fastify => {
            let mut command = Command::new("node");
            command.arg(source().join("fastify/server.js")).env("NODE_ENV", "production").env("WORKERS", &workers);
            command
        }
        Kind::Fastapi => {
            let mut command = Command::new(venv().join("bin/uvicorn"));
            command.args(["server:app", "--host", "127.0.0.1", "--port", &port.to_string(), "--workers", &workers]);
            command.args(["--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "error"]);
            command.arg("--app-dir").arg(source().join("fastapi"));
            command
        }
        Kind::Datasette => {
            let mut command = Command::new(venv().join("bin/datasette"));
            command.arg("serve").arg("-i").arg(&database).args(["--host", "127.0.0.1", "--port", &port.to_string()]);
            command.arg("--metadata").arg(source().join("datasette/metadata.json"));
            for (name, value) in
                [("sql_time_limit_ms", "60000"), ("num_sql_threads", &workers), ("suggest_facets", "off")]
            {
                command.args(["--setting", name, value]);
            }
            command
        }
        Kind::Ceiling | Kind::Sqlite | Kind::Postgres => return Err("not a peer".to_owned()),
    };
    command.env("PORT", port.to_string()).env("DATABASE", &database).env("PYTHONDONTWRITEBYTECODE", "1");
    Contender::peer(kind, &mut command, port)
}

/// What Datasette is asked instead: its own tables and canned queries have addresses of their own. `None`: it cannot.
pub fn for_datasette(target: &str) -> Option<String> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if let Some(id) = path.strip_prefix("/v1/players/") {
        return Some(format!("/peer/player.json?_shape=objects&id={id}"));
    }
    if path != "/v1/servers" {
        return None;
    }
    let mut more = Vec::new();
    let (mut sort, mut size, mut page) = ("recent", "20", "1");
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        match name {
            "sort" => sort = value,
            "limit" => size = value,
            "page" => page = value,
            "country" => more.push(format!("country__exact={value}")),
            "version" => {
                more.push(format!("_where=(version%3D%27{value}%27%20or%20version%20like%20%27{value}.%25%27)"))
            }
            "tag" => more.push(format!(
                "_where=rowid%20in%20(select%20server%20from%20server_tags%20where%20tag%3D%27{value}%27)"
            )),
            "mode" => more.push(format!("game_mode__exact={value}")),
            "minPlayers" => more.push(format!("current_players__gte={value}")),
            "maxPlayers" => more.push(format!("current_players__lte={value}")),
            "minUptime" => more.push(format!("uptime__gte={value}")),
            "minVotes" => more.push(format!("total_votes__gte={value}")),
            "minRating" => more.push(format!("rating__gte={value}")),
            "onlineOnly" => more.push("is_online__exact=1".to_owned()),
            _ => return None,
        }
    }
    let order = match sort {
        "players" => "_sort_desc=current_players",
        "votes" => "_sort_desc=total_votes",
        "rating" => "_sort_desc=rating",
        "uptime" => "_sort_desc=uptime",
        "trending" => "_sort_desc=trend",
        "name" => "_sort=name_key",
        _ => "_sort_desc=created_at",
    };
    // It goes from page to page by tokens, and cannot jump: it is asked for the first instead, which is no dearer.
    let _ = page;
    more.push(format!("{order}&_size={size}&_shape=objects&_nofacet=1&_nosuggest=1"));
    Some(format!("/peer/servers.json?{}", more.join("&")))
}

fn same(wanted: &Path, have: &Path) -> bool {
    std::fs::read(wanted).ok().is_some_and(|wanted| std::fs::read(have).is_ok_and(|have| have == wanted))
}

fn run(command: &mut Command) -> Result<(), String> {
    let ended = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let said = String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() { Ok(()) } else { Err(format!("it needs the network once ({command:?}: {said})")) }
}

/// What the peers are made of, for the report.
pub fn versions() -> Vec<(String, String)> {
    let pinned = std::fs::read_to_string(source().join("requirements-side.txt")).unwrap_or_default();
    let python = pinned.lines().filter_map(|line| line.split_once("=="));
    let mut all: Vec<(String, String)> = python
        .filter(|(name, _)| {
            ["datasette", "fastapi", "pydantic", "uvicorn", "uvloop", "httptools", "orjson"].contains(name)
        })
        .map(|(name, version)| (name.to_owned(), version.to_owned()))
        .collect();
    let package = std::fs::read_to_string(source().join("fastify/package.json")).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_str(&package).unwrap_or_default();
    for (name, version) in package["dependencies"].as_object().into_iter().flatten() {
        all.push((name.clone(), version.as_str().unwrap_or_default().to_owned()));
    }
    all
}
