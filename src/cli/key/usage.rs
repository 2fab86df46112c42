//! `rollcall key usage`

use clap::Args;
use serde_json::{Value, json};

use super::Desk;
use crate::cli::output::say;
use crate::cli::{Failure, StoreArgs};
use rollcall_model::time::{self, DAY};
use rollcall_store::usage::{self, KeptLine};

#[derive(Args)]
pub struct UsageArgs {
    /// The key's id, as `key list` shows it
    id: String,
    /// How many days to look back; use is kept for 13 months
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    days: u16,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: UsageArgs) -> Result<(), Failure> {
    let mut desk = Desk::open(&args.store)?;
    let key = desk.find(&args.id)?;
    let lines = usage::of_key(&mut desk.ledger, key.n, desk.now - i64::from(args.days) * DAY)?;
    if args.json {
        return say(&Value::Array(lines.iter().map(as_json).collect()).to_string());
    }
    if lines.is_empty() {
        return say("The key was not used in this time.");
    }
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["HOUR", "ENDPOINT", "STATUS", "REQUESTS", "BYTES"]);
    for line in lines {
        let (requests, bytes) = (line.requests.to_string(), line.bytes.to_string());
        table.add_row([time::iso(line.hour), line.endpoint, line.status, requests, bytes]);
    }
    say(&table.trim_fmt())
}

fn as_json(line: &KeptLine) -> Value {
    json!({
        "hour": time::iso(line.hour),
        "endpoint": line.endpoint,
        "status": line.status,
        "requests": line.requests,
        "bytes": line.bytes,
    })
}
