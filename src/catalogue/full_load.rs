//! Everything the catalogue holds, loaded from the store on all cores: a service that starts is waited for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::try_join_all;

use super::leaderboard_snapshot::Standings;
use super::leaderboards::{Boards, Points};
use super::players::Players;
use super::row_ids::Numbers;
use super::servers::Servers;
use super::textures::Textures;
use super::{POISON, at_length, cores, leaderboard_updates};
use rollcall_model::resources::Pictures;
use rollcall_model::score::RankInput;
use rollcall_store::changes::{self, State};
use rollcall_store::{Conn, Pool, Result};

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

/// When one of so many players or more has moved, to count all is as quick as to look for them.
const FEW_MOVED: usize = 4;

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
            let votes = pool.read(move |conn| rollcall_store::servers::recent_votes(conn, now));
            let lists = pool.read(move |conn| conn.snapshot(|conn| lists(conn, &pictures, now)));
            let (votes, mut lists, people) = tokio::try_join!(votes, lists, people(pool, now))?;
            at_length(|| {
                let aged = lists.servers.aged(&votes, now);
                lists.servers.take_aged(aged);
            });
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
    rollcall_store::servers::all(conn, |rows| servers.load(rows, pictures, now))?;
    servers.sort();
    let (is_skin, is_cape): (Vec<_>, Vec<_>) =
        rollcall_store::textures::changed_since(conn, changes::START)?.into_iter().partition(|texture| texture.is_skin);
    let (mut skins, mut capes) = (Textures::default(), Textures::default());
    skins.apply(is_skin, pictures);
    capes.apply(is_cape, pictures);
    Ok(Lists { state, servers, skins, capes })
}

async fn people(pool: &Pool, now: i64) -> Result<People> {
    let directory = pool.read(|conn| {
        conn.snapshot(|conn| Ok((changes::state(conn)?, directory(conn)?, rollcall_store::servers::hidden(conn)?)))
    });
    let ((state, (players, all_time), hidden), kept) = tokio::try_join!(directory, Standings::load(pool))?;
    let numbers = players.numbers();
    let (points, whom) = match kept {
        Some(kept) => go_on(pool, kept, numbers.clone(), hidden.clone(), now).await?,
        None => from_the_beginning(&numbers),
    };
    let (points, next) = (Mutex::new(points), AtomicUsize::new(0));
    let counting = Arc::new(Counting { numbers, whom, all_time, hidden, now, next, points });
    // It is the longest part by far. Whoever plays meanwhile has a newer rev, and moves next time.
    let count = |_| {
        let counting = counting.clone();
        pool.read(move |conn| conn.snapshot(|conn| counting.run(conn)))
    };
    try_join_all((0..cores()).map(count)).await?;
    let counting = Arc::into_inner(counting);
    let Counting { numbers, hidden, points, .. } =
        counting.ok_or_else(|| rollcall_store::Error::Unavailable("the players are still counted".into()))?;
    let points = points.into_inner().expect(POISON);
    let boards = at_length(|| leaderboard_updates::build(&numbers, points, &hidden, state.rev, now));
    Ok(People { state, players, boards })
}

/// Points that are known, in the order of the players' numbers, and who is to be counted, by the same order.
type Known = (Points, Vec<u32>);

/// Nobody has any, and all are counted.
fn from_the_beginning(numbers: &Numbers) -> Known {
    (Points::of_nobody(numbers.len()), (0..numbers.len() as u32).collect())
}

/// Only who moved since then is counted, unless those are a good part of all.
async fn go_on(pool: &Pool, kept: Standings, numbers: Arc<Numbers>, hidden: Vec<i64>, now: i64) -> Result<Known> {
    pool.read(move |conn| {
        let moved = conn.snapshot(|conn| leaderboard_updates::moved(conn, &kept.as_of, &numbers, &hidden, now))?;
        if moved.count() > numbers.len() / FEW_MOVED {
            return Ok(from_the_beginning(&numbers));
        }
        let rising = numbers.rising();
        let whom = (0u32..).zip(rising.iter()).filter(|(_, place)| moved.get(**place)).map(|(i, _)| i).collect();
        Ok((kept.among(&numbers), whom))
    })
    .await
}

/// Everybody's points, counted by several at once: each takes the next players until none are left.
struct Counting {
    numbers: Arc<Numbers>,
    /// Who is counted, in the order of their numbers and by it.
    whom: Vec<u32>,
    /// By their places.
    all_time: Vec<RankInput>,
    hidden: Vec<i64>,
    now: i64,
    /// Of `whom`.
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
            let Some(whom) = self.whom.get(first..).filter(|rest| !rest.is_empty()) else { return Ok(()) };
            let whom = &whom[..whom.len().min(COUNTED_AT_ONCE)];
            let places: Vec<u32> = whom.iter().map(|&i| rising[i as usize]).collect();
            let points = leaderboard_updates::count(conn, &self.numbers, &places, &self.hidden, &all_time, self.now)?;
            self.points.lock().expect(POISON).put(whom, &points);
        }
    }
}

/// With what each is ranked by of all time. Boards that are kept ask the store for that.
fn directory(conn: &mut Conn) -> Result<(Players, Vec<RankInput>)> {
    let (mut players, mut all_time) = (Players::default(), Vec::new());
    rollcall_store::players::all(conn, |row| {
        players.put(&row);
        all_time.push(row.rank_input());
    })?;
    players.sort();
    Ok((players, all_time))
}
