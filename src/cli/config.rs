//! `rollcall config`

use clap::Args;
use serde_json::json;

use super::output::{OutputArgs, print_line};
use super::serve::ServeArgs;
use super::{Failure, load};
use crate::config::{DEFAULTS, EffectiveSetting};

#[derive(Args)]
pub struct ConfigArgs {
    /// Print the value in force of every setting and where it comes from, without secrets
    #[arg(long)]
    effective: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    serve: ServeArgs,
}

pub fn run(args: &ConfigArgs) -> Result<(), Failure> {
    if !args.effective {
        let defaults: serde_json::Value = toml::from_str(DEFAULTS)?;
        return args.output.print(DEFAULTS.trim_end(), &defaults);
    }
    let settings = load(&args.serve.flags())?.effective();
    if args.output.json {
        let settings: Vec<_> = settings.iter().map(as_json).collect();
        return print_line(&json!(settings).to_string());
    }
    // Valid TOML, so that a line can be copied into a settings file.
    let lines: Vec<String> = settings.iter().map(|s| format!("{} = {} # {}", s.name, s.value, s.source)).collect();
    print_line(&lines.join("\n"))
}

fn as_json(setting: &EffectiveSetting) -> serde_json::Value {
    let EffectiveSetting { name, value, source } = setting;
    json!({"setting": name, "value": value, "source": source.kind(), "from": source.name()})
}
