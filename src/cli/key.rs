use clap::{Args, Subcommand};
use serde_json::json;

use super::output::say;
use super::{Failure, StoreArgs, load, store};
use crate::clock::Clock;
use crate::config::Limits;
use crate::gate::Secret;
use crate::model::{id, time};
use crate::store::Conn;
use crate::store::keys::{self, KeyRecord};

#[derive(Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it, alone, on standard output: it is shown this once
    Create(CreateArgs),
    /// List all keys
    List(ListArgs),
    /// Show one key
    Show(OneArgs),
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
    /// Requests per clock minute [default: 60]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    per_minute: Option<u32>,
    /// Requests per UTC day [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    per_day: Option<u32>,
    /// Requests per calendar month [default: 30000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    per_month: Option<u32>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct ListArgs {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
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

pub fn run(command: KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Create(args) => create(args),
        KeyCommand::List(args) => {
            let keys = keys::all(&mut open(&args.store)?)?;
            print(&keys, args.json)
        }
        KeyCommand::Show(args) => {
            let key = find(&mut open(&args.store)?, &args.id)?;
            if args.json { say(&as_json(&key).to_string()) } else { print(&[key], false) }
        }
        KeyCommand::Disable(args) => set_disabled(&args, true),
        KeyCommand::Enable(args) => set_disabled(&args, false),
    }
}

fn open(args: &StoreArgs) -> Result<Conn, Failure> {
    Ok(store::open_existing(&load(&args.flags())?)?.0)
}

fn create(args: CreateArgs) -> Result<(), Failure> {
    keys::check_name(&args.name).map_err(Failure::Usage)?;
    let config = load(&args.store.flags())?;
    let now = Clock::System.now();
    let (mut conn, _) = store::open(&config)?;
    let limits = Limits {
        per_minute: args.per_minute.unwrap_or(config.limits.per_minute),
        per_day: args.per_day.unwrap_or(config.limits.per_day),
        per_month: args.per_month.unwrap_or(config.limits.per_month),
    };
    let secret = Secret::generate();
    keys::create(&mut conn, &id::encode(rand::random()), &args.name, limits, &secret, now)?;
    say(secret.reveal())
}

fn set_disabled(args: &OneArgs, disabled: bool) -> Result<(), Failure> {
    let mut conn = open(&args.store)?;
    if !keys::set_disabled(&mut conn, &args.id, disabled)? {
        return Err(unknown(&args.id));
    }
    let key = find(&mut conn, &args.id)?;
    if args.json { say(&as_json(&key).to_string()) } else { print(&[key], false) }
}

fn find(conn: &mut Conn, id: &str) -> Result<KeyRecord, Failure> {
    keys::all(conn)?.into_iter().find(|key| key.id == id).ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> Failure {
    Failure::Failed(format!("there is no key of the id \"{id}\"; `rollcall key list` shows them all"))
}

fn as_json(key: &KeyRecord) -> serde_json::Value {
    json!({
        "id": key.id,
        "name": key.name,
        "secrets": key.hints,
        "perMinute": key.limits.per_minute,
        "perDay": key.limits.per_day,
        "perMonth": key.limits.per_month,
        "disabled": key.disabled,
        "createdAt": time::iso(key.created_at),
    })
}

fn print(keys: &[KeyRecord], json: bool) -> Result<(), Failure> {
    if json {
        let keys: Vec<_> = keys.iter().map(as_json).collect();
        return say(&serde_json::Value::Array(keys).to_string());
    }
    if keys.is_empty() {
        return say("There are no keys yet; `rollcall key create --name NAME` makes one.");
    }
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["ID", "NAME", "KEY", "STATUS", "MINUTE", "DAY", "MONTH", "CREATED"]);
    for key in keys {
        table.add_row([
            key.id.clone(),
            key.name.clone(),
            key.hints.join(", "),
            if key.disabled { "disabled" } else { "active" }.into(),
            key.limits.per_minute.to_string(),
            key.limits.per_day.to_string(),
            key.limits.per_month.to_string(),
            time::iso(key.created_at),
        ]);
    }
    say(&table.trim_fmt())
}
