//! `rollcall server`: which game servers are tracked.

mod change;
mod ping;
mod show;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::output::say;
use super::{Failure, ListArgs, StoreArgs, load, store};
use rollcall_ping::Edition;
use rollcall_store::{Conn, servers};

#[derive(Subcommand)]
pub enum ServerCommand {
    /// Track a game server: `serve` asks it from now on
    Add(Box<change::AddArgs>),
    /// List the servers
    List(ListArgs),
    /// Show one server: what it said last, and when it was out
    Show(OneArgs),
    /// Change what is said of a server
    Set(Box<change::SetArgs>),
    /// Forget a server with its whole history, votes and sessions
    Remove(OneArgs),
    /// Ask a game server once, and print what came back or why nothing did
    Ping(ping::PingArgs),
}

#[derive(Args)]
pub struct OneArgs {
    /// The server's slug, as `server list` shows it
    slug: String,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(command: ServerCommand) -> Result<(), Failure> {
    match command {
        ServerCommand::Add(args) => change::add(&args),
        ServerCommand::List(args) => show::list(&args),
        ServerCommand::Show(args) => show::show(&args),
        ServerCommand::Set(args) => change::set(&args),
        ServerCommand::Remove(args) => remove(&args),
        ServerCommand::Ping(args) => ping::run(&args),
    }
}

fn unknown(slug: &str) -> Failure {
    Failure::Failed(format!("there is no server {slug:?}; `rollcall server list` shows them all"))
}

fn existing(args: &StoreArgs) -> Result<Conn, Failure> {
    Ok(store::open_existing(&load(&args.flags())?)?.0)
}

fn remove(args: &OneArgs) -> Result<(), Failure> {
    let mut conn = existing(&args.store)?;
    let removed = conn.transaction(|conn| servers::remove(conn, &args.slug))?;
    let name = removed.ok_or_else(|| unknown(&args.slug))?;
    if args.json {
        return say(&serde_json::json!({"removed": args.slug}).to_string());
    }
    say(&format!("{name} is forgotten, with its history."))
}

fn edition_parser() -> impl TypedValueParser<Value = Edition> {
    let names = PossibleValuesParser::new(Edition::ALL.map(Edition::name));
    names.map(|name| Edition::parse(&name).expect("one of the possible values"))
}
