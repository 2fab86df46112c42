//! Values from the data that requests are made of: slugs, player ids, filter values.

use rollcall_search::fold;
use rollcall_store::players::ambiguous_names;
use rollcall_store::{Conn, Result};

use crate::data::BenchStore;

/// Players that requests name, about; more would only take memory.
const PLAYERS: usize = 200_000;

pub struct RequestValues {
    /// Of public servers.
    pub slugs: Vec<String>,
    pub countries: Vec<String>,
    pub versions: Vec<String>,
    pub tags: Vec<String>,
    pub modes: Vec<String>,
    pub skins: Vec<String>,
    /// The words that skins are tagged and named with, and the accounts that own them.
    pub skin_tags: Vec<String>,
    pub skin_owners: Vec<String>,
    pub players: Vec<PlayerNames>,
    pub player_count: usize,
    pub most_voted: MostVotedServer,
    /// The numbers of the oldest and of the newest event.
    pub events: (i64, i64),
    /// Accounts that may hold keys.
    pub accounts: Vec<String>,
}

/// The three ways to name a player in a URL.
pub struct PlayerNames {
    pub id: String,
    pub uuid: String,
    pub nickname: String,
    /// The last segment of the address of the page; every other one redirects.
    pub page: String,
}

pub struct MostVotedServer {
    pub slug: String,
    pub votes: usize,
    pub reviews: usize,
}

impl RequestValues {
    pub fn read(store: &BenchStore) -> Result<Self> {
        let mut conn = Conn::open_existing(&store.database())?;
        let public = "visibility = 'PUBLIC'";
        let mut texts = |sql: &str| conn.query(sql, &[], |row| row.get::<String>(0));
        let slugs = texts(&format!("select slug from servers where {public} order by n"))?;
        let most_common = |column: &str, table: &str| {
            format!(
                "select {column} from {table} where {column} is not null group by {column} order by count(*) desc limit 40"
            )
        };
        let countries = texts(&most_common("country", "servers"))?;
        let versions = texts(&most_common("version", "servers"))?;
        let modes = texts(&most_common("game_mode", "servers"))?;
        let tags = texts(&most_common("tag", "server_tags"))?;
        let skins = texts("select slug from textures where kind = 'skin' order by n")?;
        let skin_tags = texts(&most_common("tag", "texture_tags"))?;
        let skin_owners = texts(
            "select a.username from textures t join accounts a on a.n = t.owner_n group by a.username
             order by count(*) desc, a.username limit 40",
        )?;
        let accounts = texts("select username from accounts order by n limit 20")?;
        let events = conn.query_one("select min(n), max(n) from events", &[], |row| (row.get(0), row.get(1)))?;
        let mut count = |sql: &str| conn.query_one(sql, &[], |row| row.get::<i64>(0)).map(|count| count as usize);
        let player_count = count("select count(*) from players")?;
        let step = (player_count / PLAYERS).max(1);
        let mut players = conn.query(
            &format!("select id, game_uuid, nickname from players where n % {step} = 0 order by n"),
            &[],
            |row| PlayerNames { id: row.get(0), uuid: row.get(1), nickname: row.get(2), page: String::new() },
        )?;
        set_pages(&mut conn, &mut players)?;
        let most_voted = conn.query_one(
            &format!(
                "select slug, total_votes, rating_count from servers where {public} order by total_votes desc, id limit 1"
            ),
            &[],
            |row| MostVotedServer {
                slug: row.get(0),
                votes: row.get::<i64>(1) as usize,
                reviews: row.get::<i64>(2) as usize,
            },
        )?;
        Ok(Self {
            slugs,
            countries,
            versions,
            tags,
            modes,
            skins,
            skin_tags,
            skin_owners,
            players,
            player_count,
            most_voted,
            events,
            accounts,
        })
    }
}

/// A nickname that several players have is no address.
fn set_pages(conn: &mut Conn, players: &mut [PlayerNames]) -> Result<()> {
    for chunk in players.chunks_mut(256) {
        let names: Vec<String> =
            chunk.iter().flat_map(|player| [fold(&player.nickname), player.nickname.clone()]).collect();
        let ambiguous = ambiguous_names(conn, &names)?;
        for player in chunk {
            let is_plain = player.nickname.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            let is_own = is_plain && !ambiguous.contains(&fold(&player.nickname));
            player.page = if is_own { &player.nickname } else { &player.id }.clone();
        }
    }
    Ok(())
}
