//! Generated demo data, and fake game servers that answer in the real protocols.
//!
//! [`generate_demo`] fills a store with the world that `rollcall demo` shows. [`bulk_seed`] fills it with the same kind
//! of rows in bulk, to measure with. Both are deterministic: the same seed, time and size give the same rows and
//! pictures. [`start_demo_servers`] then answers pings as the generated servers would.

mod accounts;
mod activity_curve;
mod bulk_seed;
mod demo_servers;
pub mod fake_servers;
mod generate;
mod insert_world;
mod live_activity;
mod motd;
mod outages;
mod picture_paths;
mod pictures;
mod player_stats;
mod players;
mod population;
mod progress;
mod reporters;
mod reviews;
mod rng;
mod sample_history;
mod servers;
mod sessions;
mod textures;
mod update_posts;
mod vote_receivers;
mod votes;
pub mod words;
mod world;
mod world_size;

#[cfg(test)]
mod tests;

pub use bulk_seed::{BulkSeedOptions, PICTURE_POOL_SIZE, bulk_seed};
pub use demo_servers::{DemoServers, ServerIcons, read_icons, start_demo_servers};
pub use generate::{Error, GeneratedCounts, generate_demo};
pub use live_activity::LiveActivity;
pub use pictures::PictureGenerator;
pub use progress::GenerateProgress;
pub use reporters::DemoReporters;
pub use world_size::WorldSize;
