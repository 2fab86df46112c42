//! A generated world: everything is computed in memory first, then inserted.

use super::accounts::{self, DemoAccount};
use super::generate::GeneratedCounts;
use super::pictures::PicturePaths;
use super::players::{self, DemoPlayer};
use super::progress::GenerateProgress;
use super::rng::WorldSeed;
use super::servers::{self, DemoServer};
use super::sessions::{self, GeneratedSessions, SessionGenerator};
use super::textures::{self, DemoTexture};
use super::world_size::WorldSize;
use super::{outages, player_stats, reviews, sample_history, update_posts, votes};
use rollcall_store::{Conn, builtin_skins, bulk_load};

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

    /// Inserts every row except derived totals. The tables must be empty, apart from accounts and built-in skins.
    pub fn insert(
        &self,
        conn: &mut Conn,
        pictures: &PicturePaths,
        progress: &GenerateProgress,
    ) -> rollcall_store::Result<()> {
        let rev = bulk_load::begin_revision(conn)?;
        progress.set_step("accounts, skins and capes");
        let builtin = builtin_skins::ensure_builtin(conn, &pictures.builtin)?;
        let account_ns = accounts::insert(conn, &self.accounts, pictures)?;
        let textures = textures::insert(conn, &self.textures, &account_ns, &builtin, pictures, rev)?;
        textures::insert_reactions(conn, self.seed, &self.textures, &account_ns, textures.first_n)?;
        progress.set_step("servers");
        servers::insert(conn, &self.servers, &account_ns, pictures, self.size.tracked, rev)?;
        progress.advance(self.servers.len() as u64);
        progress.set_step("players");
        players::insert(conn, self, &textures, rev)?;
        progress.advance(self.players.len() as u64 * 2);
        progress.set_step("sessions");
        sessions::insert(conn, self.seed, &self.sessions.past)?;
        progress.advance(self.sessions.past.len() as u64);
        player_stats::insert(conn, self.seed, &self.players, &self.sessions.past, self.size.stats_every)?;
        progress.set_step("votes");
        votes::insert(conn, self, &account_ns, progress)?;
        progress.set_step("reviews and posts");
        reviews::insert(conn, self, &account_ns)?;
        update_posts::insert(conn, self, &account_ns)?;
        progress.set_step("history");
        outages::insert(conn, &self.servers)?;
        sample_history::insert(conn, &self.servers, &self.size, self.now, progress)?;
        bulk_load::advance_sequences(conn)
    }

    pub fn counts(&self) -> GeneratedCounts {
        GeneratedCounts {
            servers: self.servers.len(),
            players: self.players.len(),
            sessions: self.sessions.past.len(),
            accounts: self.accounts.len(),
            textures: self.textures.len(),
        }
    }
}
