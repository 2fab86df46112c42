//! `rollcall player`: removes players who opt out.

use clap::{Args, Subcommand};
use serde_json::json;

use super::output::{OutputArgs, confirm};
use super::{Failure, StoreArgs, load, store};
use rollcall_model::clock::Clock;
use rollcall_model::id::parse_uuid;
use rollcall_search::fold;
use rollcall_store::audit::Author;
use rollcall_store::players::{self, PlayerRow};
use rollcall_store::{Conn, erased_players, player_erasure};

#[derive(Subcommand)]
pub enum PlayerCommand {
    /// Remove a player who opts out; they are never stored again, their votes and reviews stay without a name. Asks first
    Erase(EraseArgs),
    /// Let a player who opted out be stored again
    Allow(AllowArgs),
}

#[derive(Args)]
pub struct EraseArgs {
    /// Nickname, UUID or id
    player: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct AllowArgs {
    /// Nickname or UUID. Names are remembered apart from UUIDs: allow both
    player: String,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(command: PlayerCommand) -> Result<(), Failure> {
    match command {
        PlayerCommand::Erase(args) => erase(&args),
        PlayerCommand::Allow(args) => allow(&args),
    }
}

fn find(conn: &mut Conn, player: &str) -> Result<PlayerRow, Failure> {
    if let Some(row) = players::by_id(conn, player)? {
        return Ok(row);
    }
    if let Some(uuid) = parse_uuid(player)
        && let Some(row) = players::by_uuid(conn, &uuid)?
    {
        return Ok(row);
    }
    if !players::ambiguous_names(conn, &[fold(player)])?.is_empty() {
        return Err(Failure::Failed(format!("several players have the nickname {player:?}; name one by UUID")));
    }
    let unknown = || Failure::Failed(format!("no player has the id, UUID or nickname {player:?}"));
    players::by_nickname(conn, &fold(player))?.ok_or_else(unknown)
}

fn erase(args: &EraseArgs) -> Result<(), Failure> {
    let (mut conn, _) = store::open_existing(&load(&args.store.flags())?)?;
    let player = find(&mut conn, &args.player)?;
    let who = format!("{} ({})", player.nickname, player.game_uuid);
    confirm(&format!("remove the player {who} and never store them again"), args.yes)?;
    let author = Author::command_line(Clock::System.now());
    let is_erased = conn.transaction(|conn| player_erasure::erase(conn, player.n, &author))?;
    match is_erased {
        true => args
            .output
            .print("Removed. Votes and reviews stay without the name.", &json!({"removed": player.game_uuid})),
        false => Err(Failure::Failed("the player was removed meanwhile".into())),
    }
}

fn allow(args: &AllowArgs) -> Result<(), Failure> {
    let (mut conn, _) = store::open_existing(&load(&args.store.flags())?)?;
    let uuid = parse_uuid(&args.player);
    let author = Author::command_line(Clock::System.now());
    let is_allowed = conn.transaction(|conn| erased_players::allow(conn, uuid.as_deref(), &args.player, &author))?;
    match is_allowed {
        true => args
            .output
            .print("Allowed. The player is stored again when they are next seen.", &json!({"allowed": args.player})),
        false => Err(Failure::Failed(format!("no player who opted out has the UUID or nickname {:?}", args.player))),
    }
}
