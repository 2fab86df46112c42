//! What may be tried only so often, counted per client address and clock minute: wrong keys, and human checks. A good
//! key is never held up by what others at its address get wrong.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;

use crate::model::time::{MINUTE, SECOND, start_of_minute};

/// Addresses counted at once; beyond them an attempt is refused like one too many.
const ADDRESSES: usize = 100_000;

pub struct Guesses {
    per_minute: u32,
    counted: Mutex<Counted>,
}

#[derive(Default)]
struct Counted {
    minute: i64,
    addresses: HashMap<IpAddr, u32>,
}

impl Guesses {
    pub fn new(per_minute: u32) -> Self {
        Self { per_minute, counted: Mutex::default() }
    }

    /// Counts an attempt. When there were too many: the whole seconds until the next may be tried.
    pub fn count(&self, address: IpAddr, now: i64) -> Option<i64> {
        let mut counted = self.counted.lock().expect("nothing panics under this lock");
        let minute = start_of_minute(now);
        if counted.minute != minute {
            *counted = Counted { minute, addresses: HashMap::new() };
        }
        let known = counted.addresses.contains_key(&address);
        let spare = known || counted.addresses.len() < ADDRESSES;
        let tried = if spare { *counted.addresses.entry(address).or_default() } else { u32::MAX };
        if tried >= self.per_minute {
            return Some((minute + MINUTE - now + SECOND - 1) / SECOND);
        }
        counted.addresses.insert(address, tried + 1);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn each_address_has_its_own_count_and_each_minute_begins_anew() {
        let guesses = Guesses::new(2);
        let [one, other] = [1, 2].map(|last| IpAddr::from([10, 0, 0, last]));
        assert_eq!([one, one, one, other].map(|from| guesses.count(from, 30_001)), [None, None, Some(30), None]);
        assert_eq!(guesses.count(one, 60_000), None);
    }

    #[test]
    fn no_flood_of_addresses_grows_it_without_end() {
        let guesses = Guesses::new(1);
        let from = |i: usize| IpAddr::from(Ipv4Addr::from_bits(i as u32));
        for i in 0..ADDRESSES {
            assert_eq!(guesses.count(from(i), 0), None);
        }
        assert_eq!(guesses.count(from(ADDRESSES), 0), Some(60));
        assert_eq!(guesses.counted.lock().unwrap().addresses.len(), ADDRESSES);
    }
}
