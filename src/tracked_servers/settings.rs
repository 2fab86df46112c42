//! The settings of a server, and how they become a line of `servers.ndjson`.

use serde_json::{Map, Value, json};

use super::ServerError;
use rollcall_minecraft::{Edition, Host, split_port};
use rollcall_model::country;
use rollcall_model::message::Message;
use rollcall_model::text::is_control_or_bidi;
use rollcall_model::trust::SourceTrust;
use rollcall_model::visibility::Visibility;
use rollcall_store::server_lookup::{self, ServerAtAddress};
use rollcall_store::{Conn, accounts};

/// Settings that are given; `None` leaves one as it is. An empty text removes a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerSettings {
    /// HOST or HOST:PORT, as players type it.
    pub address: Option<String>,
    pub edition: Option<Edition>,
    pub name: Option<String>,
    pub slug: Option<String>,
    pub description: Option<String>,
    pub tags: Option<Vec<String>>,
    /// A country name or two-letter code.
    pub country: Option<String>,
    pub mode: Option<String>,
    pub website: Option<String>,
    pub chat_url: Option<String>,
    pub store_url: Option<String>,
    pub video_url: Option<String>,
    pub visibility: Option<Visibility>,
    /// The path of a stored picture; empty: drawn from the name.
    pub banner: Option<String>,
    /// A username.
    pub owner: Option<String>,
    /// 0: none.
    pub query_port: Option<u16>,
    pub is_tracked: Option<bool>,
    /// `Some(None)` lets the tracker decide, and forgets the evidence against the server.
    pub trust: Option<Option<SourceTrust>>,
}

impl ServerSettings {
    /// Writes the given values into a line of `servers.ndjson`.
    pub(super) fn put(&self, conn: &mut Conn, line: &mut Map<String, Value>) -> Result<(), ServerError> {
        self.put_texts(line)?;
        if let Some(address) = &self.address {
            put_address(line, address)?;
        }
        if let Some(edition) = self.edition {
            line.insert("edition".into(), json!(edition.name()));
        }
        if let Some(tags) = &self.tags {
            tags.iter().try_for_each(|tag| reject_control_characters("tags", tag))?;
            let tags: Vec<&String> = tags.iter().filter(|tag| !tag.is_empty()).collect();
            line.insert("tags".into(), json!(tags));
        }
        if let Some(visibility) = self.visibility {
            line.insert("visibility".into(), json!(visibility.name()));
        }
        if let Some(banner) = &self.banner {
            line.insert("banner".into(), if banner.is_empty() { Value::Null } else { json!(banner) });
        }
        if let Some(owner) = &self.owner {
            let id = if owner.is_empty() { Value::Null } else { json!(account_id(conn, owner)?) };
            line.insert("ownerId".into(), id);
        }
        if let Some(port) = self.query_port {
            line.insert("queryPort".into(), if port == 0 { Value::Null } else { json!(port) });
        }
        if let Some(is_tracked) = self.is_tracked {
            line.insert("isTracked".into(), json!(is_tracked));
        }
        if let Some(trust) = self.trust {
            line.insert("trust".into(), json!(trust.map(SourceTrust::name)));
        }
        Ok(())
    }

    fn put_texts(&self, line: &mut Map<String, Value>) -> Result<(), ServerError> {
        let texts = [
            ("name", &self.name),
            ("slug", &self.slug),
            ("shortDescription", &self.description),
            ("country", &self.country),
            ("gameMode", &self.mode),
            ("website", &self.website),
            ("chatUrl", &self.chat_url),
            ("storeUrl", &self.store_url),
            ("videoUrl", &self.video_url),
        ];
        for (field, text) in texts {
            if let Some(text) = text {
                reject_control_characters(field, text)?;
                let value = if text.is_empty() && field != "name" { Value::Null } else { json!(text) };
                line.insert(field.into(), value);
            }
        }
        match self.country.as_deref().filter(|country| !country.is_empty()) {
            Some(country) => check_country(country),
            None => Ok(()),
        }
    }
}

fn reject_control_characters(field: &str, text: &str) -> Result<(), ServerError> {
    match text.chars().find(|c| is_control_or_bidi(*c)) {
        Some(c) => Err(ServerError::Invalid(Message::new(
            "{} must not contain the control character {}",
            &[&field, &format!("{c:?}")],
        ))),
        None => Ok(()),
    }
}

/// Stricter than an import, which may hold countries of another list.
fn check_country(name: &str) -> Result<(), ServerError> {
    match country::by_name(name).or_else(|| country::by_code(name)) {
        Some(_) => Ok(()),
        None => Err(ServerError::Invalid(Message::new(
            "country must be a country name or two-letter code, such as Germany or DE, not {}",
            &[&format!("{name:?}")],
        ))),
    }
}

fn account_id(conn: &mut Conn, username: &str) -> Result<String, ServerError> {
    let unknown = || Message::new("no account has the username {}", &[&format!("{username:?}")]);
    let found = accounts::find_name(conn, username)?;
    found.map(|(_, id)| id).ok_or_else(|| ServerError::Conflict(unknown()))
}

pub(super) fn put_address(line: &mut Map<String, Value>, address: &str) -> Result<(), ServerError> {
    let (host, port) = split_address(address)?;
    line.insert("ip".into(), json!(host));
    line.insert("port".into(), json!(port));
    Ok(())
}

/// Host and port of HOST or HOST:PORT. The host is stored as typed, in lower case; it is normalized when it is resolved.
pub fn split_address(address: &str) -> Result<(String, Option<u16>), ServerError> {
    let invalid = |reason: String| ServerError::Invalid(reason.into());
    let (host, port) = split_port(address).map_err(invalid)?;
    host.parse::<Host>().map_err(invalid)?;
    Ok((host.trim_matches(['[', ']']).trim_end_matches('.').to_lowercase(), port))
}

/// The server at this address, if it is tracked already.
pub fn tracked_as(conn: &mut Conn, address: &str, edition: Edition) -> Result<Option<ServerAtAddress>, ServerError> {
    let (host, port) = split_address(address)?;
    Ok(server_at(conn, &host, port.unwrap_or(edition.default_port()).into(), edition, "")?)
}

/// Looks for all spellings of a host. Not for the server with the id `except`.
fn server_at(
    conn: &mut Conn,
    host: &str,
    port: i64,
    edition: Edition,
    except: &str,
) -> rollcall_store::Result<Option<ServerAtAddress>> {
    let Ok(parsed) = host.parse::<Host>() else { return Ok(None) };
    let hosts = [host, &parsed.to_string(), &parsed.to_unicode()];
    server_lookup::at_address(conn, hosts, port, edition.name(), except)
}

/// A server that is tracked twice counts twice, so the same host in another spelling is rejected, too.
pub(super) fn reject_duplicate(conn: &mut Conn, line: &Map<String, Value>) -> Result<(), ServerError> {
    let text = |field: &str| line.get(field).and_then(Value::as_str).unwrap_or_default();
    let edition = Edition::parse(text("edition")).unwrap_or_default();
    let port = line.get("port").and_then(Value::as_i64).unwrap_or(i64::from(edition.default_port()));
    match server_at(conn, text("ip"), port, edition, text("id"))? {
        Some(server) => {
            let message = Message::new("{} port {} is already tracked as {}", &[&text("ip"), &port, &server.slug]);
            Err(ServerError::Conflict(message))
        }
        None => Ok(()),
    }
}
