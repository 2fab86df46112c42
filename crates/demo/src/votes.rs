//! Votes, numbered by server from the oldest.

use super::players::{self, ELDER_DAYS, Player};
use super::progress::Progress;
use super::rng::{Dice, Of, Seed, apportion};
use super::scale::Scale;
use super::servers::{self, Server};
use rollcall_model::id;
use rollcall_model::time::{DAY, SECOND};
use rollcall_store::values;
use rollcall_store::{Conn, Result};

/// The share of votes from before the window.
const OLD_SHARE: f64 = 0.06;
/// Nobody votes again for the same server while he is among the last so many.
const RECENT_VOTERS: usize = 12;
/// The share of votes that people with an account cast without signing in.
const SIGNED_OUT: f64 = 0.15;
/// The largest servers have a vote from the last minutes and a review from the last hour.
pub const BUSY_RANK: usize = 12;

pub struct Voting<'a> {
    pub seed: Seed,
    pub now: i64,
    pub scale: &'a Scale,
    pub servers: &'a [Server],
    pub players: &'a [Player],
    pub accounts: &'a [i64],
}

const COLUMNS: &[&str] = &["server_n", "ordinal", "id", "account_n", "player_n", "game_username", "voted_at"];

impl Voting<'_> {
    pub fn write(&self, conn: &mut Conn, progress: &Progress) -> Result<()> {
        // Where there are votes for all, every server has one to show.
        let least = usize::from(self.scale.votes >= self.servers.len());
        let counts = apportion(&weights(self), self.scale.votes, least);
        conn.bulk_insert("votes", COLUMNS, |insert| {
            for (index, server) in self.servers.iter().enumerate() {
                let mut dice = self.seed.dice(Of::Votes, index);
                let mut recent = [usize::MAX; RECENT_VOTERS];
                let times = self.times(&mut dice, server, counts[index]);
                for (row, &at) in times.iter().enumerate() {
                    let player = players::someone(&mut dice, self.players, at, &recent);
                    recent[row % RECENT_VOTERS] = player;
                    let account = self.accounts.get(player).filter(|_| !dice.chance(SIGNED_OUT));
                    insert(values![
                        servers::number(index),
                        row as i64 + 1,
                        id::encode(self.seed.id(Of::Votes, index, row)),
                        account.copied(),
                        players::number(player),
                        &self.players[player].nickname,
                        at,
                    ])?;
                }
                progress.add(times.len() as u64);
            }
            Ok(())
        })
    }

    /// Oldest first, no two at the same moment.
    fn times(&self, dice: &mut Dice, server: &Server, count: usize) -> Vec<i64> {
        let age = self.now - server.created_at;
        let window = age.min(self.scale.days * DAY);
        let oldest = age.min((ELDER_DAYS - 1) * DAY);
        let mut ages: Vec<i64> = (0..count)
            .map(|row| {
                if row == 0 && server.rank < BUSY_RANK {
                    return dice.between(3 * SECOND, 240 * SECOND);
                }
                let old = oldest > window && dice.chance(OLD_SHARE);
                let (from, to) = if old { (window, oldest) } else { (SECOND, window) };
                dice.ago(from, to)
            })
            .collect();
        ages.sort_unstable();
        for i in 1..ages.len() {
            ages[i] = ages[i].max(ages[i - 1] + 1);
        }
        ages.iter().rev().map(|age| self.now - age).collect()
    }
}

/// Larger servers get more votes, but not in step; young ones had less time.
fn weights(voting: &Voting) -> Vec<f64> {
    let window = (voting.scale.days * DAY) as f64;
    voting
        .servers
        .iter()
        .enumerate()
        .map(|(index, server)| {
            let zeal = voting.seed.dice(Of::Votes, voting.servers.len() + index).log_normal(1.0, 0.6);
            let lived = ((voting.now - server.created_at) as f64 / window).min(1.0);
            zeal * lived / (server.rank as f64 + 1.5).powf(0.75)
        })
        .collect()
}
