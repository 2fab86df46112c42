//! A game server as a source of player data.

use rollcall_model::trust::SourceTrust;

#[derive(Clone, Debug)]
pub struct Source {
    pub server_n: i64,
    /// The configured host.
    pub host: String,
    /// The IP address that answered; empty if unknown.
    pub address: String,
    pub trust: SourceTrust,
}

impl Source {
    /// Servers at one host or one address may be the same server under several names, so they count as one source.
    fn is_independent_of(&self, other: &Self) -> bool {
        let same_address = !self.address.is_empty() && self.address == other.address;
        self.server_n != other.server_n && self.host != other.host && !same_address
    }

    /// How many sources there are that are independent of this one and of each other.
    pub(super) fn count_independent<'a>(&self, others: impl Iterator<Item = &'a Self>) -> usize {
        let mut counted = vec![self];
        for other in others {
            if counted.iter().all(|source| source.is_independent_of(other)) {
                counted.push(other);
            }
        }
        counted.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_or_address_is_one_source() {
        let source = |server_n, host: &str, address: &str| Source {
            server_n,
            host: host.into(),
            address: address.into(),
            trust: SourceTrust::Sampled,
        };
        let own = source(1, "a.example", "192.0.2.1");
        let same = [source(2, "a.example", "192.0.2.9"), source(3, "b.example", "192.0.2.1"), own.clone()];
        assert_eq!(own.count_independent(same.iter()), 0);
        let others = [source(4, "c.example", "192.0.2.4"), source(5, "d.example", "192.0.2.4")];
        assert_eq!(own.count_independent(others.iter()), 1);
        assert_eq!(own.count_independent([source(6, "e.example", ""), source(7, "f.example", "")].iter()), 2);
    }
}
