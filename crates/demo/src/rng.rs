//! Chance that can be repeated: every entity draws from a stream of its own, so that changing one shifts no other.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// What a stream of chance is for.
#[derive(Clone, Copy)]
pub enum Of {
    Account = 1,
    Server,
    ServerRank,
    Curve,
    Outages,
    Texture,
    Applause,
    Player,
    Nickname,
    Sessions,
    Stats,
    Votes,
    Reviews,
    Posts,
    Crowd,
}

/// The root of every stream and every id of one world.
#[derive(Clone, Copy)]
pub struct Seed(pub u64);

impl Seed {
    pub fn dice(self, of: Of, index: usize) -> Dice {
        Dice(Pcg64Mcg::seed_from_u64(self.hash(of, index as u64, 0)))
    }

    /// The number behind an id: a function of the place alone, never of the time. `row` counts under `index`.
    pub fn id(self, of: Of, index: usize, row: usize) -> u128 {
        let (index, row) = (index as u64, row as u64);
        u128::from(self.hash(of, index, row.wrapping_mul(2) + 1)) << 64
            | u128::from(self.hash(of, index, row.wrapping_mul(2) + 2))
    }

    pub fn hash(self, of: Of, index: u64, row: u64) -> u64 {
        mix(mix(mix(self.0 ^ (of as u64) << 56) ^ index) ^ row)
    }
}

/// SplitMix64's finaliser: every bit of the input moves every bit of the output.
pub fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

pub struct Dice(Pcg64Mcg);

impl Dice {
    /// From 0 up to, not including, 1.
    pub fn unit(&mut self) -> f64 {
        self.0.random()
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// A whole number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high.max(low))
    }

    pub fn below(&mut self, count: usize) -> usize {
        self.0.random_range(0..count)
    }

    pub fn bits(&mut self) -> u64 {
        self.0.random()
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &'a [&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// An index, the first ones more often: `bend` 1 is even, higher leans further.
    pub fn leaning(&mut self, count: usize, bend: f64) -> usize {
        ((self.unit().powf(bend) * count as f64) as usize).min(count - 1)
    }

    pub fn normal(&mut self) -> f64 {
        let (a, b) = (1.0 - self.unit(), self.unit());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// Half of the draws lie below `median`; `spread` is the deviation of the logarithm.
    pub fn log_normal(&mut self, median: f64, spread: f64) -> f64 {
        median * (self.normal() * spread).exp()
    }

    /// A time ago between the two, recent ones somewhat more often: the site grows.
    pub fn ago(&mut self, least: i64, most: i64) -> i64 {
        const GROWTH: f64 = 1.4;
        least + (self.unit().powf(GROWTH) * (most - least).max(0) as f64) as i64
    }

    /// Even on a logarithmic scale: as many between 1 and 10 as between 10 and 100.
    pub fn log_even(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }
}

/// Weights to draw from, summed once.
pub struct Shares(Vec<f64>);

impl Shares {
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = 0.0;
        Self(
            weights
                .into_iter()
                .map(|weight| {
                    sum += weight;
                    sum
                })
                .collect(),
        )
    }

    pub fn draw(&self, dice: &mut Dice) -> usize {
        let total = self.0.last().copied().unwrap_or_default();
        let at = dice.unit() * total;
        self.0.partition_point(|&sum| sum <= at).min(self.0.len() - 1)
    }
}

/// Splits `total` by weight into whole parts of at least `least`. What rounding leaves goes to the heaviest first.
pub fn apportion(weights: &[f64], total: usize, least: usize) -> Vec<usize> {
    let sum: f64 = weights.iter().sum();
    let mut parts: Vec<usize> =
        weights.iter().map(|weight| ((weight / sum * total as f64) as usize).max(least)).collect();
    let mut heaviest: Vec<usize> = (0..weights.len()).collect();
    heaviest.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let mut given: usize = parts.iter().sum();
    while given != total {
        let before = given;
        for &i in &heaviest {
            if given < total {
                parts[i] += 1;
                given += 1;
            } else if given > total && parts[i] > least {
                parts[i] -= 1;
                given -= 1;
            }
        }
        if given == before {
            break;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_respect_the_least() {
        let parts = apportion(&[5.0, 3.0, 0.001], 100, 1);
        assert_eq!(parts.iter().sum::<usize>(), 100);
        assert_eq!(parts[2], 1);
        assert_eq!(apportion(&[1.0, 1.0], 1, 1), [1, 1]);
    }

    #[test]
    fn streams_do_not_touch_each_other() {
        let seed = Seed(7);
        assert_ne!(seed.dice(Of::Server, 1).bits(), seed.dice(Of::Server, 2).bits());
        assert_ne!(seed.id(Of::Votes, 1, 2), seed.id(Of::Votes, 2, 1));
        assert_eq!(seed.dice(Of::Votes, 3).bits(), Seed(7).dice(Of::Votes, 3).bits());
    }

    #[test]
    fn shares_follow_their_weights() {
        let shares = Shares::new([0.0, 1.0, 0.0]);
        let mut dice = Seed(1).dice(Of::Server, 0);
        assert!((0..100).all(|_| shares.draw(&mut dice) == 1));
    }
}
