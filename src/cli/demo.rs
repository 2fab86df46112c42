use std::io::IsTerminal;

use clap::Args;

use super::output::{complain, say, start_logging};
use super::{Failure, StoreArgs, load, serve, store};
use crate::config::{Config, Flags};
use rollcall_demo::fake_servers::{Icons, World, open_world, read_icons};
use rollcall_demo::{Pictures, Progress, Scale, generate};
use rollcall_model::api_key::Secret;
use rollcall_model::clock::Clock;
use rollcall_model::time::MINUTE;
use rollcall_ping::Names;
use rollcall_store::Conn;
use rollcall_store::audit::Author;
use rollcall_store::captcha_secret;
use rollcall_store::keys::{self, NewKey, Overrides};
use rollcall_store::values;

#[derive(Args)]
pub struct DemoArgs {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Which world to imagine: the same seed, the same servers and players
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How often each game server is asked: 15s, 1m; off: nobody is [default: 15s]
    #[arg(long, value_name = "TIME", default_value = "15s", hide_default_value = true)]
    ping_interval: String,
    #[command(flatten)]
    store: StoreArgs,
}

const DEFAULT_SEED: u64 = 1;
/// The key every start of the demo shares, known by its id.
const KEY_ID: &str = "demo";
/// History that ends longer ago than this is brought up to now.
const RECENT: i64 = MINUTE;
const EXAMPLE: &str = "/v1/servers?sort=players&limit=3";

pub fn run(args: DemoArgs) -> Result<(), Failure> {
    let flags = Flags { listen: args.listen, ping_interval: Some(args.ping_interval), ..args.store.flags() };
    let config = load(&flags)?;
    let _log = start_logging(&config)?;
    // A taken port is better said before the data is made.
    drop(std::net::TcpListener::bind(config.listen).map_err(|error| serve::cannot_listen(config.listen, &error))?);
    let (secret, lived) = prepare(&config, args.seed)?;
    serve::serve(&config, Some(&|| lived.open()), |url| announce(url, &secret))
}

/// The world as it was made, for its servers to go on.
struct Lived {
    seed: u64,
    until: i64,
    icons: Icons,
}

impl Lived {
    /// Opens its servers on this machine. They end with what is given beside where they are.
    fn open(&self) -> Result<(Names, World), Failure> {
        let mut world = open_world(self.seed, self.until, &Scale::demo(), &self.icons, &Clock::System)?;
        let (games, queries) = (std::mem::take(&mut world.games), std::mem::take(&mut world.queries));
        Ok((Names::Given { games, queries }, world))
    }
}

/// Makes the world, or brings it up to now, and gives this start's secret.
fn prepare(config: &Config, seed: Option<u64>) -> Result<(Secret, Lived), Failure> {
    let now = Clock::System.now();
    let database = store::database(config)?;
    let in_use = store::is_in_use(&database);
    let (mut conn, media) = store::open(config)?;
    // What would stop the start is better said before the data is made.
    captcha_secret::human(&mut conn)?;
    let (made_of, until): (Option<i64>, Option<i64>) =
        conn.one("select demo_seed, demo_until from store_state", &[], |row| (row.get(0), row.get(1)))?;
    let servers: i64 = conn.one("select count(*) from servers", &[], |row| row.get(0))?;
    if made_of.is_none() && servers > 0 {
        return Err(Failure::Usage(format!(
            "{database} holds servers that are no demo; the demo would replace them, so give it another --data folder"
        )));
    }
    let seed = seed.or(made_of.map(i64::cast_unsigned)).unwrap_or(DEFAULT_SEED);
    let current = made_of == Some(seed.cast_signed()) && until.is_some_and(|until| (now - until).abs() < RECENT);
    let until = until.filter(|_| current).unwrap_or(now);
    if !current && in_use {
        return Err(Failure::Failed(format!(
            "another process is at work on {database}, and the demo would replace its world; stop it, or give this one another --data folder"
        )));
    }
    if !current {
        if std::io::stderr().is_terminal() {
            complain(if made_of.is_some() { "bringing the demo's history up to now" } else { "making the demo data" });
        }
        generate(&mut conn, seed, now, &Scale::demo(), &Pictures::each(media.clone()), &Progress::on_stderr())?;
    }
    let secret = Secret::generate();
    give_secret(&mut conn, &secret, now)?;
    Ok((secret, Lived { seed, until, icons: read_icons(&mut conn, &media)? }))
}

/// The secret itself is kept nowhere, so every start has a new one; that of the start before stays good.
fn give_secret(conn: &mut Conn, secret: &Secret, now: i64) -> Result<(), Failure> {
    let author = Author { name: "demo".into(), address: None, at: now };
    let known = conn.first("select n from keys where id = $1", values![KEY_ID], |row| row.get::<i64>(0))?;
    match known {
        Some(n) => keys::rotate(conn, n, secret, None, &author)?,
        None => {
            let overrides = Overrides::default();
            let key = NewKey { id: KEY_ID, name: "Demo", account: None, overrides, expires_at: None };
            keys::create(conn, &key, secret, &author)?;
        }
    }
    Ok(())
}

fn announce(url: &str, secret: &Secret) -> Result<(), Failure> {
    say(&format!("Listening on {url}"))?;
    say(&format!("API key: {}", secret.reveal()))?;
    say(&format!("curl -H 'X-API-Key: {}' '{url}{EXAMPLE}'", secret.reveal()))
}
