//! Adding, changing and removing the servers that the tracker pings. The command line and the operator pages share these rules;
//! each change is a line of `servers.ndjson` that is imported, so that the checks of an import apply.

mod settings;

use serde_json::{Map, Value, json};

pub use settings::{ServerSettings, split_address, tracked_as};

use crate::transfer::{self, ImportOptions, Resource};
use rollcall_model::id;
use rollcall_model::message::{Message, translatable};
use rollcall_store::audit::{self, Author};
use rollcall_store::media::Media;
use rollcall_store::{Conn, server_deletion, server_lookup, servers, tracking};

/// Why a server is not added or changed.
#[derive(Debug)]
pub enum ServerError {
    /// A value is not accepted.
    Invalid(Message),
    /// The values do not fit to what is stored.
    Conflict(Message),
    /// No server has the slug.
    NotFound,
    /// The server is like this already.
    Unchanged,
    Import(transfer::Error),
}

impl From<transfer::Error> for ServerError {
    fn from(error: transfer::Error) -> Self {
        match error {
            transfer::Error::Refused(reason) => Self::Invalid(reason.into()),
            other => Self::Import(other),
        }
    }
}

impl From<rollcall_store::Error> for ServerError {
    fn from(error: rollcall_store::Error) -> Self {
        Self::Import(error.into())
    }
}

/// A server that was just added.
pub struct NewServer {
    pub n: i64,
    pub id: String,
    pub slug: String,
}

/// Adds a server. Without a name it is called by its address.
pub fn add(
    conn: &mut Conn,
    media: &Media,
    address: &str,
    settings: &ServerSettings,
    author: &Author,
) -> Result<NewServer, ServerError> {
    let mut line = Map::new();
    let id = id::encode(rand::random());
    settings::put_address(&mut line, address)?;
    line.insert("id".into(), json!(id));
    line.insert("name".into(), json!(address));
    conn.transaction(|conn| {
        settings.put(conn, &mut line)?;
        settings::reject_duplicate(conn, &line)?;
        save(conn, media, line, author)?;
        let (n, slug) = server_lookup::number_and_slug(conn, &id)?;
        audit::log_server(conn, translatable("server added"), &format!("{slug} ({address})"), author)?;
        Ok(NewServer { n, id, slug })
    })
}

/// Changes a server and returns its slug, which may be another one.
pub fn change(
    conn: &mut Conn,
    media: &Media,
    slug: &str,
    settings: &ServerSettings,
    author: &Author,
) -> Result<String, ServerError> {
    conn.transaction(|conn| {
        let mut line = transfer::server_line(conn, slug)?.ok_or(ServerError::NotFound)?;
        let before = line.clone();
        settings.put(conn, &mut line)?;
        if settings.address.is_some() || settings.edition.is_some() {
            settings::reject_duplicate(conn, &line)?;
        }
        let suspected = if settings.trust == Some(None) { suspected_server(conn, slug)? } else { None };
        if line == before && suspected.is_none() {
            return Err(ServerError::Unchanged);
        }
        let changed: Vec<&str> = line
            .iter()
            .filter(|(field, value)| before.get(*field) != Some(value))
            .map(|(field, _)| field.as_str())
            .collect();
        let detail = format!("{slug}: {}", if changed.is_empty() { "trust".to_owned() } else { changed.join(", ") });
        if line.get("name") != before.get("name") && settings.banner.is_none() {
            // The banner shows the name, so it is redrawn.
            line.insert("banner".into(), Value::Null);
        }
        let id = line.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        if line != before {
            save(conn, media, line, author)?;
        }
        if let Some(server_n) = suspected {
            tracking::clear_suspicion(conn, server_n)?;
        }
        let (n, slug) = server_lookup::number_and_slug(conn, &id)?;
        audit::log_change_of_server(conn, n, translatable("server changed"), &detail, author)?;
        Ok(slug)
    })
}

/// Removes a server with its history, votes and sessions, and returns its name; `None` if no server has the slug.
pub fn remove(conn: &mut Conn, slug: &str, author: &Author) -> rollcall_store::Result<Option<String>> {
    conn.transaction(|conn| {
        let name = server_deletion::delete(conn, slug)?;
        if let Some(name) = &name {
            audit::log_server(conn, translatable("server removed"), &format!("{slug} ({name})"), author)?;
        }
        Ok(name)
    })
}

fn save(conn: &mut Conn, media: &Media, line: Map<String, Value>, author: &Author) -> Result<(), ServerError> {
    let import = ImportOptions { now: author.at, media, progress: &mut |_, _| {} };
    Ok(transfer::import_line(conn, Resource::Servers, Value::Object(line).to_string(), import)?)
}

/// The row number of the server, if there is evidence against it.
fn suspected_server(conn: &mut Conn, slug: &str) -> rollcall_store::Result<Option<i64>> {
    let listing = servers::list(conn, Some(slug))?.into_iter().next();
    Ok(listing.filter(|server| server.suspected_at.is_some()).map(|server| server.n))
}
