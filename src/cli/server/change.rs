//! `server add` and `server set`. Both build a line of `servers.ndjson` and import it, so that the same checks apply.

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::{StoreArgs, not_found};
use crate::cli::output::print_line;
use crate::cli::{Failure, account, load, store};
use crate::transfer::{self, ImportOptions, Resource};
use rollcall_model::clock::Clock;
use rollcall_model::text::is_control_or_bidi;
use rollcall_model::trust::SourceTrust;
use rollcall_model::{country, id};
use rollcall_ping::{Edition, Host, require_public, split_port};
use rollcall_store::{Conn, server_lookup, servers, tracking};

#[derive(Args)]
pub struct AddArgs {
    /// HOST or HOST:PORT, as players type it
    address: String,
    #[command(flatten)]
    details: Details,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct SetArgs {
    /// Slug from `rollcall server list`
    slug: String,
    /// HOST or HOST:PORT, as players type it
    #[arg(long)]
    address: Option<String>,
    #[command(flatten)]
    details: Details,
    #[command(flatten)]
    store: StoreArgs,
}

/// Settings of a server, with the defaults of a new one in brackets. An empty text removes a value.
#[derive(Args)]
struct Details {
    /// Edition of the game [new server: java]
    #[arg(long, value_parser = super::edition_parser())]
    edition: Option<Edition>,
    /// Name [new server: its address]
    #[arg(long)]
    name: Option<String>,
    /// Slug, as in /v1/servers/SLUG [new server: derived from the name]
    #[arg(long = "slug", value_name = "SLUG")]
    new_slug: Option<String>,
    /// Short description
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Tag; may be repeated. With `set`, replaces all tags
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Country name or two-letter code; empty: derived from the IP address
    #[arg(long)]
    country: Option<String>,
    /// Game mode
    #[arg(long)]
    mode: Option<String>,
    /// Website
    #[arg(long, value_name = "URL")]
    website: Option<String>,
    /// Chat
    #[arg(long, value_name = "URL")]
    chat_url: Option<String>,
    /// Store
    #[arg(long, value_name = "URL")]
    store_url: Option<String>,
    /// Video
    #[arg(long, value_name = "URL")]
    video_url: Option<String>,
    /// Visibility in the API
    #[arg(long, value_enum)]
    visibility: Option<Visibility>,
    /// Username of the owner
    #[arg(long, value_name = "USERNAME")]
    owner: Option<String>,
    /// GameSpy Query port, for the whole player list; 0: none
    #[arg(long, value_name = "PORT")]
    query_port: Option<u16>,
    /// Whether it is pinged [new server: true]
    #[arg(long, value_name = "BOOL")]
    tracked: Option<bool>,
    /// How far its player counts and lists are believed [new server: auto]
    #[arg(long, value_enum, value_name = "LEVEL")]
    trust: Option<Trust>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Trust {
    /// Decided by the tracker; forgets the evidence against it
    Auto,
    /// Reported by the owner with verified ids: may rename players; counts are confirmed
    Verified,
    /// Sampled by pings: renames need agreement; counts are confirmed
    Sampled,
    /// Its players count nowhere
    Suspicious,
}

impl Trust {
    fn level(self) -> Option<SourceTrust> {
        match self {
            Self::Auto => None,
            Self::Verified => Some(SourceTrust::Verified),
            Self::Sampled => Some(SourceTrust::Sampled),
            Self::Suspicious => Some(SourceTrust::Suspicious),
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Visibility {
    Public,
    Unlisted,
}

impl Details {
    /// Writes the given values into a line of `servers.ndjson`.
    fn put(&self, conn: &mut Conn, line: &mut Map<String, Value>) -> Result<(), Failure> {
        let texts = [
            ("name", &self.name),
            ("slug", &self.new_slug),
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
        if let Some(country) = self.country.as_deref().filter(|country| !country.is_empty()) {
            check_country(country)?;
        }
        if let Some(edition) = self.edition {
            line.insert("edition".into(), json!(edition.name()));
        }
        if !self.tags.is_empty() {
            self.tags.iter().try_for_each(|tag| reject_control_characters("tags", tag))?;
            let tags: Vec<&String> = self.tags.iter().filter(|tag| !tag.is_empty()).collect();
            line.insert("tags".into(), json!(tags));
        }
        if let Some(visibility) = self.visibility {
            let word = match visibility {
                Visibility::Public => "PUBLIC",
                Visibility::Unlisted => "UNLISTED",
            };
            line.insert("visibility".into(), json!(word));
        }
        if let Some(owner) = &self.owner {
            let id = if owner.is_empty() { Value::Null } else { json!(account::named(conn, owner)?.1) };
            line.insert("ownerId".into(), id);
        }
        if let Some(port) = self.query_port {
            line.insert("queryPort".into(), if port == 0 { Value::Null } else { json!(port) });
        }
        if let Some(tracked) = self.tracked {
            line.insert("isTracked".into(), json!(tracked));
        }
        if let Some(trust) = self.trust {
            line.insert("trust".into(), json!(trust.level().map(SourceTrust::name)));
        }
        Ok(())
    }
}

fn reject_control_characters(field: &str, text: &str) -> Result<(), Failure> {
    match text.chars().find(|c| is_control_or_bidi(*c)) {
        Some(c) => Err(Failure::Usage(format!("{field} must not contain the control character {c:?}"))),
        None => Ok(()),
    }
}

/// Stricter than an import, which may hold countries of another list.
fn check_country(name: &str) -> Result<(), Failure> {
    let wrong = || format!("country must be a country name or two-letter code, such as Germany or DE, not {name:?}");
    country::by_name(name).or_else(|| country::by_code(name)).map(drop).ok_or_else(|| Failure::Usage(wrong()))
}

fn put_address(line: &mut Map<String, Value>, address: &str) -> Result<Host, Failure> {
    let (host, port) = split_port(address).map_err(Failure::Usage)?;
    let plain = host.parse::<Host>().map_err(Failure::Usage)?;
    // Stored as typed; normalized when it is resolved.
    let shown = host.trim_matches(['[', ']']).trim_end_matches('.').to_lowercase();
    line.insert("ip".into(), json!(shown));
    line.insert("port".into(), json!(port));
    Ok(plain)
}

/// A server that is tracked twice counts twice, so the same host in another spelling is rejected, too.
fn reject_duplicate(conn: &mut Conn, line: &Map<String, Value>) -> Result<(), Failure> {
    let text = |field: &str| line.get(field).and_then(Value::as_str).unwrap_or_default();
    let host = text("ip").parse::<Host>().map_err(Failure::Usage)?;
    let edition = Edition::parse(text("edition")).unwrap_or_default();
    let port = line.get("port").and_then(Value::as_i64).unwrap_or(i64::from(edition.default_port()));
    let hosts = [text("ip"), &host.to_string(), &host.to_unicode()];
    let duplicate = server_lookup::slug_at_address(conn, hosts, port, edition.name(), text("id"))?;
    match duplicate {
        Some(slug) => Err(Failure::Failed(format!("{} port {port} is already tracked as {slug}", text("ip")))),
        None => Ok(()),
    }
}

fn save(conn: &mut Conn, media: &rollcall_store::media::Media, line: Map<String, Value>) -> Result<(), Failure> {
    let import = ImportOptions { now: Clock::System.now(), media, progress: &mut |_, _| {} };
    let line = Value::Object(line).to_string();
    transfer::import_line(conn, Resource::Servers, line, import).map_err(|error| match error {
        transfer::Error::Refused(what) => Failure::Usage(what),
        other => other.into(),
    })
}

pub fn add(args: &AddArgs) -> Result<(), Failure> {
    let mut line = Map::new();
    let host = put_address(&mut line, &args.address)?;
    let config = load(&args.store.flags())?;
    let (mut conn, media) = store::open(&config)?;
    let id = id::encode(rand::random());
    line.insert("id".into(), json!(id));
    line.insert("name".into(), json!(args.address));
    args.details.put(&mut conn, &mut line)?;
    reject_duplicate(&mut conn, &line)?;
    save(&mut conn, &media, line)?;
    let slug = server_lookup::slug_of(&mut conn, &id)?;
    if args.json {
        return print_line(&json!({"id": id, "slug": slug}).to_string());
    }
    print_line(&slug)?;
    if let Host::Address(address) = host
        && let Err(forbidden) = require_public(address)
        && !config.tracker.allow_private_addresses
    {
        crate::cli::output::print_error(&format!(
            "added, but `rollcall serve` pings it only with --allow-private-addresses: {} is {}",
            forbidden.address, forbidden.kind
        ));
    }
    Ok(())
}

pub fn set(args: &SetArgs) -> Result<(), Failure> {
    let (mut conn, media) = store::open_existing(&load(&args.store.flags())?)?;
    let mut line = transfer::server_line(&mut conn, &args.slug)?.ok_or_else(|| not_found(&args.slug))?;
    let before = line.clone();
    args.details.put(&mut conn, &mut line)?;
    if let Some(address) = &args.address {
        put_address(&mut line, address)?;
    }
    if args.address.is_some() || args.details.edition.is_some() {
        reject_duplicate(&mut conn, &line)?;
    }
    let forgives = args.details.trust == Some(Trust::Auto);
    let suspected = if forgives { suspected_server(&mut conn, &args.slug)? } else { None };
    if line == before && suspected.is_none() {
        return Err(Failure::Usage("nothing to change; see --help".into()));
    }
    if line.get("name") != before.get("name") {
        // The banner shows the name, so it is redrawn.
        line.insert("banner".into(), Value::Null);
    }
    // A change that is refused forgets nothing.
    conn.transaction(|conn| {
        if line != before {
            save(conn, &media, line)?;
        }
        if let Some(server_n) = suspected {
            tracking::clear_suspicion(conn, server_n)?;
        }
        Ok::<_, Failure>(())
    })?;
    print_line(&format!("Changed {}.", args.slug))
}

/// The row number of the server, if there is evidence against it.
fn suspected_server(conn: &mut Conn, slug: &str) -> Result<Option<i64>, Failure> {
    let listing = servers::list(conn, Some(slug))?.into_iter().next();
    Ok(listing.filter(|server| server.suspected_at.is_some()).map(|server| server.n))
}
