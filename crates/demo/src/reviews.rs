//! Reviews, in the language of the server's country or in English.

use super::players::{self, VETERAN_DAYS};
use super::rng::{DemoRng, Stream, WeightedIndex, apportion, recent_share};
use super::servers::{self, DemoServer};
use super::votes::{BUSY_RANK, distinct_times};
use super::words::countries::Language;
use super::words::review_phrases::phrases_in;
use super::world::DemoWorld;
use rollcall_model::id;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::bulk_load::{self, BulkReview};
use rollcall_store::{Conn, Result};

/// Weights of the ratings 1 to 5.
const GOOD_RATINGS: [f64; 5] = [0.04, 0.04, 0.10, 0.28, 0.54];
const MIXED_RATINGS: [f64; 5] = [0.22, 0.18, 0.26, 0.20, 0.14];
/// Every n-th server has mixed ratings, except the largest.
const MIXED_EVERY: usize = 7;
const ALWAYS_GOOD_RANKS: usize = 10;
/// The last so many reviewers are not chosen again, so that a player rarely reviews a server twice.
const RECENT_REVIEWERS: usize = 64;

/// Reviews of each server.
fn counts(world: &DemoWorld) -> Vec<usize> {
    let weights: Vec<f64> = world.servers.iter().map(|server| 1.0 / (server.rank as f64 + 4.0).powf(0.7)).collect();
    // With enough reviews, every server has at least one.
    let min = usize::from(world.size.reviews >= world.servers.len());
    apportion(&weights, world.size.reviews, min)
}

/// Reviews per day of each server as the generated history ends, so that the present goes on at the same rate.
pub fn per_day(world: &DemoWorld) -> Vec<f64> {
    let rate = |(server, count): (&DemoServer, usize)| count as f64 * recent_share(DAY, max_age(world, server));
    world.servers.iter().zip(counts(world)).map(rate).collect()
}

/// A review of a server, without id and ordinal, and its player. `account_ns` are the row numbers of the accounts.
pub fn review<'a>(
    world: &'a DemoWorld,
    rng: &mut DemoRng,
    account_ns: &[i64],
    server: usize,
    at: i64,
    recent_reviewers: &[usize],
) -> (usize, BulkReview<'a>) {
    let server_n = servers::row_n(server);
    let server = &world.servers[server];
    let is_mixed = server.rank % MIXED_EVERY == MIXED_EVERY - 1 && server.rank > ALWAYS_GOOD_RANKS;
    let ratings = WeightedIndex::new(if is_mixed { MIXED_RATINGS } else { GOOD_RATINGS });
    let player = players::pick_active(rng, &world.players, at, recent_reviewers);
    let rating = ratings.draw(rng) as i64 + 1;
    let language = if rng.chance(0.6) { server.country.language } else { Language::English };
    let account_n = account_ns.get(player).filter(|_| rng.chance(0.9));
    let edited = if rng.chance(0.15) { rng.between(MINUTE, 20 * DAY).min((world.now - at).max(0)) } else { 0 };
    let review = BulkReview {
        server_n,
        ordinal: 0,
        id: String::new(),
        account_n: account_n.copied(),
        player_n: players::row_n(player),
        game_username: &world.players[player].nickname,
        rating,
        content: content(rng, language, rating, server.played_mode.name),
        created_at: at,
        updated_at: at + edited,
    };
    (player, review)
}

pub fn insert(conn: &mut Conn, world: &DemoWorld, account_ns: &[i64]) -> Result<()> {
    let counts = counts(world);
    bulk_load::insert_rows::<BulkReview>(conn, |insert| {
        for (index, server) in world.servers.iter().enumerate() {
            let mut rng = world.seed.rng(Stream::Reviews, index);
            let mut reviewers: Vec<usize> = Vec::new();
            for (row, at) in review_times(world, &mut rng, server, counts[index]).into_iter().enumerate() {
                let recent = &reviewers[reviewers.len().saturating_sub(RECENT_REVIEWERS)..];
                let (player, review) = review(world, &mut rng, account_ns, index, at, recent);
                reviewers.push(player);
                let id = id::encode(world.seed.id_bits(Stream::Reviews, index, row));
                insert(BulkReview { ordinal: row as i64 + 1, id, ..review })?;
            }
        }
        Ok(())
    })
}

/// The age of the oldest reviews.
fn max_age(world: &DemoWorld, server: &DemoServer) -> i64 {
    (world.now - server.created_at).min((VETERAN_DAYS - 1) * DAY)
}

fn review_times(world: &DemoWorld, rng: &mut DemoRng, server: &DemoServer, count: usize) -> Vec<i64> {
    let max_age = max_age(world, server);
    let mut ages: Vec<i64> = (0..count).map(|_| rng.age(MINUTE, max_age)).collect();
    if let Some(newest) = ages.first_mut().filter(|_| server.rank < BUSY_RANK) {
        *newest = rng.between(MINUTE, HOUR);
    }
    distinct_times(ages, world.now)
}

fn content(rng: &mut DemoRng, language: Language, rating: i64, mode: &str) -> String {
    let phrases = phrases_in(language);
    let [openings, remarks] = match rating {
        4..=5 => phrases.positive,
        3 => phrases.mixed,
        _ => phrases.negative,
    };
    let (opening, remark) = (rng.pick(openings), rng.pick(remarks));
    let text = if rng.chance(0.3) { opening.to_owned() } else { format!("{opening} {remark}") };
    text.replace("{mode}", mode)
}
