//! `rollcall check`: looks at everything that the service needs before it starts. Changes no data.

mod database;
mod files;
mod network;

use clap::Args;
use serde_json::json;

use super::output::{OutputArgs, log_filter, print_line};
use super::serve::ServeArgs;
use super::{Failure, load};
use crate::accounts::Accounts;
use crate::config::Config;

#[derive(Args)]
pub struct CheckArgs {
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    serve: ServeArgs,
}

/// `Ok` with what was found, or the problem and what to do.
type Finding = Result<String, String>;

struct Check {
    name: &'static str,
    finding: Finding,
}

pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let config = load(&args.serve.flags())?;
    config.check_serving().map_err(Failure::Usage)?;
    log_filter(&config).map_err(Failure::Usage)?;
    Accounts::new(&config.accounts).map_err(Failure::Usage)?;
    let checks = run_all(&config)?;
    if args.output.json {
        let list: Vec<_> = checks.iter().map(as_json).collect();
        print_line(&json!({"ok": checks.iter().all(|check| check.finding.is_ok()), "checks": list}).to_string())?;
    } else {
        checks.iter().try_for_each(|check| print_line(&as_line(check)))?;
    }
    match checks.iter().filter(|check| check.finding.is_err()).count() {
        0 => Ok(()),
        failed => Err(Failure::Failed(format!("{failed} of {} checks failed", checks.len()))),
    }
}

fn run_all(config: &Config) -> Result<Vec<Check>, Failure> {
    let mut checks = vec![Check { name: "settings", finding: Ok(files::settings(config)) }];
    checks.extend(database::checks(config)?);
    checks.extend([
        Check { name: "certificate", finding: network::certificate(&config.tls) },
        Check { name: "pictures", finding: files::pictures(config) },
        Check { name: "permissions", finding: files::permissions(config) },
        Check { name: "DNS", finding: network::dns(config) },
        Check { name: "open files", finding: files::open_files(config) },
    ]);
    Ok(checks)
}

fn as_line(check: &Check) -> String {
    match &check.finding {
        Ok(found) => format!("{:<12} ok: {found}", check.name),
        Err(problem) => format!("{:<12} FAILED: {problem}", check.name),
    }
}

fn as_json(check: &Check) -> serde_json::Value {
    let (Ok(detail) | Err(detail)) = &check.finding;
    json!({"name": check.name, "ok": check.finding.is_ok(), "detail": detail})
}
