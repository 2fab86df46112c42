//! Repeatable random numbers. Each generated entity has its own stream, so that a change to one does not shift others.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rollcall_model::hash::splitmix64;

/// Purpose of a stream. The order is part of every generated world: append only.
#[derive(Clone, Copy)]
pub enum Stream {
    Account = 1,
    Server,
    ServerRank,
    ActivityCurve,
    Outages,
    Texture,
    TextureReactions,
    Player,
    Nickname,
    Sessions,
    PlayerStats,
    Votes,
    Reviews,
    UpdatePosts,
    Population,
    LiveVotes,
    LiveReviews,
}

/// The root of all streams and ids of one world.
#[derive(Clone, Copy)]
pub struct WorldSeed(pub u64);

impl WorldSeed {
    pub fn rng(self, stream: Stream, index: usize) -> DemoRng {
        DemoRng(Pcg64Mcg::seed_from_u64(self.hash(stream, index as u64, 0)))
    }

    /// The bits of an id. They depend on the position alone, never on the time. `row` counts within `index`.
    pub fn id_bits(self, stream: Stream, index: usize, row: usize) -> u128 {
        let (index, row) = (index as u64, row as u64);
        u128::from(self.hash(stream, index, row.wrapping_mul(2) + 1)) << 64
            | u128::from(self.hash(stream, index, row.wrapping_mul(2) + 2))
    }

    pub fn hash(self, stream: Stream, index: u64, row: u64) -> u64 {
        splitmix64(splitmix64(splitmix64(self.0 ^ (stream as u64) << 56) ^ index) ^ row)
    }
}

pub struct DemoRng(Pcg64Mcg);

impl DemoRng {
    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.random()
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A whole number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high.max(low))
    }

    /// An index less than `count`.
    pub fn below(&mut self, count: usize) -> usize {
        self.0.random_range(0..count)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0.random()
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &'a [&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// An index less than `count` that favours the first ones. Exponent 1 is uniform; higher exponents are more skewed.
    pub fn skewed_index(&mut self, count: usize, exponent: f64) -> usize {
        ((self.unit().powf(exponent) * count as f64) as usize).min(count - 1)
    }

    /// Standard normal distribution (Box-Muller).
    pub fn normal(&mut self) -> f64 {
        let (a, b) = (1.0 - self.unit(), self.unit());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// `sigma` is the standard deviation of the logarithm.
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        median * (self.normal() * sigma).exp()
    }

    /// An age in milliseconds. Recent ages are somewhat more frequent, as on a site that grows.
    pub fn age(&mut self, min: i64, max: i64) -> i64 {
        min + (self.unit().powf(GROWTH) * (max - min).max(0) as f64) as i64
    }

    /// The number of events where `mean` are expected (Poisson distribution).
    pub fn poisson(&mut self, mean: f64) -> usize {
        let limit = (-mean).exp();
        let (mut count, mut product) = (0, self.unit());
        while product > limit {
            count += 1;
            product *= self.unit();
        }
        count
    }

    /// Uniform on a logarithmic scale: as many between 1 and 10 as between 10 and 100.
    pub fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }
}

/// How much more frequent recent ages are.
const GROWTH: f64 = 1.4;

/// The share of ages up to `max` that [`DemoRng::age`] puts into the last `recent` milliseconds.
pub fn recent_share(recent: i64, max: i64) -> f64 {
    (recent as f64 / max.max(recent).max(1) as f64).powf(1.0 / GROWTH)
}

/// Draws indexes by weight.
pub struct WeightedIndex {
    cumulative: Vec<f64>,
}

impl WeightedIndex {
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = 0.0;
        let add = |weight| {
            sum += weight;
            sum
        };
        Self { cumulative: weights.into_iter().map(add).collect() }
    }

    pub fn draw(&self, rng: &mut DemoRng) -> usize {
        let total = self.cumulative.last().copied().unwrap_or_default();
        let at = rng.unit() * total;
        self.cumulative.partition_point(|&sum| sum <= at).min(self.cumulative.len() - 1)
    }
}

/// Splits `total` by weight into whole parts of at least `min`. The rounding remainder goes to the heaviest first.
pub fn apportion(weights: &[f64], total: usize, min: usize) -> Vec<usize> {
    let sum: f64 = weights.iter().sum();
    let mut parts: Vec<usize> =
        weights.iter().map(|weight| ((weight / sum * total as f64) as usize).max(min)).collect();
    let mut heaviest: Vec<usize> = (0..weights.len()).collect();
    heaviest.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let mut given: usize = parts.iter().sum();
    while given != total {
        let before = given;
        for &i in &heaviest {
            if given < total {
                parts[i] += 1;
                given += 1;
            } else if given > total && parts[i] > min {
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
    fn apportioned_parts_add_up_and_respect_the_minimum() {
        let parts = apportion(&[5.0, 3.0, 0.001], 100, 1);
        assert_eq!(parts.iter().sum::<usize>(), 100);
        assert_eq!(parts[2], 1);
        assert_eq!(apportion(&[1.0, 1.0], 1, 1), [1, 1]);
    }

    #[test]
    fn streams_are_independent_and_repeatable() {
        let seed = WorldSeed(7);
        assert_ne!(seed.rng(Stream::Server, 1).next_u64(), seed.rng(Stream::Server, 2).next_u64());
        assert_ne!(seed.id_bits(Stream::Votes, 1, 2), seed.id_bits(Stream::Votes, 2, 1));
        assert_eq!(seed.rng(Stream::Votes, 3).next_u64(), WorldSeed(7).rng(Stream::Votes, 3).next_u64());
    }

    #[test]
    fn recent_shares_and_event_counts_match_what_is_drawn() {
        let mut rng = WorldSeed(1).rng(Stream::Server, 0);
        let young = (0..20_000).filter(|_| rng.age(0, 1_000) < 100).count();
        assert!((young as f64 / 20_000.0 - recent_share(100, 1_000)).abs() < 0.02, "{young}");
        assert_eq!(recent_share(5, 3), 1.0);
        let events: usize = (0..20_000).map(|_| rng.poisson(0.3)).sum();
        assert!((5_500..6_500).contains(&events), "{events}");
        assert_eq!(rng.poisson(0.0), 0);
    }

    #[test]
    fn weighted_index_never_draws_weight_zero() {
        let weighted = WeightedIndex::new([0.0, 1.0, 0.0]);
        let mut rng = WorldSeed(1).rng(Stream::Server, 0);
        assert!((0..100).all(|_| weighted.draw(&mut rng) == 1));
    }
}
