use clap::Args;
use serde_json::json;

use super::output::OutputArgs;
use super::{Failure, StoreArgs, at_least_one, count, load, store};
use rollcall_demo::{BulkSeedOptions, GenerateProgress, PICTURE_POOL_SIZE, PictureGenerator, bulk_seed};
use rollcall_model::clock::Clock;
use rollcall_model::score::format_count;

#[derive(Args)]
pub struct SeedArgs {
    /// Number of servers
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = at_least_one, allow_negative_numbers = true)]
    servers: u32,
    /// Number of players
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = at_least_one, allow_negative_numbers = true)]
    players: u32,
    /// Number of votes
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = count, allow_negative_numbers = true)]
    votes: u32,
    /// Average sessions per player
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count, allow_negative_numbers = true)]
    sessions: u32,
    /// The same seed gives the same data
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: SeedArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let now = Clock::System.now();
    let (mut conn, media) = store::open(&config)?;
    let [servers, players, votes, sessions] =
        [args.servers, args.players, args.votes, args.sessions].map(|count| count as usize);
    let options = BulkSeedOptions { servers, players, votes, sessions, seed: args.seed };
    let made = bulk_seed(
        &mut conn,
        &options,
        now,
        &PictureGenerator::pooled(media, PICTURE_POOL_SIZE),
        &GenerateProgress::on_stderr(),
    )?;
    let shown = |rows: usize| format_count(rows as i64);
    let text = format!(
        "Created {} servers, {} players, {} votes, {} sessions, {} skins and capes.",
        shown(made.servers),
        shown(made.players),
        shown(votes),
        shown(made.sessions),
        shown(made.textures)
    );
    let value = json!({
        "servers": made.servers,
        "players": made.players,
        "votes": votes,
        "sessions": made.sessions,
        "textures": made.textures,
    });
    args.output.print(&text, &value)
}
