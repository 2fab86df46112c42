use std::io::IsTerminal;

use clap::Args;
use serde_json::json;

use super::output::{OutputArgs, print_error, start_logging};
use super::reload::ReloadFrom;
use super::{Failure, StoreArgs, load, serve, store};
use crate::config::{Config, Flags};
use rollcall_demo::{
    DemoServers, GenerateProgress, PictureGenerator, ServerIcons, WorldSize, generate_demo, read_icons,
    start_demo_servers,
};
use rollcall_minecraft::Resolver;
use rollcall_model::api_key::ApiKeySecret;
use rollcall_model::clock::Clock;
use rollcall_model::time::MINUTE;
use rollcall_store::Conn;
use rollcall_store::audit::Author;
use rollcall_store::captcha_secret;
use rollcall_store::demo_data;
use rollcall_store::keys::{self, LimitOverrides, NewKey};

#[derive(Args)]
pub struct DemoArgs {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// The same seed gives the same servers and players
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Ping interval: 15s, 1m or off [default: 15s]
    #[arg(long, value_name = "TIME", default_value = "15s", hide_default_value = true)]
    ping_interval: String,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

const DEFAULT_SEED: u64 = 1;
/// The id of the demo key, which all starts share.
const KEY_ID: &str = "demo";
/// Older history is regenerated up to now.
const MAX_AGE: i64 = MINUTE;
const EXAMPLE: &str = "/v1/servers?sort=players&limit=3";

pub fn run(args: DemoArgs) -> Result<(), Failure> {
    let flags = Flags { listen: args.listen, ping_interval: Some(args.ping_interval), ..args.store.flags() };
    let config = load(&flags)?;
    config.check_serving().map_err(Failure::Usage)?;
    let (_flushed_at_the_end, set_log_filter) = start_logging(&config)?;
    // Fail before generating the data if the port is taken.
    drop(std::net::TcpListener::bind(config.listen).map_err(|error| serve::cannot_listen(config.listen, &error))?);
    let (secret, world) = prepare(&config, args.seed)?;
    let reload = ReloadFrom { flags: None, set_log_filter };
    serve::serve(&config, reload, Some(&|| world.open()), |url| announce(url, &secret, args.output))
}

/// The generated world, from which the fake servers continue.
struct GeneratedWorld {
    seed: u64,
    until: i64,
    icons: ServerIcons,
}

impl GeneratedWorld {
    /// Starts the fake servers on this machine. They stop when the second value is dropped.
    fn open(&self) -> Result<(Resolver, DemoServers), Failure> {
        let mut servers = start_demo_servers(self.seed, self.until, &WorldSize::demo(), &self.icons, &Clock::System)?;
        let (games, queries) = (std::mem::take(&mut servers.games), std::mem::take(&mut servers.queries));
        Ok((Resolver::Static { games, queries }, servers))
    }
}

/// Generates the world up to now unless it is current, and returns the secret of this start.
fn prepare(config: &Config, seed: Option<u64>) -> Result<(ApiKeySecret, GeneratedWorld), Failure> {
    let now = Clock::System.now();
    let database = store::database(config)?;
    let in_use = store::is_in_use(&database);
    let (mut conn, media) = store::open(config)?;
    // Fail before generating the data if the captcha secret is missing.
    captcha_secret::get_captcha(&mut conn)?;
    let existing = demo_data::state(&mut conn)?;
    if existing.seed.is_none() && demo_data::has_servers(&mut conn)? {
        return Err(Failure::Usage(format!(
            "{database} holds servers that are not demo data; the demo would replace them, so use another --data folder"
        )));
    }
    let seed = seed.or(existing.seed).unwrap_or(DEFAULT_SEED);
    let recent_until = existing.generated_until.filter(|until| (now - until).abs() < MAX_AGE);
    let current = existing.seed == Some(seed) && recent_until.is_some();
    let until = recent_until.filter(|_| current).unwrap_or(now);
    if !current && in_use {
        return Err(Failure::Failed(format!(
            "another process uses {database}, and the demo would replace its data; stop it, or use another --data folder"
        )));
    }
    if !current {
        if std::io::stderr().is_terminal() {
            print_error(if existing.seed.is_some() { "updating the demo data" } else { "generating the demo data" });
        }
        let (pictures, progress) = (PictureGenerator::unique(media.clone()), GenerateProgress::on_stderr());
        generate_demo(&mut conn, seed, now, &WorldSize::demo(), &pictures, &progress)?;
    }
    let secret = ApiKeySecret::generate();
    add_secret(&mut conn, &secret, now)?;
    Ok((secret, GeneratedWorld { seed, until, icons: read_icons(&mut conn, &media)? }))
}

/// Only the hash of a secret is stored, so every start creates a new one. The previous one stays valid.
fn add_secret(conn: &mut Conn, secret: &ApiKeySecret, now: i64) -> Result<(), Failure> {
    let author = Author { name: "demo".into(), address: None, at: now };
    match keys::find(conn, KEY_ID)? {
        Some(key) => keys::rotate(conn, key.n, secret, None, &author)?,
        None => {
            let overrides = LimitOverrides::default();
            let key = NewKey { id: KEY_ID, name: "Demo", account: None, overrides, expires_at: None };
            keys::create(conn, &key, secret, &author)?;
        }
    }
    Ok(())
}

fn announce(url: &str, secret: &ApiKeySecret, output: OutputArgs) -> Result<(), Failure> {
    let (key, example) = (secret.reveal(), format!("{url}{EXAMPLE}"));
    let text = format!("Listening on {url}\nAPI key: {key}\ncurl -H 'X-API-Key: {key}' '{example}'");
    output.print(&text, &json!({"listening": url, "key": key, "example": example}))
}
