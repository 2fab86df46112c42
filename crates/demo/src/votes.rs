//! Votes, numbered per server from the oldest.

use super::players::{self, VETERAN_DAYS};
use super::progress::GenerateProgress;
use super::rng::{DemoRng, Stream, apportion, recent_share};
use super::servers::{self, DemoServer};
use super::world::DemoWorld;
use rollcall_model::id;
use rollcall_model::time::{DAY, SECOND};
use rollcall_store::bulk_load::{self, BulkVote};
use rollcall_store::{Conn, Result};

/// The share of votes that are older than `WorldSize::days`.
const OLD_SHARE: f64 = 0.06;
/// A player does not vote for a server again while they are among its last voters.
const RECENT_VOTERS: usize = 12;
/// The share of account holders' votes that are cast without signing in.
const SIGNED_OUT_SHARE: f64 = 0.15;
/// Servers above this rank have a vote from the last minutes and a review from the last hour.
pub const BUSY_RANK: usize = 12;

/// Votes of each server.
fn counts(world: &DemoWorld) -> Vec<usize> {
    // With enough votes, every server has at least one.
    let min = usize::from(world.size.votes >= world.servers.len());
    apportion(&weights(world), world.size.votes, min)
}

/// Votes per day of each server as the generated history ends, so that the present goes on at the same rate.
pub fn per_day(world: &DemoWorld) -> Vec<f64> {
    let rate = |(server, count): (&DemoServer, usize)| {
        let (window, oldest) = window(world, server);
        let old_share = if oldest > window { OLD_SHARE } else { 0.0 };
        count as f64 * (1.0 - old_share) * recent_share(DAY, window)
    };
    world.servers.iter().zip(counts(world)).map(rate).collect()
}

/// A vote for a server, without id and ordinal, and its player. `account_ns` are the row numbers of the accounts.
pub fn vote<'a>(
    world: &'a DemoWorld,
    rng: &mut DemoRng,
    account_ns: &[i64],
    server: usize,
    at: i64,
    recent_voters: &[usize],
) -> (usize, BulkVote<'a>) {
    let player = players::pick_active(rng, &world.players, at, recent_voters);
    let account_n = account_ns.get(player).filter(|_| !rng.chance(SIGNED_OUT_SHARE));
    let vote = BulkVote {
        server_n: servers::row_n(server),
        ordinal: 0,
        id: String::new(),
        account_n: account_n.copied(),
        player_n: players::row_n(player),
        game_username: &world.players[player].nickname,
        voted_at: at,
    };
    (player, vote)
}

pub fn insert(conn: &mut Conn, world: &DemoWorld, account_ns: &[i64], progress: &GenerateProgress) -> Result<()> {
    let counts = counts(world);
    bulk_load::insert_rows::<BulkVote>(conn, |insert| {
        for (index, server) in world.servers.iter().enumerate() {
            let mut rng = world.seed.rng(Stream::Votes, index);
            let mut recent = [usize::MAX; RECENT_VOTERS];
            let times = vote_times(world, &mut rng, server, counts[index]);
            for (row, &at) in times.iter().enumerate() {
                let (player, vote) = vote(world, &mut rng, account_ns, index, at, &recent);
                recent[row % RECENT_VOTERS] = player;
                let id = id::encode(world.seed.id_bits(Stream::Votes, index, row));
                insert(BulkVote { ordinal: row as i64 + 1, id, ..vote })?;
            }
            progress.advance(times.len() as u64);
        }
        Ok(())
    })
}

/// How far back most votes go, and the oldest ones.
fn window(world: &DemoWorld, server: &DemoServer) -> (i64, i64) {
    let age = world.now - server.created_at;
    (age.min(world.size.days * DAY), age.min((VETERAN_DAYS - 1) * DAY))
}

/// Oldest first, no two at the same millisecond.
fn vote_times(world: &DemoWorld, rng: &mut DemoRng, server: &DemoServer, count: usize) -> Vec<i64> {
    let (window, oldest) = window(world, server);
    let ages = (0..count)
        .map(|row| {
            if row == 0 && server.rank < BUSY_RANK {
                return rng.between(3 * SECOND, 240 * SECOND);
            }
            let old = oldest > window && rng.chance(OLD_SHARE);
            let (min, max) = if old { (window, oldest) } else { (SECOND, window) };
            rng.age(min, max)
        })
        .collect();
    distinct_times(ages, world.now)
}

/// Turns ages into times, oldest first. Equal ages are moved apart.
pub fn distinct_times(mut ages: Vec<i64>, now: i64) -> Vec<i64> {
    ages.sort_unstable();
    for i in 1..ages.len() {
        ages[i] = ages[i].max(ages[i - 1] + 1);
    }
    ages.iter().rev().map(|age| now - age).collect()
}

/// Larger servers get more votes, though not in proportion. New servers had less time to get any.
fn weights(world: &DemoWorld) -> Vec<f64> {
    let window = (world.size.days * DAY) as f64;
    world
        .servers
        .iter()
        .enumerate()
        .map(|(index, server)| {
            let loyalty = world.seed.rng(Stream::Votes, world.servers.len() + index).log_normal(1.0, 0.6);
            let age_share = ((world.now - server.created_at) as f64 / window).min(1.0);
            loyalty * age_share / (server.rank as f64 + 1.5).powf(0.75)
        })
        .collect()
}
