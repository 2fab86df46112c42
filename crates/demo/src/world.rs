//! A generated world: everything is computed in memory before it is inserted.

use super::accounts::{self, DemoAccount};
use super::players::{self, DemoPlayer};
use super::rng::WorldSeed;
use super::servers::{self, DemoServer};
use super::sessions::{GeneratedSessions, SessionGenerator};
use super::textures::{self, DemoTexture};
use super::world_size::WorldSize;

pub struct DemoWorld {
    pub seed: WorldSeed,
    pub now: i64,
    pub size: WorldSize,
    pub servers: Vec<DemoServer>,
    pub players: Vec<DemoPlayer>,
    pub accounts: Vec<DemoAccount>,
    pub textures: Vec<DemoTexture>,
    pub sessions: GeneratedSessions,
}

impl DemoWorld {
    pub fn generate(seed: u64, now: i64, size: &WorldSize) -> Self {
        let seed = WorldSeed(seed);
        let servers = servers::generate(seed, now, size);
        let players = players::generate(seed, now, size);
        Self {
            seed,
            now,
            accounts: accounts::generate(seed, size, &players),
            textures: textures::generate(seed, now, size),
            sessions: SessionGenerator::new(seed, now, size, &players, &servers).generate(),
            servers,
            players,
            size: size.clone(),
        }
    }
}
