//! The peers: Fastify, FastAPI and Datasette at pinned versions, installed on first use.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::data::{self, DataSize};
use crate::services::{ServiceKind, ServiceProcess, free_port};
use crate::{peer_database, progress};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers")
}

fn venv() -> PathBuf {
    data::folder().join("peers-python")
}

pub fn install() -> Result<(), String> {
    let (required, installed) = (source().join("requirements-comparison.txt"), venv().join("installed.txt"));
    if !is_same_file(&required, &installed) {
        let bar = progress::spinner("Datasette and FastAPI from PyPI");
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(venv()))?;
        run(Command::new(venv().join("bin/pip")).args(["-q", "install", "-r"]).arg(&required))?;
        std::fs::copy(&required, &installed).map_err(|error| error.to_string())?;
        progress::done(&bar);
    }
    // Node.js looks for packages beside the sources.
    let folder = source().join("fastify");
    let (required, installed) = (folder.join("package-lock.json"), folder.join("node_modules/installed-lock.json"));
    if !is_same_file(&required, &installed) {
        let bar = progress::spinner("Fastify and better-sqlite3 from npm");
        run(Command::new("npm").args(["ci", "--silent", "--prefix"]).arg(&folder))?;
        std::fs::copy(&required, &installed).map_err(|error| error.to_string())?;
        progress::done(&bar);
    }
    Ok(())
}

pub fn start(kind: ServiceKind, size: DataSize) -> Result<ServiceProcess, String> {
    let (port, database) = (free_port(), peer_database::path(size));
    let workers = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut command = match kind {
        ServiceKind::Fastify => {
            let mut command = Command::new("node");
            command.arg(source().join("fastify/server.js")).env("NODE_ENV", "production").env("WORKERS", &workers);
            command
        }
        ServiceKind::Fastapi => {
            let mut command = Command::new(venv().join("bin/uvicorn"));
            command.args(["server:app", "--host", "127.0.0.1", "--port", &port.to_string(), "--workers", &workers]);
            command.args(["--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "error"]);
            command.arg("--app-dir").arg(source().join("fastapi"));
            command
        }
        ServiceKind::Datasette => {
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
        ServiceKind::Ceiling | ServiceKind::Sqlite | ServiceKind::Postgres => return Err("not a peer".to_owned()),
    };
    command.env("PORT", port.to_string()).env("DATABASE", &database).env("PYTHONDONTWRITEBYTECODE", "1");
    ServiceProcess::peer(kind, &mut command, port)
}

/// The URL of the same data in Datasette, which has its own URLs for tables and canned queries. `None`: Datasette has none.
pub fn datasette_target(target: &str) -> Option<String> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if let Some(id) = path.strip_prefix("/v1/players/") {
        return Some(format!("/peer/player.json?_shape=objects&id={id}"));
    }
    if path != "/v1/servers" {
        return None;
    }
    let mut parameters = Vec::new();
    let (mut sort, mut size) = ("recent", "20");
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        match name {
            "sort" => sort = value,
            "limit" => size = value,
            // Datasette pages by tokens and cannot jump to a page. It gets the first one instead, which costs no more.
            "page" => {}
            "country" => parameters.push(format!("country__exact={value}")),
            "version" => {
                parameters.push(format!("_where=(version%3D%27{value}%27%20or%20version%20like%20%27{value}.%25%27)"))
            }
            "tag" => parameters.push(format!(
                "_where=rowid%20in%20(select%20server%20from%20server_tags%20where%20tag%3D%27{value}%27)"
            )),
            "mode" => parameters.push(format!("game_mode__exact={value}")),
            "minPlayers" => parameters.push(format!("current_players__gte={value}")),
            "maxPlayers" => parameters.push(format!("current_players__lte={value}")),
            "minUptime" => parameters.push(format!("uptime__gte={value}")),
            "minVotes" => parameters.push(format!("total_votes__gte={value}")),
            "minRating" => parameters.push(format!("rating__gte={value}")),
            "onlineOnly" => parameters.push("is_online__exact=1".to_owned()),
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
    parameters.push(format!("{order}&_size={size}&_shape=objects&_nofacet=1&_nosuggest=1"));
    Some(format!("/peer/servers.json?{}", parameters.join("&")))
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    std::fs::read(a).ok().is_some_and(|a| std::fs::read(b).is_ok_and(|b| a == b))
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("the installation failed; it needs network access once ({command:?}: {stderr})"))
    }
}

/// Versions for the report.
pub fn versions() -> Vec<(String, String)> {
    let pinned = std::fs::read_to_string(source().join("requirements-comparison.txt")).unwrap_or_default();
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
