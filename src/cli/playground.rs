//! `rollcall playground`

use clap::{Args, Subcommand};
use serde_json::json;

use super::output::OutputArgs;
use super::{Failure, StoreArgs, load, store};
use rollcall_store::captcha_secret;

#[derive(Subcommand)]
pub enum PlaygroundCommand {
    /// Replace the secret that signs the human checks; checks in progress become invalid
    NewSecret(NewSecretArgs),
}

#[derive(Args)]
pub struct NewSecretArgs {
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(command: PlaygroundCommand) -> Result<(), Failure> {
    let PlaygroundCommand::NewSecret(args) = command;
    let (mut conn, _) = store::open_existing(&load(&args.store.flags())?)?;
    conn.transaction(|conn| captcha_secret::replace(conn, captcha_secret::CAPTCHA))?;
    let text = "Replaced the secret of the human check. Running services use it within seconds.";
    args.output.print(text, &json!({"replaced": true}))
}
