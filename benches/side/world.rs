//! What is in the data, as far as requests are made of it.

use rollcall_store::{Conn, Result};

use crate::data::Store;

/// Players that requests name; more would only take memory.
const PLAYERS: usize = 200_000;

pub struct World {
    /// Of public servers.
    pub slugs: Vec<String>,
    pub countries: Vec<String>,
    pub versions: Vec<String>,
    pub tags: Vec<String>,
    pub modes: Vec<String>,
    pub skins: Vec<String>,
    /// Id, UUID and nickname, each nickname once.
    pub players: Vec<(String, String, String)>,
    pub player_count: usize,
    /// The most-voted server, its votes and its reviews.
    pub voted: (String, usize, usize),
    /// Accounts that may hold keys.
    pub accounts: Vec<String>,
}

impl World {
    pub fn read(store: &Store) -> Result<Self> {
        let mut conn = Conn::open_again(&store.database())?;
        let public = "visibility = 'PUBLIC'";
        let mut texts = |sql: &str| conn.query(sql, &[], |row| row.get::<String>(0));
        let slugs = texts(&format!("select slug from servers where {public} order by n"))?;
        let often = |column: &str, from: &str| {
            format!(
                "select {column} from {from} where {column} is not null group by {column} order by count(*) desc limit 40"
            )
        };
        let countries = texts(&often("country", "servers"))?;
        let versions = texts(&often("version", "servers"))?;
        let modes = texts(&often("game_mode", "servers"))?;
        let tags = texts(&often("tag", "server_tags"))?;
        let skins = texts("select slug from textures where kind = 'skin' order by n")?;
        let accounts = texts("select username from accounts order by n limit 20")?;
        let mut count = |sql: &str| conn.one(sql, &[], |row| row.get::<i64>(0)).map(|count| count as usize);
        let player_count = count("select count(*) from players")?;
        let step = (player_count / PLAYERS).max(1);
        let players = conn.query(
            &format!("select id, game_uuid, nickname from players where n % {step} = 0 order by n"),
            &[],
            |row| (row.get(0), row.get(1), row.get(2)),
        )?;
        let most = format!(
            "select slug, total_votes, rating_count from servers where {public} order by total_votes desc, id limit 1"
        );
        let voted = conn.one(&most, &[], |row| (row.get(0), row.get::<i64>(1) as usize, row.get::<i64>(2) as usize))?;
        Ok(Self { slugs, countries, versions, tags, modes, skins, players, player_count, voted, accounts })
    }
}
