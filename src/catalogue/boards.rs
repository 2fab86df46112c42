//! Leaderboards of every metric and period, computed in the background and walked in memory.

use std::collections::HashMap;

use super::bits::Bits;
use super::players::Players;
use crate::model::period::Period;
use crate::model::score::{self, RankInput};
use crate::store::{Conn, Result, sessions, stats};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    Best,
    Sessions,
    Servers,
}

impl Metric {
    pub const ALL: [Metric; 3] = [Self::Best, Self::Sessions, Self::Servers];

    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Sessions => "sessions",
            Self::Servers => "servers",
        }
    }

    fn of(self, input: &RankInput) -> f64 {
        match self {
            Self::Best => score::rank_score(input),
            Self::Sessions => input.sessions as f64,
            Self::Servers => input.servers as f64,
        }
    }
}

/// Players by value, best first. Who has nothing to show in the period is not on the board.
#[derive(Default)]
pub struct Board {
    places: Vec<u32>,
    values: Vec<f64>,
}

pub struct Standing {
    pub place: u32,
    pub rank: u32,
    pub value: f64,
}

impl Board {
    fn build(mut scored: Vec<(u32, f64)>, players: &Players) -> Self {
        scored.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| players.number(a.0).cmp(&players.number(b.0))));
        Self { places: scored.iter().map(|s| s.0).collect(), values: scored.iter().map(|s| s.1).collect() }
    }

    /// A page of the players selected, each with his rank on the whole board.
    pub fn page(&self, selected: Option<&Bits>, offset: u64, limit: usize) -> (Vec<Standing>, u64) {
        let Ok(offset) = usize::try_from(offset) else { return (Vec::new(), self.total(selected)) };
        let stand =
            |i: usize| Standing { place: self.places[i], rank: self.rank(self.values[i]), value: self.values[i] };
        let page = match selected {
            None => (offset.min(self.places.len())..self.places.len()).take(limit).map(stand).collect(),
            Some(bits) => (0..self.places.len())
                .filter(|&i| bits.get(self.places[i]))
                .skip(offset)
                .take(limit)
                .map(stand)
                .collect(),
        };
        (page, self.total(selected))
    }

    fn total(&self, selected: Option<&Bits>) -> u64 {
        match selected {
            None => self.places.len() as u64,
            Some(bits) => self.places.iter().filter(|&&place| bits.get(place)).count() as u64,
        }
    }

    /// One more than the players with a higher value: equals share it.
    pub fn rank(&self, value: f64) -> u32 {
        self.values.partition_point(|&v| v > value) as u32 + 1
    }
}

#[derive(Default)]
pub struct Boards {
    pub generated_at: i64,
    boards: HashMap<(Metric, Period), Board>,
}

impl Boards {
    pub fn get(&self, metric: Metric, period: Period) -> Option<&Board> {
        self.boards.get(&(metric, period))
    }
}

/// What happened in each period that ends now, summed per player. Read from the store before the catalogue is
/// locked, since it takes a while.
pub fn sums(conn: &mut Conn, now: i64) -> Result<Vec<(Period, HashMap<i64, RankInput>)>> {
    let mut out = Vec::new();
    for period in Period::ALL {
        if period.length().is_none() {
            continue;
        }
        let since = period.since(now);
        let mut inputs: HashMap<i64, RankInput> = HashMap::new();
        for sum in sessions::sums_since(conn, since)? {
            let input = inputs.entry(sum.player_n).or_default();
            input.play_time_s = sum.play_time;
            input.sessions = sum.sessions;
            input.servers = sum.servers;
        }
        for (player_n, kills, wins) in stats::gains_since(conn, since)? {
            let input = inputs.entry(player_n).or_default();
            input.kills = kills;
            input.wins = wins;
        }
        out.push((period, inputs));
    }
    Ok(out)
}

/// All boards from the players' all-time figures and the periods' sums.
pub fn build(players: &Players, sums: Vec<(Period, HashMap<i64, RankInput>)>, now: i64) -> Boards {
    let mut boards = HashMap::new();
    let all_time: Vec<(u32, RankInput)> =
        (0..players.len() as u32).map(|place| (place, players.rank_input(place))).collect();
    for metric in Metric::ALL {
        boards.insert((metric, Period::AllTime), board(metric, &all_time, players));
    }
    drop(all_time);
    for (period, inputs) in sums {
        let inputs: Vec<(u32, RankInput)> = inputs
            .into_iter()
            .filter_map(|(n, mut input)| {
                let place = players.place(n)?;
                input.tier_points = players.rank_input(place).tier_points;
                Some((place, input))
            })
            .collect();
        for metric in Metric::ALL {
            boards.insert((metric, period), board(metric, &inputs, players));
        }
    }
    Boards { generated_at: now, boards }
}

fn board(metric: Metric, inputs: &[(u32, RankInput)], players: &Players) -> Board {
    let scored = inputs.iter().map(|(place, input)| (*place, metric.of(input))).filter(|(_, value)| *value > 0.0);
    Board::build(scored.collect(), players)
}
