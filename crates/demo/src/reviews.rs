//! Reviews in the words of those who write them.

use super::players;
use super::rng::{Dice, Of, apportion};
use super::servers;
use super::votes::{BUSY_RANK, Voting};
use super::words::places::Language;
use super::words::reviews::voice;
use rollcall_model::id;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::values;
use rollcall_store::{Conn, Result};

/// Ratings from 1 to 5 of a server people like; a disliked one is drawn from the other row.
const LIKED: [f64; 5] = [0.04, 0.04, 0.10, 0.28, 0.54];
const DISLIKED: [f64; 5] = [0.22, 0.18, 0.26, 0.20, 0.14];
const DISLIKED_EVERY: usize = 7;
/// The largest are well liked, or they would not be.
const LIKED_RANKS: usize = 10;
/// How many of the last reviewers are not asked again, so that nobody reviews a server twice.
const MOST_REVIEWERS: usize = 64;

const COLUMNS: &[&str] = &[
    "server_n",
    "ordinal",
    "id",
    "account_n",
    "player_n",
    "game_username",
    "rating",
    "content",
    "created_at",
    "updated_at",
];

impl Voting<'_> {
    pub fn write_reviews(&self, conn: &mut Conn) -> Result<()> {
        let weights: Vec<f64> = self.servers.iter().map(|server| 1.0 / (server.rank as f64 + 4.0).powf(0.7)).collect();
        // Where there are reviews for all, every server has one to show.
        let least = usize::from(self.scale.reviews >= self.servers.len());
        let counts = apportion(&weights, self.scale.reviews, least);
        conn.bulk_insert("reviews", COLUMNS, |insert| {
            for (index, server) in self.servers.iter().enumerate() {
                let mut dice = self.seed.dice(Of::Reviews, index);
                let ratings = if server.rank % DISLIKED_EVERY == DISLIKED_EVERY - 1 && server.rank > LIKED_RANKS {
                    DISLIKED
                } else {
                    LIKED
                };
                let mut reviewers: Vec<usize> = Vec::new();
                for (row, at) in
                    self.review_times(&mut dice, server.rank, server.created_at, counts[index]).into_iter().enumerate()
                {
                    let last = &reviewers[reviewers.len().saturating_sub(MOST_REVIEWERS)..];
                    let player = players::someone(&mut dice, self.players, at, last);
                    reviewers.push(player);
                    let rating = rating(&mut dice, ratings);
                    let language = if dice.chance(0.6) { server.place.language } else { Language::English };
                    let account = self.accounts.get(player).filter(|_| dice.chance(0.9));
                    let edited = if dice.chance(0.15) { dice.between(MINUTE, 20 * DAY).min(self.now - at) } else { 0 };
                    insert(values![
                        servers::number(index),
                        row as i64 + 1,
                        id::encode(self.seed.id(Of::Reviews, index, row)),
                        account.copied(),
                        players::number(player),
                        &self.players[player].nickname,
                        rating,
                        content(&mut dice, language, rating, server.mode.name),
                        at,
                        at + edited,
                    ])?;
                }
            }
            Ok(())
        })
    }

    fn review_times(&self, dice: &mut Dice, rank: usize, created_at: i64, count: usize) -> Vec<i64> {
        let age = (self.now - created_at).min((players::ELDER_DAYS - 1) * DAY);
        let mut ages: Vec<i64> = (0..count).map(|_| dice.ago(MINUTE, age)).collect();
        if let Some(newest) = ages.first_mut().filter(|_| rank < BUSY_RANK) {
            *newest = dice.between(MINUTE, HOUR);
        }
        ages.sort_unstable();
        for i in 1..ages.len() {
            ages[i] = ages[i].max(ages[i - 1] + 1);
        }
        ages.iter().rev().map(|age| self.now - age).collect()
    }
}

fn rating(dice: &mut Dice, shares: [f64; 5]) -> i64 {
    super::rng::Shares::new(shares).draw(dice) as i64 + 1
}

fn content(dice: &mut Dice, language: Language, rating: i64, mode: &str) -> String {
    let voice = voice(language);
    let [openings, remarks] = match rating {
        4..=5 => voice.praise,
        3 => voice.doubt,
        _ => voice.complaint,
    };
    let (opening, remark) = (dice.pick(openings), dice.pick(remarks));
    let said = if dice.chance(0.3) { opening.to_owned() } else { format!("{opening} {remark}") };
    said.replace("{mode}", mode)
}
