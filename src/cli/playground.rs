//! `rollcall playground`

use clap::Subcommand;

use super::output::print_line;
use super::{Failure, StoreArgs, load, store};
use rollcall_store::captcha_secret;

#[derive(Subcommand)]
pub enum PlaygroundCommand {
    /// Replace the secret that signs the human checks; checks in progress become invalid
    NewSecret(StoreArgs),
}

pub fn run(command: PlaygroundCommand) -> Result<(), Failure> {
    let PlaygroundCommand::NewSecret(args) = command;
    let (mut conn, _) = store::open_existing(&load(&args.flags())?)?;
    conn.transaction(|conn| captcha_secret::replace(conn, captcha_secret::CAPTCHA))?;
    print_line("Replaced the secret of the human check. Running services use it within seconds.")
}
