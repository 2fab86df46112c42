//! `rollcall server`: manages the tracked game servers.

mod change;
mod ping;
mod show;
mod token;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use serde_json::json;

use super::output::{OutputArgs, confirm};
use super::{Failure, ListArgs, StoreArgs, load, store};
use crate::tracked_servers;
use rollcall_minecraft::Edition;
use rollcall_model::clock::Clock;
use rollcall_store::audit::Author;
use rollcall_store::{Conn, servers};

#[derive(Subcommand)]
pub enum ServerCommand {
    /// Add a game server; `rollcall serve` pings it from now on
    Add(Box<change::AddArgs>),
    /// List the servers
    List(ListArgs),
    /// Show one server with its last status and outages
    Show(OneArgs),
    /// Change the settings of a server
    Set(Box<change::SetArgs>),
    /// Delete a server with its history, votes and sessions; asks first
    Remove(RemoveArgs),
    /// Create a token with which the game server sends reports; the one before it stays valid for a day
    Token(OneArgs),
    /// Ping a game server once and print the result
    Ping(ping::PingArgs),
}

#[derive(Args)]
pub struct OneArgs {
    /// Slug from `rollcall server list`
    slug: String,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct RemoveArgs {
    /// Slug from `rollcall server list`
    slug: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    output: OutputArgs,
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
        ServerCommand::Token(args) => token::create(&args),
        ServerCommand::Ping(args) => ping::run(&args),
    }
}

fn not_found(slug: &str) -> Failure {
    Failure::Failed(format!("no server has the slug {slug:?}; `rollcall server list` shows all servers"))
}

fn open_for_reading(args: &StoreArgs) -> Result<Conn, Failure> {
    Ok(store::open_for_reading(&load(&args.flags())?)?.0)
}

fn remove(args: &RemoveArgs) -> Result<(), Failure> {
    let (mut conn, _) = store::open_existing(&load(&args.store.flags())?)?;
    let found = servers::list(&mut conn, Some(&args.slug))?.into_iter().next();
    let server = found.ok_or_else(|| not_found(&args.slug))?;
    confirm(
        &format!("delete the server {} ({}) with its history, votes and sessions", server.name, server.slug),
        args.yes,
    )?;
    let author = Author::command_line(Clock::System.now());
    let removed = tracked_servers::remove(&mut conn, &args.slug, &author)?;
    let name = removed.ok_or_else(|| not_found(&args.slug))?;
    args.output.print(&format!("Deleted {name} and its history."), &json!({"removed": args.slug}))
}

fn edition_parser() -> impl TypedValueParser<Value = Edition> {
    let names = PossibleValuesParser::new(Edition::ALL.map(Edition::name));
    names.map(|name| Edition::parse(&name).expect("one of the possible values"))
}
