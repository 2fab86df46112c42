//! `rollcall key`: making, changing and watching keys.

mod print;
mod usage;
mod when;

use clap::{Args, Subcommand, ValueEnum};

use super::output::reveal;
use super::{Failure, ListArgs, StoreArgs, account, load, store};
use crate::config::Config;
use rollcall_model::api_key::Secret;
use rollcall_model::clock::Clock;
use rollcall_model::id;
use rollcall_model::time::{DAY, HOUR};
use rollcall_store::Conn;
use rollcall_store::audit::Author;
use rollcall_store::keys::{self, KeyRecord, NewKey, Overrides};

#[derive(Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it, alone, on standard output: it is shown this once
    Create(CreateArgs),
    /// List all keys
    List(ListArgs),
    /// Show one key, with what it has used of its limits
    Show(OneArgs),
    /// What a key was used for, hour by hour
    Usage(usage::UsageArgs),
    /// Give a key a new secret and print it, alone, on standard output: it is shown this once
    Rotate(RotateArgs),
    /// End the secret that a rotation left alive, before its grace is over
    RevokeOld(OneArgs),
    /// Give a key limits of its own, or let it follow the configured ones
    Limits(LimitsArgs),
    /// Let a key end by itself, or never
    Expire(ExpireArgs),
    /// Refuse a key from now on (HTTP 403)
    Disable(OneArgs),
    /// Let a disabled key in again
    Enable(OneArgs),
}

#[derive(Args)]
pub struct CreateArgs {
    /// What the key is for
    #[arg(long, default_value = "unnamed")]
    name: String,
    /// Name of the account that the key belongs to [default: none]
    #[arg(long, value_name = "USERNAME")]
    owner: Option<String>,
    /// When the key ends: 12h, 30d, a day (2027-01-31, from 00:00 UTC on) or a time [default: never]
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
    /// Requests per clock minute [default: as configured, 60]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    per_minute: Option<u32>,
    /// Requests per UTC day [default: as configured, 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    per_day: Option<u32>,
    /// Requests per calendar month [default: as configured, 30000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    per_month: Option<u32>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct OneArgs {
    /// The key's id, as `key list` shows it
    id: String,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct RotateArgs {
    /// The key's id, as `key list` shows it
    id: String,
    /// How long the secret before stays good
    #[arg(long, value_enum)]
    grace: Grace,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum Grace {
    #[value(name = "0")]
    None,
    #[value(name = "1h")]
    Hour,
    #[value(name = "24h")]
    Day,
    #[value(name = "7d")]
    Week,
}

impl Grace {
    fn millis(self) -> i64 {
        match self {
            Self::None => 0,
            Self::Hour => HOUR,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
        }
    }
}

#[derive(Args)]
#[group(id = "limit", multiple = true, required = true, args = ["per_minute", "per_day", "per_month"])]
pub struct LimitsArgs {
    /// The key's id, as `key list` shows it
    id: String,
    /// Requests per clock minute, or "default"
    #[arg(long, value_name = "N", value_parser = limit)]
    per_minute: Option<Override>,
    /// Requests per UTC day, or "default"
    #[arg(long, value_name = "N", value_parser = limit)]
    per_day: Option<Override>,
    /// Requests per calendar month, or "default"
    #[arg(long, value_name = "N", value_parser = limit)]
    per_month: Option<Override>,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// A limit of the key's own, or the configured one.
#[derive(Clone, Copy)]
struct Override(Option<u32>);

fn limit(text: &str) -> Result<Override, String> {
    match text {
        "default" => Ok(Override(None)),
        _ => match text.parse() {
            Ok(number) if number > 0 => Ok(Override(Some(number))),
            _ => Err(format!("a whole number from 1 to {} or \"default\" is needed", u32::MAX)),
        },
    }
}

#[derive(Args)]
pub struct ExpireArgs {
    /// The key's id, as `key list` shows it
    id: String,
    /// 12h, 30d, a day (2027-01-31, from 00:00 UTC on), a time, or "never"
    when: String,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(command: KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Create(args) => create(args),
        KeyCommand::List(args) => {
            let mut desk = Desk::open(&args.store)?;
            print::all(&desk.keys()?, args.json)
        }
        KeyCommand::Show(args) => Desk::open(&args.store)?.show(&args.id, args.json),
        KeyCommand::Usage(args) => usage::run(args),
        KeyCommand::Rotate(args) => rotate(&args),
        KeyCommand::RevokeOld(args) => revoke_old(&args),
        KeyCommand::Limits(args) => limits(&args),
        KeyCommand::Expire(args) => expire(&args),
        KeyCommand::Disable(args) => set_disabled(&args, true),
        KeyCommand::Enable(args) => set_disabled(&args, false),
    }
}

/// What the commands on existing keys have before them.
struct Desk {
    config: Config,
    conn: Conn,
    ledger: Conn,
    now: i64,
}

impl Desk {
    fn open(args: &StoreArgs) -> Result<Self, Failure> {
        let config = load(&args.flags())?;
        let (conn, _) = store::open_existing(&config)?;
        let ledger = store::open_ledger(&config)?;
        Ok(Self { config, conn, ledger, now: Clock::System.now() })
    }

    fn author(&self) -> Author {
        Author::command_line(self.now)
    }

    fn find(&mut self, id: &str) -> Result<KeyRecord, Failure> {
        let unknown = || format!("there is no key of the id \"{id}\"; `rollcall key list` shows them all");
        keys::find(&mut self.conn, id)?.ok_or_else(|| Failure::Failed(unknown()))
    }

    fn keys(&mut self) -> Result<Vec<print::Shown>, Failure> {
        let records = keys::all(&mut self.conn)?;
        self.shown(records)
    }

    fn show(&mut self, id: &str, json: bool) -> Result<(), Failure> {
        let record = self.find(id)?;
        print::one(&self.shown(vec![record])?[0], json)
    }
}

fn create(args: CreateArgs) -> Result<(), Failure> {
    keys::check_name(&args.name).map_err(Failure::Usage)?;
    let config = load(&args.store.flags())?;
    let now = Clock::System.now();
    let expires_at = match &args.expires {
        Some(when) => when::parse(when, now).map_err(Failure::Usage)?,
        None => None,
    };
    let (mut conn, _) = store::open(&config)?;
    let account = match &args.owner {
        Some(username) => Some(account::named(&mut conn, username)?.0),
        None => None,
    };
    let overrides = Overrides { per_minute: args.per_minute, per_day: args.per_day, per_month: args.per_month };
    let (id, secret) = (id::encode(rand::random()), Secret::generate());
    let key = NewKey { id: &id, name: &args.name, account, overrides, expires_at };
    conn.transaction(|conn| {
        keys::create(conn, &key, &secret, &Author::command_line(now))?;
        reveal(secret.reveal(), "key")
    })
}

fn rotate(args: &RotateArgs) -> Result<(), Failure> {
    let mut desk = Desk::open(&args.store)?;
    let key = desk.find(&args.id)?;
    let secret = Secret::generate();
    let old_ends_at = desk.now + args.grace.millis();
    let author = desk.author();
    desk.conn.transaction(|conn| {
        keys::rotate(conn, key.n, &secret, Some(old_ends_at), &author)?;
        reveal(secret.reveal(), "key")
    })
}

fn revoke_old(args: &OneArgs) -> Result<(), Failure> {
    let mut desk = Desk::open(&args.store)?;
    let key = desk.find(&args.id)?;
    let author = desk.author();
    keys::revoke_old(&mut desk.conn, key.n, &author)?;
    desk.show(&args.id, args.json)
}

fn limits(args: &LimitsArgs) -> Result<(), Failure> {
    let mut desk = Desk::open(&args.store)?;
    let key = desk.find(&args.id)?;
    let pick = |said: Option<Override>, now: Option<u32>| said.map_or(now, |said| said.0);
    let overrides = Overrides {
        per_minute: pick(args.per_minute, key.overrides.per_minute),
        per_day: pick(args.per_day, key.overrides.per_day),
        per_month: pick(args.per_month, key.overrides.per_month),
    };
    let author = desk.author();
    keys::set_overrides(&mut desk.conn, key.n, overrides, &author)?;
    desk.show(&args.id, args.json)
}

fn expire(args: &ExpireArgs) -> Result<(), Failure> {
    let mut desk = Desk::open(&args.store)?;
    let expires_at = when::parse(&args.when, desk.now).map_err(Failure::Usage)?;
    let key = desk.find(&args.id)?;
    let author = desk.author();
    keys::set_expiry(&mut desk.conn, key.n, expires_at, &author)?;
    desk.show(&args.id, args.json)
}

fn set_disabled(args: &OneArgs, disabled: bool) -> Result<(), Failure> {
    let mut desk = Desk::open(&args.store)?;
    let key = desk.find(&args.id)?;
    let author = desk.author();
    keys::set_blocked(&mut desk.conn, key.n, disabled, &author)?;
    desk.show(&args.id, args.json)
}
