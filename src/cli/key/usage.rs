//! `rollcall key usage`

use clap::Args;
use serde_json::{Value, json};

use super::KeyStore;
use crate::cli::output::{OutputArgs, print_line};
use crate::cli::{Failure, StoreArgs, at_least_one};
use rollcall_model::time::{self, DAY};
use rollcall_store::usage::{self, HourlyUsage};

#[derive(Args)]
pub struct UsageArgs {
    /// Key id from `rollcall key list`
    id: String,
    /// Days to look back; usage is kept for 13 months
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one, allow_negative_numbers = true)]
    days: u32,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: UsageArgs) -> Result<(), Failure> {
    let mut store = KeyStore::open_for_reading(&args.store)?;
    let key = store.find(&args.id)?;
    let lines = usage::of_key(&mut store.ledger, key.n, store.now - i64::from(args.days) * DAY)?;
    if args.output.json {
        return print_line(&Value::Array(lines.iter().map(as_json).collect()).to_string());
    }
    if lines.is_empty() {
        return print_line("The key was not used in this period.");
    }
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["HOUR", "ENDPOINT", "STATUS", "REQUESTS", "BYTES"]);
    for line in lines {
        let (requests, bytes) = (line.requests.to_string(), line.bytes.to_string());
        table.add_row([time::iso(line.hour), line.endpoint, line.status, requests, bytes]);
    }
    print_line(&table.trim_fmt())
}

fn as_json(line: &HourlyUsage) -> Value {
    json!({
        "hour": time::iso(line.hour),
        "endpoint": line.endpoint,
        "status": line.status,
        "requests": line.requests,
        "bytes": line.bytes,
    })
}
