//! The directory of players in memory: sort orders, and names to search. The rows themselves stay in the store.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicUsize};

use super::facets::Words;
use super::on_all_cores;
use super::row_ids::Numbers;
use super::sort_order::{Order, key};
use rollcall_search::Bits;
use rollcall_search::fold_search;
use rollcall_search::{Index, Popularity, Texts};
use rollcall_store::players::DirectoryRow;

/// How `/players` may be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayerSort {
    Recent,
    Name,
    Playtime,
    Sessions,
    Tier,
}

impl PlayerSort {
    const ALL: [PlayerSort; 5] = [Self::Recent, Self::Name, Self::Playtime, Self::Sessions, Self::Tier];
}

#[derive(Default)]
pub struct Players {
    /// Shared with whoever counts leaderboards meanwhile.
    numbers: Arc<Numbers>,
    names: Texts,
    tiers: Words,
    created_at: Vec<i64>,
    /// Seconds; more than a century is all the same.
    play_time: Vec<u32>,
    sessions: Vec<u32>,
    tier: Vec<u32>,
    tier_points: Vec<u32>,
    tier_rank: Vec<u32>,
    /// Who has each achievement.
    earned: [Bits; u32::BITS as usize],
    orders: HashMap<PlayerSort, Order>,
    /// Who is to be moved in which order.
    moved: HashMap<PlayerSort, Vec<u32>>,
}

/// A sort order on its way.
#[must_use]
pub struct NewOrder(PlayerSort, Order);

/// Behind every ranked player.
const UNRANKED: u32 = u32::MAX;

impl Players {
    /// Takes in a row. The sort orders stay as they are until [`Self::take_order`].
    pub fn put(&mut self, row: &DirectoryRow) {
        let name = fold_search(&row.nickname);
        let tier_rank = row.tier_rank.map_or(UNRANKED, narrow);
        let (place, is_new) = match self.numbers.place(row.n) {
            Some(place) => (place, false),
            None => (self.grow(row.n), true),
        };
        let i = place as usize;
        let moved = |sort: PlayerSort| match sort {
            PlayerSort::Recent => self.created_at[i] != row.created_at,
            PlayerSort::Name => self.names.get(place) != name.as_bytes(),
            PlayerSort::Playtime => self.play_time[i] != narrow(row.play_time),
            PlayerSort::Sessions => self.sessions[i] != narrow(row.sessions),
            PlayerSort::Tier => self.tier_points[i] != narrow(row.tier_points) || self.tier_rank[i] != tier_rank,
        };
        // Where there are no orders yet, everybody will be put into them anyway.
        let moved = PlayerSort::ALL.map(|sort| !self.orders.is_empty() && (is_new || moved(sort)));
        for (sort, _) in PlayerSort::ALL.into_iter().zip(moved).filter(|(_, moved)| *moved) {
            self.moved.entry(sort).or_default().push(place);
        }
        self.names.set(place, &name);
        self.created_at[i] = row.created_at;
        self.play_time[i] = narrow(row.play_time);
        self.sessions[i] = narrow(row.sessions);
        let before = (!is_new).then_some(self.tier[i]);
        self.tier[i] = self.tiers.set(place, before, Some(&row.tier_overall)).unwrap_or_default();
        self.tier_points[i] = narrow(row.tier_points);
        self.tier_rank[i] = tier_rank;
        for (bit, earned) in self.earned.iter_mut().enumerate() {
            let is_earned = row.achievements >> bit & 1 == 1;
            if is_earned != earned.get(place) {
                earned.set(place, is_earned);
            }
        }
    }

    /// What makes searches quick once the many are in, made aside; those who come later are taken in as they come.
    pub fn new_index(&self) -> Index {
        self.names.new_index()
    }

    pub fn take_index(&mut self, index: Index) {
        self.names.take_index(index);
    }

    fn grow(&mut self, n: i64) -> u32 {
        let place = Arc::make_mut(&mut self.numbers).add(n);
        self.created_at.push(0);
        for column in
            [&mut self.play_time, &mut self.sessions, &mut self.tier, &mut self.tier_points, &mut self.tier_rank]
        {
            column.push(0);
        }
        place
    }

    /// A sort order in which somebody moved, made anew aside, since it takes a while: the old one stays good to read. To be
    /// asked for until there is none: all of them at once would weigh as much as a third of the directory.
    pub fn new_order(&self) -> Option<NewOrder> {
        PlayerSort::ALL.into_iter().find_map(|sort| match (self.orders.get(&sort), self.moved.get(&sort)) {
            (None, _) => Some(NewOrder(sort, self.build(sort))),
            (Some(order), Some(moved)) => {
                Some(NewOrder(sort, order.updated(moved, |_| true, |a, b| self.compare(sort, a, b))))
            }
            (Some(_), None) => None,
        })
    }

    /// Every sort order anew, on all cores.
    pub fn sort(&mut self) {
        let next = AtomicUsize::new(0);
        let sort = || {
            let mut orders = Vec::new();
            while let Some(&sort) = PlayerSort::ALL.get(next.fetch_add(1, atomic::Ordering::Relaxed)) {
                orders.push((sort, self.build(sort)));
            }
            orders
        };
        let orders: HashMap<PlayerSort, Order> = on_all_cores(sort).into_iter().flatten().collect();
        self.orders = orders;
        self.moved.clear();
    }

    fn build(&self, sort: PlayerSort) -> Order {
        let key = |place: u32| match sort {
            PlayerSort::Recent => key::highest_int(self.created_at[place as usize]),
            PlayerSort::Name => key::text(self.names.get(place)),
            PlayerSort::Playtime => key::highest_int(self.play_time[place as usize].into()),
            PlayerSort::Sessions => key::highest_int(self.sessions[place as usize].into()),
            PlayerSort::Tier => {
                let (points, rank) = (self.tier_points[place as usize], self.tier_rank[place as usize]);
                u64::from(!points) << 32 | u64::from(rank)
            }
        };
        // Equals come by their numbers, as they stand here. Only of names does the key not tell all.
        let rising = self.numbers.rising();
        let equals = rising.iter().copied();
        match sort {
            PlayerSort::Name => Order::build(equals, key, |a, b| self.names.get(a).cmp(self.names.get(b))),
            _ => Order::build(equals, key, |_, _| Ordering::Equal),
        }
    }

    /// Puts it in place, and gives the one that it replaces: letting go of that takes longer than the exchange.
    pub fn take_order(&mut self, NewOrder(sort, order): NewOrder) -> Option<Order> {
        self.moved.remove(&sort);
        self.orders.insert(sort, order)
    }

    fn compare(&self, sort: PlayerSort, a: u32, b: u32) -> Ordering {
        let (i, j) = (a as usize, b as usize);
        let first = match sort {
            PlayerSort::Recent => self.created_at[j].cmp(&self.created_at[i]),
            PlayerSort::Name => self.names.get(a).cmp(self.names.get(b)),
            PlayerSort::Playtime => self.play_time[j].cmp(&self.play_time[i]),
            PlayerSort::Sessions => self.sessions[j].cmp(&self.sessions[i]),
            PlayerSort::Tier => {
                self.tier_points[j].cmp(&self.tier_points[i]).then(self.tier_rank[i].cmp(&self.tier_rank[j]))
            }
        };
        first.then_with(|| self.number(a).cmp(&self.number(b)))
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn number(&self, place: u32) -> i64 {
        self.numbers.number(place)
    }

    /// Who has which place. Places are never given to others while there is one directory.
    pub fn numbers(&self) -> Arc<Numbers> {
        self.numbers.clone()
    }

    /// Row numbers of a page, and how many players match in all.
    pub fn page(&self, search: Option<&str>, sort: PlayerSort, offset: u64, limit: usize) -> (Vec<i64>, u64) {
        let Some(order) = self.orders.get(&sort) else { return (Vec::new(), 0) };
        let selected = search.map(|text| self.names.containing(&fold_search(text)));
        let (places, total) = order.page(selected.as_ref(), offset, limit);
        (places.into_iter().map(|place| self.number(place)).collect(), total as u64)
    }

    /// Better matches first, then those who played longer.
    pub fn search(&self, needle: &str, limit: usize) -> Vec<i64> {
        // The order stays behind while somebody is to be moved in it.
        let order = self.orders.get(&PlayerSort::Playtime).filter(|_| !self.moved.contains_key(&PlayerSort::Playtime));
        let popularity =
            Popularity { order: order.map(Order::places), compare: |a, b| self.compare(PlayerSort::Playtime, a, b) };
        let best = self.names.best(&fold_search(needle), limit, None, &popularity);
        best.into_iter().map(|place| self.number(place)).collect()
    }

    /// How many players were created at or after a moment: a binary search in the `recent` order.
    pub fn created_since(&self, since: i64) -> usize {
        self.orders
            .get(&PlayerSort::Recent)
            .map_or(0, |order| order.places().partition_point(|&place| self.created_at[place as usize] >= since))
    }

    /// The players a leaderboard's filters leave, or `None` for all. `achievement` is a bit's number.
    pub fn select(&self, tier: Option<&str>, achievement: Option<usize>, search: Option<&str>) -> Option<Bits> {
        let tier = tier.map(|tier| self.tiers.carrying(tier).to_bits());
        let achievement = achievement.map(|bit| self.earned.get(bit).cloned().unwrap_or_default());
        let search = search.map(|text| self.names.containing(&fold_search(text)));
        [tier, achievement, search].into_iter().flatten().reduce(|mut all, set| {
            all.intersect(&set);
            all
        })
    }
}

/// The catalogue of achievements has fewer than 32 entries, and counters beyond 4 billion are all the same here.
fn narrow(value: i64) -> u32 {
    u32::try_from(value.max(0)).unwrap_or(u32::MAX)
}
