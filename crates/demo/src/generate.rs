//! Puts a world into the store, in one transaction: whoever looks sees the old one or the new one.

use super::accounts::Account;
use super::pictures::{Album, Known, Pictures, shared};
use super::players::Player;
use super::progress::Progress;
use super::rng::Seed;
use super::scale::Scale;
use super::servers::{Paintings, Server};
use super::sessions::Session;
use super::textures::{Texture, Textures};
use super::votes::Voting;
use super::{accounts, clear, history, players, servers, sessions, stats, textures};
use rollcall_store::builtin_skins;
use rollcall_store::values;
use rollcall_store::{Conn, server_stats, totals};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] rollcall_store::Error),
    #[error(transparent)]
    Media(#[from] rollcall_store::media::Error),
    #[error("{0}")]
    Refused(String),
}

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    pub servers: usize,
    pub players: usize,
    pub sessions: usize,
    pub accounts: usize,
    pub textures: usize,
}

/// Everything that is imagined before the store is touched.
pub(super) struct World {
    pub seed: Seed,
    pub now: i64,
    pub scale: Scale,
    pub servers: Vec<Server>,
    pub players: Vec<Player>,
    pub accounts: Vec<Account>,
    pub textures: Vec<Texture>,
    pub sessions: Vec<Session>,
}

impl World {
    pub fn imagine(seed: u64, now: i64, scale: &Scale) -> Self {
        let seed = Seed(seed);
        let servers = servers::imagine(seed, now, scale);
        let players = players::imagine(seed, now, scale);
        Self {
            seed,
            now,
            accounts: accounts::imagine(seed, scale, &players),
            textures: textures::imagine(seed, now, scale),
            sessions: sessions::imagine(seed, now, scale, &players, &servers),
            servers,
            players,
            scale: scale.clone(),
        }
    }

    /// Writes every row but the totals. The tables must be empty, accounts and built-in skins excepted.
    pub fn write(&self, conn: &mut Conn, album: &Album, progress: &Progress) -> rollcall_store::Result<()> {
        let rev: i64 =
            conn.one("update store_state set epoch = epoch + 1, rev = rev + 1 returning rev", &[], |row| row.get(0))?;
        progress.step("accounts, skins and capes");
        let builtin = builtin_skins::ensure_builtin(conn, &album.builtin)?;
        let accounts = accounts::write(conn, &self.accounts, |i| shared(&album.avatars, i))?;
        let textures = Textures {
            textures: &self.textures,
            accounts: &accounts,
            builtin: &builtin,
            builtin_pictures: &album.builtin,
            rev,
        };
        let wardrobe = textures.write(conn, |i| album.texture(i))?;
        textures.write_applause(conn, self.seed, &wardrobe)?;
        progress.step("servers");
        let paintings = Paintings {
            icon: &|i| shared(&album.icons, i),
            banner: &|i| shared(&album.banners, i),
            motd: &|i| shared(&album.motds, i),
        };
        servers::write(conn, &self.servers, &accounts, &paintings, self.scale.tracked, rev)?;
        progress.add(self.servers.len() as u64);
        progress.step("players");
        players::write(conn, self.seed, self.now, &self.players, &self.sessions, &wardrobe, rev)?;
        progress.add(self.players.len() as u64 * 2);
        progress.step("sessions");
        sessions::write(conn, self.seed, &self.sessions)?;
        progress.add(self.sessions.len() as u64);
        stats::write(conn, self.seed, &self.players, &self.sessions, self.scale.stats_every)?;
        progress.step("votes");
        let voting = Voting {
            seed: self.seed,
            now: self.now,
            scale: &self.scale,
            servers: &self.servers,
            players: &self.players,
            accounts: &accounts,
        };
        voting.write(conn, progress)?;
        progress.step("reviews and posts");
        voting.write_reviews(conn)?;
        voting.write_posts(conn)?;
        progress.step("history");
        history::write(conn, &self.servers, &self.scale, self.now, progress)?;
        continue_numbers(conn)
    }

    pub fn made(&self) -> Made {
        Made {
            servers: self.servers.len(),
            players: self.players.len(),
            sessions: self.sessions.len(),
            accounts: self.accounts.len(),
            textures: self.textures.len(),
        }
    }
}

/// PostgreSQL does not notice rows that bring their number along; the next row must not take one of those.
fn continue_numbers(conn: &mut Conn) -> rollcall_store::Result<()> {
    if conn.is_postgres() {
        for table in ["accounts", "textures", "servers", "players"] {
            conn.query(
                &format!("select setval(pg_get_serial_sequence('{table}', 'n'), (select max(n) from {table}))"),
                &[],
                |_| (),
            )?;
        }
    }
    Ok(())
}

/// Replaces the store's content by the world of `seed` as it stands at `now`. Keys, other people's accounts and
/// the built-in skins stay.
pub fn generate(
    conn: &mut Conn,
    seed: u64,
    now: i64,
    scale: &Scale,
    pictures: &Pictures,
    progress: &Progress,
) -> Result<Made, Error> {
    let world = World::imagine(seed, now, scale);
    progress.begin(pictures.count(world.servers.len(), world.textures.len(), world.accounts.len()));
    // Drawn first: a picture nobody refers to harms nobody, a long transaction does.
    let album = pictures.draw(&world, &Known::read(conn, seed)?, progress)?;
    progress.begin(scale.rows());
    conn.transaction(|conn| {
        clear::clear(conn)?;
        world.write(conn, &album, progress)?;
        progress.step("totals");
        server_stats::refresh_all(conn, now)?;
        totals::recompute(conn, &totals::Scope::All)?;
        conn.execute("update store_state set demo_seed = $1, demo_until = $2", values![seed.cast_signed(), now])?;
        rollcall_store::Result::Ok(())
    })?;
    progress.finish();
    Ok(world.made())
}
