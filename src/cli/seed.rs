use clap::Args;

use super::output::say;
use super::{Failure, StoreArgs, load, store};
use rollcall_demo::{POOL, Pictures, Progress, SeedOptions, seed};
use rollcall_model::clock::Clock;
use rollcall_model::score::format_count;

#[derive(Args)]
pub struct SeedArgs {
    /// Servers to make
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    servers: usize,
    /// Players to make
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    players: usize,
    /// Votes to make
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    votes: usize,
    /// Sessions of each player, on average
    #[arg(long, value_name = "N", default_value_t = 2)]
    sessions: usize,
    /// The same seed makes the same data
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
    let options = SeedOptions { servers, players, votes, sessions, seed: number };
    let made = seed(&mut conn, &options, now, &Pictures::pool(media, POOL), &Progress::on_stderr())?;
    let count = |rows: usize| format_count(rows as i64);
    say(&format!(
        "Made {} servers, {} players, {} votes, {} sessions, {} skins and capes.",
        count(made.servers),
        count(made.players),
        count(args.votes),
        count(made.sessions),
        count(made.textures)
    ))
}
