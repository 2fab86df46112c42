//! The command line. Every command is a file; what people read goes to standard output, everything else to the log.

mod account;
mod allocator;
mod backup;
mod demo;
mod export;
mod import;
mod key;
mod migrate;
mod output;
mod playground;
mod restore;
mod seed;
mod serve;
mod server;
mod store;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::config::{Config, Flags};
use output::say;

#[derive(Parser)]
#[command(
    name = "rollcall",
    version,
    about = "Keeps the history of game servers and serves it through a keyed JSON API.",
    after_help = "Try it:\n  \
                  rollcall demo                      demo data and a key, ready to call\n\n\
                  Run it:\n  \
                  rollcall key create --name my-bot  prints a new API key\n  \
                  rollcall serve                     serves http://127.0.0.1:8080/v1\n\n\
                  Every setting, with its default, stands in config.default.toml; `rollcall config` prints it."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API with demo data: 250 servers, 3,000 players, 90 days of history, made anew up to now
    Demo(demo::DemoArgs),
    /// Serve the API
    Serve(serve::ServeArgs),
    /// Add, list, show, change, remove and ping the game servers that are tracked
    #[command(subcommand)]
    Server(server::ServerCommand),
    /// Create, list, disable and enable API keys
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Create, list, disable and invite those who sign in on the pages
    #[command(subcommand)]
    Account(account::AccountCommand),
    /// Look after the playground
    #[command(subcommand)]
    Playground(playground::PlaygroundCommand),
    /// Bring the store to the newest schema
    Migrate(StoreArgs),
    /// Fill an empty store with bulk data, for trying the service at scale
    Seed(seed::SeedArgs),
    /// Read NDJSON files into the store, all of them or nothing
    Import(import::ImportArgs),
    /// Write the whole store into a folder of NDJSON files
    Export(export::ExportArgs),
    /// Copy a SQLite store, pictures and all, into one file; servers may run meanwhile
    Backup(backup::BackupArgs),
    /// Bring a store back from a backup, all of it or nothing
    Restore(restore::RestoreArgs),
    /// Print every setting with its default
    Config,
}

/// Where the store is.
#[derive(Args, Clone, Debug, Default)]
pub struct StoreArgs {
    /// Folder of everything kept on this machine [default: ./data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// sqlite:PATH or postgres://user:password@host:port/name [default: rollcall.db in the data folder]
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// File of settings [default: ./rollcall.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl StoreArgs {
    fn flags(&self) -> Flags {
        Flags {
            config: self.config.clone(),
            data: self.data.clone(),
            database: self.database.clone(),
            ..Flags::default()
        }
    }
}

/// Of commands that list everything.
#[derive(Args)]
pub struct ListArgs {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// What went wrong, by whose fault: the exit status tells.
pub enum Failure {
    /// A bad command line, configuration or database URL.
    Usage(String),
    Failed(String),
}

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

const BAD_USAGE: u8 = 2;

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return explain(&error),
    };
    let outcome = match cli.command {
        Command::Demo(args) => demo::run(args),
        Command::Serve(args) => {
            allocator::settle();
            serve::run(args)
        }
        Command::Server(command) => server::run(command),
        Command::Key(command) => key::run(command),
        Command::Account(command) => account::run(command),
        Command::Playground(command) => playground::run(command),
        Command::Migrate(args) => migrate::run(args),
        Command::Seed(args) => seed::run(args),
        Command::Import(args) => import::run(args),
        Command::Export(args) => export::run(args),
        Command::Backup(args) => backup::run(args),
        Command::Restore(args) => restore::run(args),
        Command::Config => say(crate::config::DEFAULTS.trim_end()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            output::complain(&message);
            ExitCode::from(BAD_USAGE)
        }
        Err(Failure::Failed(message)) => {
            output::complain(&message);
            ExitCode::FAILURE
        }
    }
}

/// Help and version as they are; a mistake in one sentence.
fn explain(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { BAD_USAGE } else { 0 });
    }
    let text = error.render().to_string();
    let usage = |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more information");
    let words: Vec<&str> = text.lines().filter(usage).flat_map(str::split_whitespace).collect();
    let sentence = words.join(" ").replace(" tip: ", "; ");
    output::complain(&format!("{}; see --help", sentence.trim_start_matches("error: ")));
    ExitCode::from(BAD_USAGE)
}

fn load(flags: &Flags) -> Result<Config, Failure> {
    Config::load(flags).map_err(Failure::Usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }
}
