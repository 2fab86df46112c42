//! Adding servers and changing what is said of them. Both go the way of an import's line, so that the same is checked.

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::{StoreArgs, unknown};
use crate::cli::output::say;
use crate::cli::{Failure, account, load, store};
use crate::transfer::{self, Import, Resource};
use rollcall_model::clock::Clock;
use rollcall_model::{country, id};
use rollcall_ping::{Edition, Host, check, split_port};
use rollcall_store::Conn;
use rollcall_store::values;

#[derive(Args)]
pub struct AddArgs {
    /// HOST or HOST:PORT, as players type it
    address: String,
    #[command(flatten)]
    details: Details,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct SetArgs {
    /// The server's slug, as `server list` shows it
    slug: String,
    /// HOST or HOST:PORT, as players type it
    #[arg(long)]
    address: Option<String>,
    #[command(flatten)]
    details: Details,
    #[command(flatten)]
    store: StoreArgs,
}

/// What may be said of a server; for a new one the rest is as the brackets say. An empty text takes away what was said.
#[derive(Args)]
struct Details {
    /// Which game is spoken there [of a new server: java]
    #[arg(long, value_parser = super::edition_parser())]
    edition: Option<Edition>,
    /// What it is called [of a new server: its address]
    #[arg(long)]
    name: Option<String>,
    /// Its part of addresses such as /v1/servers/SLUG [of a new server: made from the name]
    #[arg(long = "slug", value_name = "SLUG")]
    new_slug: Option<String>,
    /// One line about it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// May be given several times; on `set` these replace the tags from before
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Name or two-letter code; empty: where its address is registered
    #[arg(long)]
    country: Option<String>,
    /// What is played
    #[arg(long)]
    mode: Option<String>,
    /// Its own page
    #[arg(long, value_name = "URL")]
    website: Option<String>,
    /// Where its players talk
    #[arg(long, value_name = "URL")]
    chat_url: Option<String>,
    /// Where it sells
    #[arg(long, value_name = "URL")]
    store_url: Option<String>,
    /// A film about it
    #[arg(long, value_name = "URL")]
    video_url: Option<String>,
    /// Whether the API shows it
    #[arg(long, value_enum)]
    visibility: Option<Visibility>,
    /// Name of the account that owns it
    #[arg(long, value_name = "USERNAME")]
    owner: Option<String>,
    /// Where it answers GameSpy queries, for the whole list of players; 0: nowhere
    #[arg(long, value_name = "PORT")]
    query_port: Option<u16>,
    /// Whether it is asked at all [of a new server: true]
    #[arg(long, value_name = "BOOL")]
    tracked: Option<bool>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Visibility {
    Public,
    Unlisted,
}

impl Details {
    /// Puts what was given into a line of `servers.ndjson`.
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
                plain(field, text)?;
                let value = if text.is_empty() && field != "name" { Value::Null } else { json!(text) };
                line.insert(field.into(), value);
            }
        }
        if let Some(country) = self.country.as_deref().filter(|country| !country.is_empty()) {
            known(country)?;
        }
        if let Some(edition) = self.edition {
            line.insert("edition".into(), json!(edition.name()));
        }
        if !self.tags.is_empty() {
            self.tags.iter().try_for_each(|tag| plain("tags", tag))?;
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
        Ok(())
    }
}

/// Nobody means to type a control character.
fn plain(field: &str, text: &str) -> Result<(), Failure> {
    match text.chars().find(|c| c.is_control()) {
        Some(c) => Err(Failure::Usage(format!("{field} must be plain text on one line, without the character {c:?}"))),
        None => Ok(()),
    }
}

/// A file may hold countries from elsewhere; who types one means one that is there.
fn known(name: &str) -> Result<(), Failure> {
    let wrong = || format!("country must be a country's name or its two letters, such as Germany or DE, not {name:?}");
    country::by_name(name).or_else(|| country::by_code(name)).map(drop).ok_or_else(|| Failure::Usage(wrong()))
}

fn put_address(line: &mut Map<String, Value>, address: &str) -> Result<Host, Failure> {
    let (host, port) = split_port(address).map_err(Failure::Usage)?;
    let plain = host.parse::<Host>().map_err(Failure::Usage)?;
    // As people write it; it is made plain when it is looked up.
    let shown = host.trim_matches(['[', ']']).trim_end_matches('.').to_lowercase();
    line.insert("ip".into(), json!(shown));
    line.insert("port".into(), json!(port));
    Ok(plain)
}

/// A server that is tracked twice counts twice, however its name is written.
fn refuse_twin(conn: &mut Conn, line: &Map<String, Value>) -> Result<(), Failure> {
    let text = |field: &str| line.get(field).and_then(Value::as_str).unwrap_or_default();
    let host = text("ip").parse::<Host>().map_err(Failure::Usage)?;
    let edition = Edition::parse(text("edition")).unwrap_or_default();
    let port = line.get("port").and_then(Value::as_i64).unwrap_or(i64::from(edition.default_port()));
    let twin = conn.first(
        "select slug from servers where lower(ip) in ($1, $2, $3) and port = $4 and edition = $5 and id <> $6",
        values![text("ip"), host.to_string(), host.in_its_script(), port, edition.name(), text("id")],
        |row| row.get::<String>(0),
    )?;
    match twin {
        Some(slug) => Err(Failure::Failed(format!("{} at port {port} is tracked already, as {slug}", text("ip")))),
        None => Ok(()),
    }
}

fn keep(conn: &mut Conn, media: &rollcall_store::media::Media, line: Map<String, Value>) -> Result<(), Failure> {
    let import = Import { now: Clock::System.now(), media, progress: &mut |_, _| {} };
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
    refuse_twin(&mut conn, &line)?;
    keep(&mut conn, &media, line)?;
    let slug: String = conn.one("select slug from servers where id = $1", values![&id], |row| row.get(0))?;
    if args.json {
        return say(&json!({"id": id, "slug": slug}).to_string());
    }
    say(&slug)?;
    if let Host::Address(address) = host
        && let Err(forbidden) = check(address)
        && !config.tracker.allow_private_addresses
    {
        crate::cli::output::complain(&format!(
            "it is added, but `serve` asks it only with --allow-private-addresses: {} is {}",
            forbidden.0, forbidden.1
        ));
    }
    Ok(())
}

pub fn set(args: &SetArgs) -> Result<(), Failure> {
    let (mut conn, media) = store::open_existing(&load(&args.store.flags())?)?;
    let mut line = transfer::server_line(&mut conn, &args.slug)?.ok_or_else(|| unknown(&args.slug))?;
    let before = line.clone();
    args.details.put(&mut conn, &mut line)?;
    if let Some(address) = &args.address {
        put_address(&mut line, address)?;
    }
    if args.address.is_some() || args.details.edition.is_some() {
        refuse_twin(&mut conn, &line)?;
    }
    if line == before {
        return Err(Failure::Usage("nothing is to be changed; see --help for what can be".into()));
    }
    if line.get("name") != before.get("name") {
        // It shows the name.
        line.insert("banner".into(), Value::Null);
    }
    keep(&mut conn, &media, line)?;
    say(&format!("{} is changed.", args.slug))
}
