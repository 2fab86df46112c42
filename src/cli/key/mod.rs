//! `rollcall key`: manages API keys.

mod expiry;
mod print;
mod restrict;
mod usage;

use clap::builder::PossibleValue;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::output::{OutputArgs, confirm, print_error};
use super::{Failure, ListArgs, StoreArgs, account, at_least_one, load, store};
use crate::accounts::api_keys::GracePeriod;
use crate::config::Config;
use rollcall_model::api_key::ApiKeySecret;
use rollcall_model::clock::Clock;
use rollcall_model::{id, time};
use rollcall_store::Conn;
use rollcall_store::audit::Author;
use rollcall_store::keys::{self, KeyRecord, LimitOverrides, NewKey};

#[derive(Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it; it is shown only once
    Create(CreateArgs),
    /// List all keys
    List(ListArgs),
    /// Show one key with its used quota
    Show(OneArgs),
    /// Show the usage of a key by hour
    Usage(usage::UsageArgs),
    /// Give a key a new secret and print it; it is shown only once
    Rotate(RotateArgs),
    /// Revoke the old secret of a rotated key before its grace period ends
    RevokeOld(OneArgs),
    /// Set the limits of a key, or reset them to the configured ones
    Limits(LimitsArgs),
    /// Set the IP ranges, origins and endpoints that a key is accepted for
    Restrict(restrict::RestrictArgs),
    /// Set or remove the expiry of a key
    Expire(ExpireArgs),
    /// Disable a key (HTTP 403)
    Disable(OneArgs),
    /// Enable a disabled key
    Enable(OneArgs),
    /// Change the name of a key
    Rename(RenameArgs),
    /// Delete a key; asks first
    Delete(DeleteArgs),
}

#[derive(Args)]
pub struct CreateArgs {
    /// Name of the key
    #[arg(long, default_value = "unnamed")]
    name: String,
    /// Username of the owner [default: none]
    #[arg(long, value_name = "USERNAME")]
    owner: Option<String>,
    /// Expiry: 12h, 30d, a date (2027-01-31, 00:00 UTC) or a time [default: never]
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
    /// Requests per clock minute [default: as configured, 60]
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    per_minute: Option<u32>,
    /// Requests per UTC day [default: as configured, 1000]
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    per_day: Option<u32>,
    /// Requests per calendar month [default: as configured, 30000]
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    per_month: Option<u32>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct OneArgs {
    /// Key id from `rollcall key list`
    id: String,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct RenameArgs {
    /// Key id from `rollcall key list`
    id: String,
    /// New name
    name: String,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct DeleteArgs {
    /// Key id from `rollcall key list`
    id: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct RotateArgs {
    /// Key id from `rollcall key list`
    id: String,
    /// How long the old secret stays valid
    #[arg(long, value_enum)]
    grace: GracePeriod,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl ValueEnum for GracePeriod {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

#[derive(Args)]
#[group(id = "limit", multiple = true, required = true, args = ["per_minute", "per_day", "per_month"])]
pub struct LimitsArgs {
    /// Key id from `rollcall key list`
    id: String,
    /// Requests per clock minute, or "default"
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    per_minute: Option<Override>,
    /// Requests per UTC day, or "default"
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    per_day: Option<Override>,
    /// Requests per calendar month, or "default"
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    per_month: Option<Override>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// A limit of its own, or the configured one.
#[derive(Clone, Copy)]
struct Override(Option<u32>);

fn limit(text: &str) -> Result<Override, String> {
    match text {
        "default" => Ok(Override(None)),
        _ => match text.parse() {
            Ok(number) if number > 0 => Ok(Override(Some(number))),
            _ => Err(format!("must be a whole number from 1 to {} or \"default\"", u32::MAX)),
        },
    }
}

#[derive(Args)]
pub struct ExpireArgs {
    /// Key id from `rollcall key list`
    id: String,
    /// 12h, 30d, a date (2027-01-31, 00:00 UTC), a time, or "never"
    when: String,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(command: KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Create(args) => create(args),
        KeyCommand::List(args) => {
            let mut store = KeyStore::open_for_reading(&args.store)?;
            print::all(&store.keys()?, args.output.json)
        }
        KeyCommand::Show(args) => KeyStore::open_for_reading(&args.store)?.show(&args.id, args.output.json),
        KeyCommand::Usage(args) => usage::run(args),
        KeyCommand::Rotate(args) => rotate(&args),
        KeyCommand::RevokeOld(args) => revoke_old(&args),
        KeyCommand::Limits(args) => limits(&args),
        KeyCommand::Restrict(args) => restrict::run(&args),
        KeyCommand::Expire(args) => expire(&args),
        KeyCommand::Disable(args) => set_disabled(&args, true),
        KeyCommand::Enable(args) => set_disabled(&args, false),
        KeyCommand::Rename(args) => rename(&args),
        KeyCommand::Delete(args) => delete(&args),
    }
}

/// An open store, for commands on existing keys.
struct KeyStore {
    config: Config,
    conn: Conn,
    ledger: Conn,
    now: i64,
}

impl KeyStore {
    fn open(args: &StoreArgs) -> Result<Self, Failure> {
        let config = load(&args.flags())?;
        let (conn, _) = store::open_existing(&config)?;
        let ledger = store::open_ledger(&config)?;
        Ok(Self { config, conn, ledger, now: Clock::System.now() })
    }

    fn open_for_reading(args: &StoreArgs) -> Result<Self, Failure> {
        let config = load(&args.flags())?;
        let (conn, _) = store::open_for_reading(&config)?;
        let ledger = store::open_ledger_for_reading(&config)?;
        Ok(Self { config, conn, ledger, now: Clock::System.now() })
    }

    fn author(&self) -> Author {
        Author::command_line(self.now)
    }

    fn find(&mut self, id: &str) -> Result<KeyRecord, Failure> {
        let unknown = || format!("no key has the id \"{id}\"; `rollcall key list` shows all keys");
        keys::find(&mut self.conn, id)?.ok_or_else(|| Failure::Failed(unknown()))
    }

    fn keys(&mut self) -> Result<Vec<print::KeyView>, Failure> {
        let records = keys::all(&mut self.conn)?;
        self.views(records)
    }

    fn show(&mut self, id: &str, json: bool) -> Result<(), Failure> {
        let record = self.find(id)?;
        print::one(&self.views(vec![record])?[0], json)
    }
}

fn create(args: CreateArgs) -> Result<(), Failure> {
    keys::check_name(&args.name).map_err(Failure::Usage)?;
    let config = load(&args.store.flags())?;
    let now = Clock::System.now();
    let expires_at = match &args.expires {
        Some(when) => expiry::parse(when, now).map_err(Failure::Usage)?,
        None => None,
    };
    let (mut conn, _) = store::open(&config)?;
    let account = match &args.owner {
        Some(username) => Some(account::named(&mut conn, username)?.0),
        None => None,
    };
    let overrides = LimitOverrides { per_minute: args.per_minute, per_day: args.per_day, per_month: args.per_month };
    let (id, secret) = (id::encode(rand::random()), ApiKeySecret::generate());
    let key = NewKey { id: &id, name: &args.name, account, overrides, expires_at };
    conn.transaction(|conn| {
        keys::create(conn, &key, &secret, &Author::command_line(now))?;
        print_key(args.output, &id, &secret)
    })
}

fn print_key(output: OutputArgs, id: &str, secret: &ApiKeySecret) -> Result<(), Failure> {
    output.print_secret(secret.reveal(), "key", &json!({"id": id, "key": secret.reveal()}))
}

fn rotate(args: &RotateArgs) -> Result<(), Failure> {
    let mut store = KeyStore::open(&args.store)?;
    let key = store.find(&args.id)?;
    let secret = ApiKeySecret::generate();
    let old_ends_at = store.now + args.grace.millis();
    let author = store.author();
    store.conn.transaction(|conn| {
        keys::rotate(conn, key.n, &secret, Some(old_ends_at), &author)?;
        print_key(args.output, &key.id, &secret)
    })?;
    // All but the newest one before the rotation: a key has at most two.
    let live: Vec<_> = key.live_secrets(store.now).collect();
    for ended in live.iter().rev().skip(1) {
        let until =
            ended.ends_at.map_or_else(String::new, |end| format!("; it would have worked until {}", time::iso(end)));
        print_error(&format!("the older secret {} stopped working: a key has at most two secrets{until}", ended.hint));
    }
    Ok(())
}

fn rename(args: &RenameArgs) -> Result<(), Failure> {
    let name = keys::check_name(&args.name).map_err(Failure::Usage)?;
    let mut store = KeyStore::open(&args.store)?;
    let key = store.find(&args.id)?;
    let author = store.author();
    keys::rename(&mut store.conn, key.n, name, &author)?;
    store.show(&args.id, args.output.json)
}

fn delete(args: &DeleteArgs) -> Result<(), Failure> {
    let mut store = KeyStore::open(&args.store)?;
    let key = store.find(&args.id)?;
    confirm(&format!("delete the key {} ({})", key.name, key.id), args.yes)?;
    let author = store.author();
    keys::delete(&mut store.conn, key.n, &author)?;
    args.output.print(&format!("Deleted the key {}.", key.name), &json!({"removed": key.id}))
}

fn revoke_old(args: &OneArgs) -> Result<(), Failure> {
    let mut store = KeyStore::open(&args.store)?;
    let key = store.find(&args.id)?;
    let author = store.author();
    keys::revoke_old(&mut store.conn, key.n, &author)?;
    store.show(&args.id, args.output.json)
}

fn limits(args: &LimitsArgs) -> Result<(), Failure> {
    let mut store = KeyStore::open(&args.store)?;
    let key = store.find(&args.id)?;
    let pick = |given: Option<Override>, current: Option<u32>| given.map_or(current, |given| given.0);
    let overrides = LimitOverrides {
        per_minute: pick(args.per_minute, key.overrides.per_minute),
        per_day: pick(args.per_day, key.overrides.per_day),
        per_month: pick(args.per_month, key.overrides.per_month),
    };
    let author = store.author();
    keys::set_overrides(&mut store.conn, key.n, overrides, &author)?;
    store.show(&args.id, args.output.json)
}

fn expire(args: &ExpireArgs) -> Result<(), Failure> {
    let mut store = KeyStore::open(&args.store)?;
    let expires_at = expiry::parse(&args.when, store.now).map_err(Failure::Usage)?;
    let key = store.find(&args.id)?;
    let author = store.author();
    keys::set_expiry(&mut store.conn, key.n, expires_at, &author)?;
    store.show(&args.id, args.output.json)
}

fn set_disabled(args: &OneArgs, disabled: bool) -> Result<(), Failure> {
    let mut store = KeyStore::open(&args.store)?;
    let key = store.find(&args.id)?;
    let author = store.author();
    keys::set_blocked(&mut store.conn, key.n, disabled, &author)?;
    store.show(&args.id, args.output.json)
}
