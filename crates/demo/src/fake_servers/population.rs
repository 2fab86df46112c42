//! Which players are on which server while the demo runs, as a function of time.
//!
//! Players stay for a while, are never on two servers at once, and may move on to another server.

use std::sync::Arc;

use crate::players::{self, DemoPlayer};
use crate::rng::{Stream, WorldSeed};
use crate::servers::DemoServer;
use rollcall_model::hash::{splitmix64, unit_interval};
use rollcall_model::time::MINUTE;

/// Players of a group take turns in the slots of the group.
const GROUP_SIZE: usize = 8;
/// At most this share of all players is listed at once.
const MAX_LISTED_SHARE: f64 = 0.5;
/// The most names that a server lists in its status.
pub const MAX_SAMPLE: usize = 12;
/// Skews the number of listed names: many servers list few or none.
const SAMPLE_SKEW: f64 = 3.0;
/// The mean length of a turn differs by group. With the jitter, a turn lasts 10 to 59 minutes.
const MIN_MEAN_TURN: i64 = 25 * MINUTE;
const MAX_MEAN_TURN: i64 = 37 * MINUTE;
/// How far the start of a turn may move, as a share of its mean length.
const TURN_JITTER: f64 = 0.6;

pub struct Population {
    seed: WorldSeed,
    /// Nicknames and UUIDs.
    players: Vec<(String, String)>,
    groups: usize,
    /// First slot and number of slots of each server.
    slots: Vec<(usize, usize)>,
}

impl Population {
    pub fn new(seed: WorldSeed, players: &[DemoPlayer], servers: &[DemoServer]) -> Arc<Self> {
        let mut available = (players.len() as f64 * MAX_LISTED_SHARE) as usize;
        let mut wanted = vec![0; servers.len()];
        // Servers with Query come first, because they must list all their players.
        for has_query in [true, false] {
            for (index, server) in servers.iter().enumerate() {
                if server.version.bedrock || server.query_port().is_some() != has_query {
                    continue;
                }
                let sample = seed.rng(Stream::Population, index).skewed_index(MAX_SAMPLE + 1, SAMPLE_SKEW);
                wanted[index] = if has_query { server.max_players as usize } else { sample }.min(available);
                available -= wanted[index];
            }
        }
        let mut next = 0;
        let slots = wanted
            .into_iter()
            .map(|count| {
                next += count;
                (next - count, count)
            })
            .collect();
        let groups = (players.len() / GROUP_SIZE).max(1);
        let players = players.iter().enumerate();
        let players =
            players.map(|(index, player)| (player.nickname.clone(), players::game_uuid(seed, index))).collect();
        Arc::new(Self { seed, players, groups, slots })
    }

    /// The listed players of a server with `player_count` players, at most that many.
    pub fn on_server(&self, server: usize, at: i64, player_count: i64) -> Vec<(String, String)> {
        let (first, count) = self.slots[server];
        let count = count.min(usize::try_from(player_count).unwrap_or(0));
        (first..first + count).map(|slot| self.players[self.player_in(slot, at)].clone()).collect()
    }

    /// Neighbouring slots belong to different groups, so that they change at different times.
    fn player_in(&self, slot: usize, at: i64) -> usize {
        let (group, position) = (slot % self.groups, slot / self.groups);
        let turn = self.turn(group, at);
        let mut members: Vec<usize> = (group..self.players.len()).step_by(self.groups).collect();
        // Each turn shuffles the group. The first members get its slots.
        members.sort_by_cached_key(|&member| {
            splitmix64(self.hash(group, 1) ^ splitmix64(turn as u64) ^ splitmix64(member as u64))
        });
        members[position % members.len()]
    }

    /// The number of the group's current turn.
    fn turn(&self, group: usize, at: i64) -> i64 {
        let key = self.hash(group, 2);
        let length = MIN_MEAN_TURN + (key % (MAX_MEAN_TURN - MIN_MEAN_TURN) as u64) as i64;
        let shifted = at + (splitmix64(key) % length as u64) as i64;
        let turn = shifted.div_euclid(length);
        let jitter = unit_interval(splitmix64(key ^ turn as u64));
        let begins = turn * length + (jitter * TURN_JITTER * length as f64) as i64;
        if shifted < begins { turn - 1 } else { turn }
    }

    fn hash(&self, group: usize, row: u64) -> u64 {
        self.seed.hash(Stream::Population, group as u64, row)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::{WorldSize, servers};

    const NOW: i64 = 1_763_200_000_000;

    fn demo_population() -> (Vec<DemoServer>, Arc<Population>) {
        let (seed, size) = (WorldSeed(1), WorldSize::demo());
        let servers = servers::generate(seed, NOW, &size);
        let population = Population::new(seed, &players::generate(seed, NOW, &size), &servers);
        (servers, population)
    }

    #[test]
    fn players_are_on_one_server_at_a_time_and_stay_for_minutes() {
        let (servers, population) = demo_population();
        let listed: usize = population.slots.iter().map(|(_, count)| *count).sum();
        assert!(listed > 500 && listed <= WorldSize::demo().players / 2, "{listed}");
        let all = |at: i64| -> HashSet<(usize, String)> {
            let names =
                |server| population.on_server(server, at, 10_000).into_iter().map(move |(name, _)| (server, name));
            (0..servers.len()).flat_map(names).collect()
        };
        let (mut since, mut stays): (HashMap<(usize, String), i64>, Vec<i64>) = (HashMap::new(), Vec::new());
        for minute in 0..4 * 60 {
            let present = all(NOW + minute * MINUTE);
            assert_eq!(present.iter().map(|(_, name)| name).collect::<HashSet<_>>().len(), listed);
            for left in since.keys().filter(|visit| !present.contains(*visit)).cloned().collect::<Vec<_>>() {
                let from = since.remove(&left).unwrap();
                stays.extend((from > 0).then_some(minute - from));
            }
            for visit in present {
                since.entry(visit).or_insert(minute);
            }
        }
        assert!(stays.len() > 1_000 && stays.iter().all(|stay| *stay >= 9), "{:?}", stays.iter().min());
        // A player who gets the same slot in two turns stays longer.
        let long = stays.iter().filter(|stay| **stay > 60).count();
        assert!(long * 4 < stays.len(), "{long} of {}", stays.len());
    }

    #[test]
    fn servers_list_no_more_names_than_players_and_query_lists_all() {
        let (servers, population) = demo_population();
        let mut with_query = 0;
        for (index, server) in servers.iter().enumerate() {
            assert_eq!(population.on_server(index, NOW, 0), []);
            assert!(population.on_server(index, NOW, 2).len() <= 2);
            if server.query_port().is_some() {
                with_query += 1;
                let count = server.max_players;
                assert_eq!(population.on_server(index, NOW, count).len() as i64, count, "Query lists all players");
            }
        }
        assert!((5..30).contains(&with_query), "{with_query}");
    }
}
