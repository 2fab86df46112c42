//! `rollcall server`: which game servers are tracked.

mod ping;

use clap::Subcommand;

use super::Failure;

#[derive(Subcommand)]
pub enum ServerCommand {
    /// Ask a game server once, and print what came back or why nothing did
    Ping(ping::PingArgs),
}

pub fn run(command: ServerCommand) -> Result<(), Failure> {
    match command {
        ServerCommand::Ping(args) => ping::run(&args),
    }
}
