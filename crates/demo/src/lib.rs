//! Seeded worlds: the demo that shows everything, and bulk data to measure with. One generator, two scales.

mod accounts;
mod clear;
mod curve;
pub mod fake_servers;
mod generate;
mod history;
mod indexes;
mod motd;
mod pictures;
mod players;
mod posts;
mod progress;
mod reviews;
mod rng;
mod scale;
mod seed;
mod servers;
mod sessions;
mod stats;
mod textures;
mod votes;
pub mod words;

#[cfg(test)]
mod tests;

pub use generate::{Error, Made, generate};
pub use pictures::Pictures;
pub use progress::Progress;
pub use scale::Scale;
pub use seed::{POOL, SeedOptions, seed};
