//! `rollcall playground`

use clap::Subcommand;

use super::output::say;
use super::{Failure, StoreArgs, load, store};
use rollcall_store::captcha_secret;

#[derive(Subcommand)]
pub enum PlaygroundCommand {
    /// Make a new secret for the human checks of the playground; checks that are being solved become void
    NewSecret(StoreArgs),
}

pub fn run(command: PlaygroundCommand) -> Result<(), Failure> {
    let PlaygroundCommand::NewSecret(args) = command;
    let (mut conn, _) = store::open_existing(&load(&args.flags())?)?;
    conn.transaction(|conn| captcha_secret::renew(conn, captcha_secret::HUMAN))?;
    say("The human check has a new secret. Servers that run take it up within seconds.")
}
