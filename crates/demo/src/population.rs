//! Which players are on which server after the generated history, as a function of time.
//!
//! They go on as before: their sessions come from the generator of the history, at the same rates and on the same servers.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use super::players;
use super::rng::Stream;
use super::sessions::{DemoSession, PlayerHabits, STILL_RUNNING, SessionGenerator, session_seconds};
use super::world::DemoWorld;
use rollcall_model::time::{DAY, SECOND};

/// The most names that a server lists in its status.
pub const MAX_SAMPLE: usize = 12;
/// Sessions are drawn for a slice of time at once. Longer than any session, so that two slices hold all that run at a time.
const SLICE: i64 = DAY;
/// The slice of the sessions that were running when the history ended.
const RUNNING: i64 = -1;

/// The sessions of a slice by server.
type SliceSessions = Vec<Vec<DemoSession>>;

pub struct Population {
    world: Arc<DemoWorld>,
    habits: Vec<PlayerHabits>,
    running: HashMap<u32, DemoSession>,
    /// Nicknames and UUIDs.
    names: Vec<(String, String)>,
    /// The slices in use.
    slices: Mutex<BTreeMap<i64, Arc<SliceSessions>>>,
}

impl Population {
    pub fn new(world: Arc<DemoWorld>) -> Arc<Self> {
        let DemoWorld { seed, now, size, players, servers, sessions, .. } = &*world;
        let generator = SessionGenerator::new(*seed, *now, size, players, servers);
        let habits = (0..players.len()).map(|player| generator.habits(player).0).collect();
        let running = sessions.running.iter().map(|session| {
            let mut session = *session;
            if session.seconds == STILL_RUNNING {
                let rest = session_seconds(&mut seed.rng(Stream::Population, session.player as usize));
                session.seconds = ((now - session.joined_at) / SECOND) as u32 + rest;
            }
            (session.player, session)
        });
        let running = running.collect();
        let names = players.iter().enumerate();
        let names = names.map(|(index, player)| (player.nickname.clone(), players::game_uuid(*seed, index))).collect();
        Arc::new(Self { habits, running, names, slices: Mutex::default(), world })
    }

    /// The listed players of a server with `player_count` players, at most that many; those who came first come first.
    pub fn on_server(&self, server: usize, at: i64, player_count: i64) -> Vec<(String, String)> {
        let mut present = self.sessions_at(server, at);
        present.sort_unstable_by_key(|session| (session.joined_at, session.player));
        present.truncate(usize::try_from(player_count).unwrap_or(0));
        present.iter().map(|session| self.names[session.player as usize].clone()).collect()
    }

    fn sessions_at(&self, server: usize, at: i64) -> Vec<DemoSession> {
        let slice = (at - self.world.now).div_euclid(SLICE).max(RUNNING);
        let slices = [(slice - 1).max(RUNNING), slice].map(|slice| self.slice(slice));
        let [before, current] = &slices;
        let older = if Arc::ptr_eq(before, current) { &[][..] } else { before[server].as_slice() };
        let is_present = |session: &&DemoSession| session.joined_at <= at && at < session.left_at();
        older.iter().chain(&current[server]).filter(is_present).copied().collect()
    }

    fn slice(&self, slice: i64) -> Arc<SliceSessions> {
        let mut slices = self.slices.lock().expect("no thread panics while it holds this lock");
        // Time goes forward: earlier slices are not needed again.
        slices.retain(|&kept, _| kept >= slice - 1);
        Arc::clone(slices.entry(slice).or_insert_with(|| Arc::new(self.draw(slice))))
    }

    fn draw(&self, slice: i64) -> SliceSessions {
        let mut by_server = vec![Vec::new(); self.world.servers.len()];
        for player in 0..self.habits.len() {
            let own = self.sessions_of(player, slice);
            let next = self.sessions_of(player, slice + 1).first().map(|session| session.joined_at);
            for (index, mut session) in own.iter().copied().enumerate() {
                // A player is on one server at a time.
                if let Some(next) = own.get(index + 1).map(|next| next.joined_at).or(next) {
                    let most = (next - session.joined_at - SECOND).max(0) / SECOND;
                    session.seconds = session.seconds.min(u32::try_from(most).unwrap_or(u32::MAX));
                }
                by_server[session.server as usize].push(session);
            }
        }
        by_server
    }

    /// The sessions of a player that begin in a slice, oldest first.
    fn sessions_of(&self, player: usize, slice: i64) -> Vec<DemoSession> {
        let DemoWorld { seed, now, servers, .. } = &*self.world;
        if slice == RUNNING {
            return self.running.get(&(player as u32)).copied().into_iter().collect();
        }
        let is_open = |server: u32, at: i64| {
            let server = &servers[server as usize];
            // Bedrock servers list no names.
            !server.version.bedrock && !server.curve.is_offline(at)
        };
        let stream = (slice as usize + 1) * self.habits.len() + player;
        let until = now + (slice + 1) * SLICE;
        self.habits[player].sessions(&mut seed.rng(Stream::Population, stream), until, SLICE, &is_open)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::WorldSize;
    use rollcall_model::time::{HOUR, MINUTE};

    const NOW: i64 = 1_763_200_000_000;
    const HOURS: i64 = 12;

    fn demo() -> Arc<DemoWorld> {
        Arc::new(DemoWorld::generate(1, NOW, &WorldSize::demo()))
    }

    /// `(server, name)` of everyone listed.
    fn listed(population: &Population, at: i64) -> HashSet<(usize, String)> {
        let servers = 0..population.world.servers.len();
        servers
            .flat_map(|server| {
                let names = population.on_server(server, at, 10_000).into_iter();
                names.map(move |(name, _)| (server, name))
            })
            .collect()
    }

    #[test]
    fn sessions_begin_as_often_as_before() {
        let world = demo();
        let population = Population::new(Arc::clone(&world));
        let before = |hour: i64| {
            let hours = NOW - (hour + 1) * HOUR..NOW - hour * HOUR;
            world.sessions.past.iter().filter(|session| hours.contains(&session.joined_at)).count()
        };
        let range = (0..24).map(before).fold((usize::MAX, 0), |(low, high), n| (low.min(n), high.max(n)));
        let mut present = listed(&population, NOW);
        assert!(present.len() > 40, "those who were online stay: {}", present.len());
        for hour in 0..HOURS {
            let mut began = 0;
            for minute in 1..=60 {
                let now = listed(&population, NOW + hour * HOUR + minute * MINUTE);
                began += now.difference(&present).count();
                let players: HashSet<&String> = now.iter().map(|(_, name)| name).collect();
                assert_eq!(players.len(), now.len(), "a player is on one server at a time");
                present = now;
            }
            assert!((range.0..=range.1).contains(&began), "hour {hour}: {began}, before {range:?}");
        }
    }

    #[test]
    fn sessions_last_across_the_end_of_a_slice() {
        let population = Population::new(demo());
        let border = NOW + SLICE;
        let (before, after) = (listed(&population, border - SECOND), listed(&population, border + SECOND));
        assert!(before.intersection(&after).count() > 5, "{before:?} {after:?}");
        assert!(before.difference(&after).count() < 3, "{before:?} {after:?}");
    }

    #[test]
    fn a_server_lists_no_more_names_than_players() {
        let population = Population::new(demo());
        let most = |count| (0..population.world.servers.len()).map(|s| population.on_server(s, NOW, count).len()).max();
        assert_eq!((most(0), most(2)), (Some(0), Some(2)));
    }
}
