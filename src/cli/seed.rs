use clap::Args;

use super::output::print_line;
use super::{Failure, StoreArgs, load, store};
use rollcall_demo::{BulkSeedOptions, GenerateProgress, PICTURE_POOL_SIZE, PictureGenerator, bulk_seed};
use rollcall_model::clock::Clock;
use rollcall_model::score::format_count;

#[derive(Args)]
pub struct SeedArgs {
    /// Number of servers
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    servers: usize,
    /// Number of players
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    players: usize,
    /// Number of votes
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    votes: usize,
    /// Average sessions per player
    #[arg(long, value_name = "N", default_value_t = 2)]
    sessions: usize,
    /// The same seed gives the same data
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: SeedArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let now = Clock::System.now();
    let (mut conn, media) = store::open(&config)?;
    let SeedArgs { servers, players, votes, sessions, seed: number, .. } = args;
    let options = BulkSeedOptions { servers, players, votes, sessions, seed: number };
    let made = bulk_seed(
        &mut conn,
        &options,
        now,
        &PictureGenerator::pooled(media, PICTURE_POOL_SIZE),
        &GenerateProgress::on_stderr(),
    )?;
    let count = |rows: usize| format_count(rows as i64);
    print_line(&format!(
        "Created {} servers, {} players, {} votes, {} sessions, {} skins and capes.",
        count(made.servers),
        count(made.players),
        count(args.votes),
        count(made.sessions),
        count(made.textures)
    ))
}
