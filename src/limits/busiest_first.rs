//! Chooses the connection or upload to evict at a limit: one of the busiest network, so that a few clients cannot
//! exhaust shared resources.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard};

use super::bucket;

/// A /24 of IPv4 and a /48 of IPv6: what one customer of a provider usually has at most.
const IPV4_NETWORK: Ipv4Addr = Ipv4Addr::new(255, 255, 255, 0);
const IPV6_NETWORK: Ipv6Addr = Ipv6Addr::new(0xffff, 0xffff, 0xffff, 0, 0, 0, 0, 0);

/// Entries by client and network.
pub struct BusiestFirst<T> {
    entries: Mutex<Entries<T>>,
}

struct Entries<T> {
    next_id: u64,
    /// `None` holds the entries of no single client, such as a trusted proxy: they are picked last.
    networks: HashMap<Option<IpAddr>, Network<T>>,
}

struct Network<T> {
    len: usize,
    clients: HashMap<IpAddr, HashMap<u64, T>>,
}

/// An entry; it is removed on drop.
pub struct Registration<T> {
    of: Arc<BusiestFirst<T>>,
    network: Option<IpAddr>,
    client: IpAddr,
    id: u64,
}

/// The entries of a network and of a client in it, and the rank of one of them: the greatest one is picked.
type Busyness<R> = (usize, usize, Reverse<R>);

/// The entry to end, and the network it belongs to.
pub struct Picked<T> {
    pub entry: T,
    /// The first address of the network; `None` for an entry of no single client.
    pub network: Option<IpAddr>,
    /// How many entries the network has.
    pub in_network: usize,
}

impl<T: Clone> BusiestFirst<T> {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { entries: Mutex::new(Entries { next_id: 0, networks: HashMap::new() }) })
    }

    /// `is_shared`: the client carries many others.
    pub fn insert(self: &Arc<Self>, client: IpAddr, is_shared: bool, entry: T) -> Registration<T> {
        let (network, client) = ((!is_shared).then(|| network(client)), bucket(client));
        let mut entries = self.entries();
        let id = entries.next_id;
        entries.next_id += 1;
        let place = entries.networks.entry(network).or_insert_with(|| Network { len: 0, clients: HashMap::new() });
        place.len += 1;
        place.clients.entry(client).or_default().insert(id, entry);
        Registration { of: self.clone(), network, client, id }
    }

    /// How many entries there are.
    pub fn count(&self) -> usize {
        self.entries().networks.values().map(|network| network.len).sum()
    }

    /// The entry with the lowest rank, of the busiest client in the busiest network. Entries without a rank cannot be ended.
    pub fn pick<R: Ord>(&self, rank: impl Fn(&T) -> Option<R>) -> Option<Picked<T>> {
        let entries = self.entries();
        let mut best: Option<(Busyness<R>, Picked<T>)> = None;
        for (network, Network { len, clients }) in &entries.networks {
            let weight = if network.is_some() { *len } else { 0 };
            if best.as_ref().is_some_and(|(key, _)| key.0 > weight) {
                continue;
            }
            for of_client in clients.values() {
                for entry in of_client.values() {
                    let Some(rank) = rank(entry) else { continue };
                    let key = (weight, of_client.len(), Reverse(rank));
                    if best.as_ref().is_none_or(|(other, _)| key > *other) {
                        let picked = Picked { entry: entry.clone(), network: *network, in_network: *len };
                        best = Some((key, picked));
                    }
                }
            }
        }
        best.map(|(_, picked)| picked)
    }

    fn entries(&self) -> MutexGuard<'_, Entries<T>> {
        self.entries.lock().expect("nothing panics under this lock")
    }
}

impl<T> Drop for Registration<T> {
    fn drop(&mut self) {
        let mut entries = self.of.entries.lock().expect("nothing panics under this lock");
        let Some(network) = entries.networks.get_mut(&self.network) else { return };
        let Some(of_client) = network.clients.get_mut(&self.client) else { return };
        of_client.remove(&self.id);
        network.len -= 1;
        if of_client.is_empty() {
            network.clients.remove(&self.client);
        }
        if network.len == 0 {
            entries.networks.remove(&self.network);
        }
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address & IPV4_NETWORK),
        IpAddr::V6(address) => IpAddr::V6(address & IPV6_NETWORK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// The ranks in the order in which they are picked.
    fn order(entries: &[(&str, bool, u32)]) -> Vec<u32> {
        let all = BusiestFirst::new();
        let mut open: Vec<_> =
            entries.iter().map(|(client, shared, rank)| (*rank, all.insert(address(client), *shared, *rank))).collect();
        let mut picked = Vec::new();
        while let Some(next) = all.pick(|rank| Some(*rank)) {
            open.retain(|(rank, _)| *rank != next.entry);
            picked.push(next.entry);
        }
        assert_eq!(all.count(), 0);
        picked
    }

    #[test]
    fn the_busiest_client_of_the_busiest_network_is_picked_first() {
        // A network of three, whose first client has two; then the oldest of all that have as many.
        let entries = [
            ("10.0.0.1", false, 5),
            ("10.0.0.1", false, 4),
            ("10.0.0.2", false, 1),
            ("10.0.1.1", false, 2),
            ("2001:db8:1::1", false, 3),
            ("2001:db8:1:2::1", false, 6),
        ];
        assert_eq!(order(&entries), [4, 1, 3, 2, 5, 6]);
    }

    #[test]
    fn shared_clients_are_picked_last() {
        assert_eq!(order(&[("10.0.0.1", true, 1), ("10.0.0.1", true, 2), ("10.0.1.1", false, 9)]), [9, 1, 2]);
    }

    #[test]
    fn entries_without_a_rank_are_not_picked() {
        let all = BusiestFirst::new();
        let _busy = [all.insert(address("10.0.0.1"), false, 1), all.insert(address("10.0.0.1"), false, 2)];
        let _idle = all.insert(address("10.0.1.1"), false, 3);
        let picked = all.pick(|entry| (*entry == 3).then_some(())).expect("one is idle");
        assert_eq!((picked.entry, picked.network, picked.in_network), (3, Some(address("10.0.1.0")), 1));
        assert!(all.pick(|_| None::<()>).is_none());
    }
}
