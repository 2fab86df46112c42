//! How many connections and logins are accepted, in total and from one network.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

/// Logins are counted in windows of this length.
const WINDOW: Duration = Duration::from_secs(60);

/// The limits of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Open connections. More are closed at once.
    pub connections: usize,
    /// The same from one IPv4 address or one IPv6 network (/64).
    pub connections_per_ip: usize,
    /// Logins in a minute. Each costs an RSA operation or two and a call to the session server. Further players are
    /// asked to wait.
    pub logins: usize,
    /// The same from one IPv4 address or one IPv6 network (/64).
    pub logins_per_ip: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 256, connections_per_ip: 8, logins: 600, logins_per_ip: 10 }
    }
}

/// Counts what is limited. Never holds more entries than the limits allow connections and logins.
pub(crate) struct Usage {
    limits: Limits,
    open: Mutex<Counts>,
    logins: Mutex<LoginWindow>,
}

#[derive(Default)]
struct Counts {
    total: usize,
    by_network: HashMap<IpAddr, usize>,
}

struct LoginWindow {
    began_at: Instant,
    counts: Counts,
}

/// An open connection. It counts until this is dropped.
pub(crate) struct OpenConnection {
    usage: Arc<Usage>,
    network: IpAddr,
}

impl Usage {
    pub(crate) fn new(limits: Limits, now: Instant) -> Arc<Self> {
        let logins = Mutex::new(LoginWindow { began_at: now, counts: Counts::default() });
        Arc::new(Self { limits, open: Mutex::default(), logins })
    }

    /// `None` if there are too many connections already.
    pub(crate) fn open(self: &Arc<Self>, ip: IpAddr) -> Option<OpenConnection> {
        let network = network(ip);
        lock(&self.open)
            .add(network, self.limits.connections, self.limits.connections_per_ip)
            .then(|| OpenConnection { usage: self.clone(), network })
    }

    /// Whether another login may go on.
    pub(crate) fn admit_login(&self, ip: IpAddr, now: Instant) -> bool {
        let mut window = lock(&self.logins);
        if now.saturating_duration_since(window.began_at) >= WINDOW {
            *window = LoginWindow { began_at: now, counts: Counts::default() };
        }
        window.counts.add(network(ip), self.limits.logins, self.limits.logins_per_ip)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        lock(&self.usage.open).remove(self.network);
    }
}

impl Counts {
    fn add(&mut self, network: IpAddr, max: usize, max_per_network: usize) -> bool {
        let count = self.by_network.get(&network).copied().unwrap_or(0);
        if self.total >= max || count >= max_per_network {
            return false;
        }
        self.total += 1;
        self.by_network.insert(network, count + 1);
        true
    }

    fn remove(&mut self, network: IpAddr) {
        self.total -= 1;
        if let Some(count) = self.by_network.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                self.by_network.remove(&network);
            }
        }
    }
}

/// One origin: an IPv4 address, or the /64 of an IPv6 address, which a single customer has.
fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => {
            let [a, b, c, d, ..] = ip.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        ip @ IpAddr::V4(_) => ip,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics under this lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { connections: 3, connections_per_ip: 2, logins: 3, logins_per_ip: 2 };

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn connections_are_limited_in_total_and_by_network() {
        let usage = Usage::new(LIMITS, Instant::now());
        let first = usage.open(ip("198.51.100.1"));
        let second = usage.open(ip("::ffff:198.51.100.1"));
        assert!(first.is_some() && second.is_some());
        assert!(usage.open(ip("198.51.100.1")).is_none(), "the mapped address is the same one");
        let third = usage.open(ip("2001:db8::1"));
        assert!(third.is_some());
        assert!(usage.open(ip("198.51.100.2")).is_none(), "three are open");
        drop(first);
        assert!(usage.open(ip("198.51.100.2")).is_some());
        drop((second, third));
        assert_eq!(lock(&usage.open).total, 0);
        assert!(lock(&usage.open).by_network.is_empty(), "nothing is kept of closed connections");
    }

    #[test]
    fn logins_are_limited_by_minute() {
        let start = Instant::now();
        let usage = Usage::new(LIMITS, start);
        assert!(usage.admit_login(ip("2001:db8::1"), start));
        assert!(usage.admit_login(ip("2001:db8::2"), start));
        assert!(!usage.admit_login(ip("2001:db8::3"), start), "the same /64");
        assert!(usage.admit_login(ip("2001:db8:0:1::1"), start));
        assert!(!usage.admit_login(ip("198.51.100.1"), start), "three in this minute");
        assert!(!usage.admit_login(ip("198.51.100.1"), start + WINDOW - Duration::from_millis(1)));
        assert!(usage.admit_login(ip("198.51.100.1"), start + WINDOW));
    }
}
