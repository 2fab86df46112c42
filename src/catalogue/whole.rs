//! Everything the catalogue holds, loaded from the store on all cores: a service that starts is waited for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::try_join_all;

use super::boards::{Boards, Points};
use super::numbers::Numbers;
use super::players::Players;
use super::servers::Servers;
use super::textures::Textures;
use super::{POISON, cores, ranking};
use crate::model::resources::Pictures;
use crate::model::score::RankInput;
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

/// Players that are counted before the next are taken.
const COUNTED_AT_ONCE: usize = 2048;

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
    let (state, (players, all_time), hidden) = directory.await?;
    let points = Mutex::new(Points::of_nobody(players.len()));
    let counting = Arc::new(Counting { numbers: players.numbers(), all_time, hidden, now, next: 0.into(), points });
    // It is the longest part by far. Whoever plays meanwhile has a newer rev, and moves next time.
    let count = |_| {
        let counting = counting.clone();
        pool.read(move |conn| conn.snapshot(|conn| counting.run(conn)))
    };
    try_join_all((0..cores()).map(count)).await?;
    let counting = Arc::into_inner(counting);
    let Counting { numbers, hidden, points, .. } =
        counting.ok_or_else(|| store::Error::Unavailable("the players are still counted".into()))?;
    let points = points.into_inner().expect(POISON);
    let boards = tokio::task::block_in_place(|| ranking::build(&numbers, points, &hidden, state.rev, now));
    Ok(People { state, players, boards })
}

/// Everybody's points, counted by several at once: each takes the next players until none are left.
struct Counting {
    numbers: Arc<Numbers>,
    /// By their places.
    all_time: Vec<RankInput>,
    hidden: Vec<i64>,
    now: i64,
    /// Who is counted next, in the order of their numbers.
    next: AtomicUsize,
    points: Mutex<Points>,
}

impl Counting {
    fn run(&self, conn: &mut Conn) -> Result<()> {
        let all_time = |_: &mut Conn, places: &[u32], _: &[i64]| {
            Ok(places.iter().map(|&place| self.all_time[place as usize]).collect())
        };
        let rising = self.numbers.rising();
        loop {
            let first = self.next.fetch_add(COUNTED_AT_ONCE, Ordering::Relaxed);
            let Some(places) = rising.get(first..).filter(|rest| !rest.is_empty()) else { return Ok(()) };
            let places = &places[..places.len().min(COUNTED_AT_ONCE)];
            let points = ranking::count(conn, &self.numbers, places, &self.hidden, &all_time, self.now)?;
            self.points.lock().expect(POISON).put(first, &points);
        }
    }
}

/// With what each is ranked by of all time. Boards that are kept ask the store for that.
fn directory(conn: &mut Conn) -> Result<(Players, Vec<RankInput>)> {
    let (mut players, mut all_time) = (Players::default(), Vec::new());
    store::players::all(conn, |row| {
        players.put(&row);
        all_time.push(row.rank_input());
    })?;
    players.sort();
    Ok((players, all_time))
}
