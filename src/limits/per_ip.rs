//! Limits concurrency per client IP.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};

/// The /64 of an IPv6 address: a client usually has a whole one.
const NETWORK: Ipv6Addr = Ipv6Addr::new(0xffff, 0xffff, 0xffff, 0xffff, 0, 0, 0, 0);

pub struct PerIpLimit {
    max: usize,
    /// Only IPs with at least one.
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// Held while the work runs; released on drop.
pub struct PerIpPermit {
    by: Arc<PerIpLimit>,
    bucket: IpAddr,
}

impl PerIpLimit {
    pub fn new(max: usize) -> Arc<Self> {
        Arc::new(Self { max, open: Mutex::default() })
    }

    /// `None` when the IP has reached its limit.
    pub fn try_acquire(self: &Arc<Self>, address: IpAddr) -> Option<PerIpPermit> {
        let bucket = bucket(address);
        let mut open = self.open.lock().expect("nothing panics under this lock");
        let connections = open.entry(bucket).or_default();
        if *connections >= self.max {
            return None;
        }
        *connections += 1;
        Some(PerIpPermit { by: self.clone(), bucket })
    }
}

impl Drop for PerIpPermit {
    fn drop(&mut self) {
        let mut open = self.by.open.lock().expect("nothing panics under this lock");
        let connections = open.get_mut(&self.bucket).expect("it was counted");
        *connections -= 1;
        if *connections == 0 {
            open.remove(&self.bucket);
        }
    }
}

/// Counting key of a client: its IPv4 address or its IPv6 /64.
pub fn bucket(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(address & NETWORK),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn ips_are_counted_apart_and_released() {
        let all = PerIpLimit::new(2);
        let count = |text: &str| all.try_acquire(text.parse().unwrap());
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

    #[test]
    fn an_ipv6_64_is_one_client() {
        for (one, counted) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::", "2001:db8:1:2::"),
            ("9.9.9.9", "9.9.9.9"),
            ("::ffff:9.9.9.9", "9.9.9.9"),
        ] {
            assert_eq!(bucket(parse(one)), parse(counted));
        }
    }
}
