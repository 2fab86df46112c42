//! How many connections each client address has open.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use super::address::bucket;

pub struct PerAddress {
    most: usize,
    /// Only addresses that have any.
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// One connection of an address; it counts until it is dropped.
pub struct Counted {
    by: Arc<PerAddress>,
    bucket: IpAddr,
}

impl PerAddress {
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// `None` when the address has as many as it may.
    pub fn count(self: &Arc<Self>, address: IpAddr) -> Option<Counted> {
        let bucket = bucket(address);
        let mut open = self.open.lock().expect("nothing panics under this lock");
        let connections = open.entry(bucket).or_default();
        if *connections >= self.most {
            return None;
        }
        *connections += 1;
        Some(Counted { by: self.clone(), bucket })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut open = self.by.open.lock().expect("nothing panics under this lock");
        let connections = open.get_mut(&self.bucket).expect("it was counted");
        *connections -= 1;
        if *connections == 0 {
            open.remove(&self.bucket);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_own_count_and_leaves_nothing_behind() {
        let all = PerAddress::new(2);
        let count = |text: &str| all.count(text.parse().unwrap());
        let (first, second) = (count("10.0.0.1"), count("::ffff:10.0.0.1"));
        assert!(first.is_some() && second.is_some() && count("10.0.0.1").is_none());
        let network = [count("2001:db8::1"), count("2001:db8::2")];
        assert!(network.iter().all(Option::is_some) && count("2001:db8::3").is_none());
        assert!(count("10.0.0.2").is_some() && count("2001:db8:0:1::1").is_some());
        drop(first);
        assert!(count("10.0.0.1").is_some());
        drop((second, network));
        assert!(all.open.lock().unwrap().is_empty());
    }
}
