//! Who plays where while the demo runs: a function of time, like the curve. Everybody stays a while, nobody is in two
//! places at once, and whoever left may turn up elsewhere.

use std::sync::Arc;

use crate::players::Player;
use crate::rng::{Of, Seed, mix};
use crate::servers::Server;
use rollcall_model::id;
use rollcall_model::time::MINUTE;

/// Players who take turns at the places of their group.
const GROUP: usize = 8;
/// Of all players, at most this share is seen at once.
const SEEN: f64 = 0.5;
/// Names that a server puts into its status.
pub const SAMPLE: usize = 12;
/// Many servers tell few names or none.
const RETICENCE: f64 = 3.0;
/// The mean time at a place, which differs by group, and the share of it by which its ends may move: from 10 minutes to
/// 59, all in all.
const LEAST_STAY: i64 = 25 * MINUTE;
const MOST_STAY: i64 = 37 * MINUTE;
const LOOSE: f64 = 0.6;

pub struct Crowd {
    seed: Seed,
    /// Names and UUIDs.
    players: Vec<(String, String)>,
    groups: usize,
    /// By server: its first place, and how many it has.
    places: Vec<(usize, usize)>,
}

impl Crowd {
    pub fn new(seed: Seed, players: &[Player], servers: &[Server]) -> Arc<Self> {
        let known =
            |(index, player): (usize, &Player)| (player.nickname.clone(), id::uuid(seed.id(Of::Player, index, 1)));
        let mut left = (players.len() as f64 * SEEN) as usize;
        let mut wanted = vec![0; servers.len()];
        // Those who tell all names come first: their lists must be whole.
        for tells_all in [true, false] {
            for (index, server) in servers.iter().enumerate() {
                if server.edition.bedrock || server.query_port().is_some() != tells_all {
                    continue;
                }
                let few = seed.dice(Of::Crowd, index).leaning(SAMPLE + 1, RETICENCE);
                wanted[index] = if tells_all { server.max_players as usize } else { few }.min(left);
                left -= wanted[index];
            }
        }
        let mut next = 0;
        let places = wanted
            .into_iter()
            .map(|count| {
                next += count;
                (next - count, count)
            })
            .collect();
        let groups = (players.len() / GROUP).max(1);
        Arc::new(Self { seed, players: players.iter().enumerate().map(known).collect(), groups, places })
    }

    /// The names that a server tells while so many play there.
    pub fn at(&self, server: usize, at: i64, playing: i64) -> Vec<(String, String)> {
        let (first, count) = self.places[server];
        let count = count.min(usize::try_from(playing).unwrap_or(0));
        (first..first + count).map(|place| self.players[self.player(place, at)].clone()).collect()
    }

    /// Neighbouring places are of different groups, so that they change at different times.
    fn player(&self, place: usize, at: i64) -> usize {
        let (group, place) = (place % self.groups, place / self.groups);
        let turn = self.turn(group, at);
        let mut members: Vec<usize> = (group..self.players.len()).step_by(self.groups).collect();
        // Another order with every turn; the first ones play.
        members.sort_by_cached_key(|&member| mix(self.hash(group, 1) ^ mix(turn as u64) ^ mix(member as u64)));
        members[place % members.len()]
    }

    /// How many turns a group has had, since whenever.
    fn turn(&self, group: usize, at: i64) -> i64 {
        let key = self.hash(group, 2);
        let stay = LEAST_STAY + (key % (MOST_STAY - LEAST_STAY) as u64) as i64;
        let since = at + (mix(key) % stay as u64) as i64;
        let turn = since.div_euclid(stay);
        let share = (mix(key ^ turn as u64) >> 11) as f64 / (1_u64 << 53) as f64;
        let begins = turn * stay + (share * LOOSE * stay as f64) as i64;
        if since < begins { turn - 1 } else { turn }
    }

    fn hash(&self, group: usize, row: u64) -> u64 {
        self.seed.hash(Of::Crowd, group as u64, row)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::{Scale, players, servers};

    const NOW: i64 = 1_763_200_000_000;

    #[test]
    fn nobody_is_in_two_places_and_everybody_stays_a_while() {
        let (seed, scale) = (Seed(1), Scale::demo());
        let servers = servers::imagine(seed, NOW, &scale);
        let crowd = Crowd::new(seed, &players::imagine(seed, NOW, &scale), &servers);
        let told: usize = crowd.places.iter().map(|(_, count)| *count).sum();
        assert!(told > 500 && told <= scale.players / 2, "{told}");
        let all = |at: i64| -> HashSet<(usize, String)> {
            let names = |server| crowd.at(server, at, 10_000).into_iter().map(move |(name, _)| (server, name));
            (0..servers.len()).flat_map(names).collect()
        };
        let (mut since, mut stays): (HashMap<(usize, String), i64>, Vec<i64>) = (HashMap::new(), Vec::new());
        for minute in 0..4 * 60 {
            let here = all(NOW + minute * MINUTE);
            assert_eq!(here.iter().map(|(_, name)| name).collect::<HashSet<_>>().len(), told);
            for gone in since.keys().filter(|place| !here.contains(*place)).cloned().collect::<Vec<_>>() {
                let from = since.remove(&gone).unwrap();
                stays.extend((from > 0).then_some(minute - from));
            }
            for place in here {
                since.entry(place).or_insert(minute);
            }
        }
        assert!(stays.len() > 1_000 && stays.iter().all(|stay| *stay >= 9), "{:?}", stays.iter().min());
        // Who draws the same place twice stays on.
        let long = stays.iter().filter(|stay| **stay > 60).count();
        assert!(long * 4 < stays.len(), "{long} of {}", stays.len());
    }

    #[test]
    fn no_more_names_than_players() {
        let (seed, scale) = (Seed(1), Scale::demo());
        let servers = servers::imagine(seed, NOW, &scale);
        let crowd = Crowd::new(seed, &players::imagine(seed, NOW, &scale), &servers);
        let mut whole = 0;
        for (index, server) in servers.iter().enumerate() {
            assert_eq!(crowd.at(index, NOW, 0), []);
            assert!(crowd.at(index, NOW, 2).len() <= 2);
            if server.query_port().is_some() {
                whole += 1;
                let playing = server.max_players;
                assert_eq!(crowd.at(index, NOW, playing).len() as i64, playing, "a list that is queried is whole");
            }
        }
        assert!((5..30).contains(&whole), "{whole}");
    }
}
