//! Everything the catalogue holds, loaded from the store on all cores: a service that starts is waited for.

use std::sync::Arc;

use super::boards::{Boards, Points};
use super::numbers::Numbers;
use super::players::Players;
use super::ranking;
use super::servers::Servers;
use super::textures::Textures;
use crate::model::resources::Pictures;
use crate::store::changes::{self, State};
use crate::store::{self, Conn, Pool, Result};

pub struct Whole {
    /// The oldest of what was loaded: what came later is taken in again, which changes nothing.
    pub state: State,
    pub servers: Servers,
    pub players: Players,
    pub boards: Boards,
    pub skins: Textures,
    pub capes: Textures,
}

/// What is listed.
struct Lists {
    state: State,
    servers: Servers,
    skins: Textures,
    capes: Textures,
}

/// Who plays, and what he is ranked by.
struct People {
    state: State,
    players: Players,
    boards: Boards,
}

impl Whole {
    pub async fn load(pool: &Pool, pictures: &Pictures, now: i64) -> Result<Self> {
        loop {
            let pictures = pictures.clone();
            let lists = pool.read(move |conn| conn.snapshot(|conn| lists(conn, &pictures, now)));
            let (lists, people) = tokio::try_join!(lists, people(pool, now))?;
            let Lists { state, servers, skins, capes } = lists;
            let People { state: of_people, players, boards } = people;
            // When everything changed meanwhile, the two do not fit together.
            if state.epoch == of_people.epoch {
                let state = if of_people.rev < state.rev { of_people } else { state };
                return Ok(Self { state, servers, players, boards, skins, capes });
            }
        }
    }
}

fn lists(conn: &mut Conn, pictures: &Pictures, now: i64) -> Result<Lists> {
    let state = changes::state(conn)?;
    let mut servers = Servers::default();
    store::servers::all(conn, |rows| servers.load(rows, pictures, now))?;
    servers.sort();
    let aged = servers.aged(&store::servers::recent_votes(conn, now)?, now);
    servers.take_aged(aged);
    let (is_skin, is_cape): (Vec<_>, Vec<_>) =
        store::textures::changed_since(conn, changes::START)?.into_iter().partition(|texture| texture.is_skin);
    let (mut skins, mut capes) = (Textures::default(), Textures::default());
    skins.apply(is_skin, pictures);
    capes.apply(is_cape, pictures);
    Ok(Lists { state, servers, skins, capes })
}

async fn people(pool: &Pool, now: i64) -> Result<People> {
    let directory = pool.read(|conn| {
        conn.snapshot(|conn| Ok((changes::state(conn)?, directory(conn)?, store::servers::hidden(conn)?)))
    });
    let (state, players, hidden) = directory.await?;
    let (players, hidden) = (Arc::new(players), Arc::new(hidden));
    // Half of them each: it is the longest part by far. Whoever plays meanwhile has a newer rev, and moves next time.
    let half = |part: usize| {
        let (players, hidden) = (players.clone(), hidden.clone());
        pool.read(move |conn| {
            let numbers = players.numbers();
            let places = halves(&numbers)[part];
            let all_time = |places: &[u32]| players.rank_inputs(places);
            conn.snapshot(|conn| ranking::count(conn, &numbers, places, &hidden, &all_time, now))
        })
    };
    let (mut points, second): (Points, Points) = tokio::try_join!(half(0), half(1))?;
    points.append(second);
    let boards = tokio::task::block_in_place(|| ranking::build(&players.numbers(), points, &hidden, state.rev, now));
    let players =
        Arc::into_inner(players).ok_or_else(|| store::Error::Unavailable("the players are still read".into()))?;
    Ok(People { state, players, boards })
}

fn halves(numbers: &Numbers) -> [&[u32]; 2] {
    let (first, second) = numbers.rising().split_at(numbers.len() / 2);
    [first, second]
}

fn directory(conn: &mut Conn) -> Result<Players> {
    let mut players = Players::default();
    store::players::changed_since(conn, changes::START, |row| players.put(&row))?;
    players.sort();
    Ok(players)
}
