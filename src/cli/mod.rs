//! The command line, one file per command. Output goes to standard output, everything else to the log.

mod account;
mod allocator;
mod backup;
mod check;
mod completions;
mod config;
mod demo;
mod export;
mod health;
mod import;
mod key;
mod man;
mod media;
mod migrate;
mod output;
mod player;
mod playground;
mod reload;
mod restore;
mod seed;
mod serve;
mod server;
mod store;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use output::OutputArgs;

use crate::config::{Config, Flags};

#[derive(Parser)]
#[command(
    name = "rollcall",
    version,
    about = "Pings game servers, keeps their history and serves it through a keyed JSON API.",
    after_help = "Try it:\n  \
                  rollcall demo                      serves demo data and prints an API key\n\n\
                  Run it:\n  \
                  rollcall key create --name my-bot  creates an API key and prints it\n  \
                  rollcall serve                     serves http://127.0.0.1:8080/v1\n\n\
                  `rollcall config` prints every setting with its default."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API with demo data: 250 servers, 3,000 players, 90 days of history up to now
    Demo(demo::DemoArgs),
    /// Serve the API and the web pages, and ping the game servers
    Serve(serve::ServeCommandArgs),
    /// Add, list, show, change, remove and ping game servers
    #[command(subcommand)]
    Server(server::ServerCommand),
    /// Manage API keys
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Manage accounts
    #[command(subcommand)]
    Account(account::AccountCommand),
    /// Remove players who opt out
    #[command(subcommand)]
    Player(player::PlayerCommand),
    /// Check the pictures of the store, and copy them elsewhere
    #[command(subcommand)]
    Media(media::MediaCommand),
    /// Manage the playground
    #[command(subcommand)]
    Playground(playground::PlaygroundCommand),
    /// Migrate the store to the current schema
    Migrate(migrate::MigrateArgs),
    /// Fill an empty store with generated data, for tests at scale
    Seed(seed::SeedArgs),
    /// Import NDJSON files into the store, all or nothing
    Import(import::ImportArgs),
    /// Export the whole store as NDJSON files
    Export(export::ExportArgs),
    /// Back up a SQLite store with its pictures into one file, while the service runs
    Backup(backup::BackupArgs),
    /// Restore a store from a backup, all or nothing
    Restore(restore::RestoreArgs),
    /// Print every setting with its default, or with its value in force
    Config(config::ConfigArgs),
    /// Check settings, database, certificate, files, clock and DNS before the service starts
    Check(check::CheckArgs),
    /// Ask the running service whether it is ready; exit status 1 if not
    Health(health::HealthArgs),
    /// Print the completion script of a shell
    Completions(completions::CompletionsArgs),
    /// Write a manual page for each command into a folder
    #[command(hide = true)]
    Man(man::ManArgs),
}

/// Options that locate the store.
#[derive(Args, Clone, Debug, Default)]
pub struct StoreArgs {
    /// Data folder [default: ./data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// sqlite:PATH or postgres://user:password@host:port/name [default: rollcall.db in the data folder]
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Settings file [default: ./rollcall.toml, if it exists]
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

/// Options of commands that list everything.
#[derive(Args)]
pub struct ListArgs {
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// An error and its exit status.
pub enum Failure {
    /// Exit status 2: an invalid command line, setting or database URL.
    Usage(String),
    /// Exit status 1.
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
    // Before anything creates a file.
    rollcall_store::private_files::restrict_umask();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return explain(&error),
    };
    let outcome = match cli.command {
        Command::Demo(args) => demo::run(args),
        Command::Serve(args) => {
            allocator::apply_settings();
            serve::run(args)
        }
        Command::Server(command) => server::run(command),
        Command::Key(command) => key::run(command),
        Command::Account(command) => account::run(command),
        Command::Player(command) => player::run(command),
        Command::Media(command) => media::run(command),
        Command::Playground(command) => playground::run(command),
        Command::Migrate(args) => migrate::run(&args),
        Command::Seed(args) => seed::run(args),
        Command::Import(args) => import::run(args),
        Command::Export(args) => export::run(args),
        Command::Backup(args) => backup::run(args),
        Command::Restore(args) => restore::run(args),
        Command::Config(args) => config::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Health(args) => health::run(&args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            output::print_error(&message);
            ExitCode::from(BAD_USAGE)
        }
        Err(Failure::Failed(message)) => {
            output::print_error(&message);
            ExitCode::FAILURE
        }
    }
}

/// Prints help and version as they are, and a usage error in one sentence.
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
    output::print_error(&format!("{}; see --help", sentence.trim_start_matches("error: ")));
    ExitCode::from(BAD_USAGE)
}

/// A count on the command line.
fn at_least_one(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("must be a whole number from 1 to {}", u32::MAX)),
    }
}

/// The same where none is possible, too.
fn count(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("must be a whole number from 0 to {}", u32::MAX))
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

    #[test]
    fn every_command_with_a_result_prints_json() {
        /// They print a script or write files.
        const WITHOUT: [&str; 2] = ["completions", "man"];
        let mut commands = vec![<Cli as clap::CommandFactory>::command()];
        while let Some(command) = commands.pop() {
            commands.extend(command.get_subcommands().cloned());
            let name = command.get_name();
            let has_json = command.get_arguments().any(|argument| argument.get_id() == "json");
            assert_eq!(has_json, !command.has_subcommands() && !WITHOUT.contains(&name), "{name}");
        }
    }
}
