//! `server add` and `server set`.

use clap::{Args, ValueEnum};
use serde_json::json;

use super::{StoreArgs, not_found};
use crate::cli::output::OutputArgs;
use crate::cli::{Failure, load, store};
use crate::tracked_servers::{self, NewServer, ServerError, ServerSettings};
use rollcall_minecraft::{Edition, Host, require_public, split_port};
use rollcall_model::clock::Clock;
use rollcall_model::trust::SourceTrust;
use rollcall_model::visibility::Visibility;
use rollcall_store::audit::Author;

#[derive(Args)]
pub struct AddArgs {
    /// HOST or HOST:PORT, as players type it
    address: String,
    #[command(flatten)]
    details: Details,
    #[command(flatten)]
    output: OutputArgs,
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
    output: OutputArgs,
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
    /// Who sees it [new server: public]
    #[arg(long, value_enum)]
    visibility: Option<VisibilityArg>,
    /// Username of the owner
    #[arg(long, value_name = "USERNAME")]
    owner: Option<String>,
    /// GameSpy Query port, for the whole player list; 0: none
    #[arg(long, value_name = "PORT")]
    query_port: Option<u16>,
    /// Whether it is pinged [new server: true]
    #[arg(long, value_name = "BOOL")]
    tracked: Option<bool>,
    /// How far its player counts and lists are trusted [new server: auto]
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
enum VisibilityArg {
    /// In lists, searches and the API
    Public,
    /// On its own page only
    Unlisted,
    /// Nowhere
    Hidden,
}

impl VisibilityArg {
    fn visibility(self) -> Visibility {
        match self {
            Self::Public => Visibility::Public,
            Self::Unlisted => Visibility::Unlisted,
            Self::Hidden => Visibility::Hidden,
        }
    }
}

impl Details {
    fn settings(&self) -> ServerSettings {
        ServerSettings {
            address: None,
            edition: self.edition,
            name: self.name.clone(),
            slug: self.new_slug.clone(),
            description: self.description.clone(),
            tags: (!self.tags.is_empty()).then(|| self.tags.clone()),
            country: self.country.clone(),
            mode: self.mode.clone(),
            website: self.website.clone(),
            chat_url: self.chat_url.clone(),
            store_url: self.store_url.clone(),
            video_url: self.video_url.clone(),
            visibility: self.visibility.map(VisibilityArg::visibility),
            banner: None,
            owner: self.owner.clone(),
            query_port: self.query_port,
            is_tracked: self.tracked,
            trust: self.trust.map(Trust::level),
        }
    }
}

fn failure(error: ServerError, slug: &str) -> Failure {
    match error {
        ServerError::Invalid(message) => Failure::Usage(message.to_string()),
        ServerError::Conflict(message) => Failure::Failed(message.to_string()),
        ServerError::NotFound => not_found(slug),
        ServerError::Unchanged => Failure::Usage("nothing to change; see --help".into()),
        ServerError::Import(error) => error.into(),
    }
}

fn author() -> Author {
    Author::command_line(Clock::System.now())
}

pub fn add(args: &AddArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let (mut conn, media) = store::open(&config)?;
    let added = tracked_servers::add(&mut conn, &media, &args.address, &args.details.settings(), &author());
    let NewServer { id, slug, .. } = added.map_err(|error| failure(error, &args.address))?;
    args.output.print(&slug, &json!({"id": id, "slug": slug}))?;
    let host = split_port(&args.address).ok().and_then(|(host, _)| host.parse::<Host>().ok());
    if let Some(Host::Address(address)) = host
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
    let settings = ServerSettings { address: args.address.clone(), ..args.details.settings() };
    let changed = tracked_servers::change(&mut conn, &media, &args.slug, &settings, &author());
    changed.map_err(|error| failure(error, &args.slug))?;
    let slug = args.details.new_slug.as_ref().unwrap_or(&args.slug);
    args.output.print(&format!("Changed {}.", args.slug), &json!({"slug": slug}))
}
