//! Requests that arrive at a steady rate over several connections, beside what is measured.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::http_client::HttpClient;
use crate::services::ServiceProcess;

const TICK: Duration = Duration::from_millis(20);

pub struct SteadyLoad {
    per_second: u64,
    /// Connections. Each waits for its response, as a client does, so a few could not send as much.
    senders: u64,
    on: AtomicBool,
    /// Milliseconds in which the load was on, summed over all senders.
    on_ms: AtomicU64,
    accepted: AtomicU64,
}

impl SteadyLoad {
    /// Starts to send, once it is switched on, what `request` makes of a number. All numbers differ.
    pub fn start(
        address: SocketAddr,
        per_second: u64,
        senders: u64,
        request: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static,
    ) -> Arc<Self> {
        let (on, on_ms, accepted) = Default::default();
        let load = Arc::new(Self { per_second, senders, on, on_ms, accepted });
        let request = Arc::new(request);
        for sender in 0..senders {
            tokio::spawn(load.clone().send(address, sender, request.clone()));
        }
        load
    }

    /// Returns whether that is a change.
    pub fn switch(&self, on: bool) -> bool {
        self.on.swap(on, Ordering::Relaxed) != on
    }

    /// Accepted requests per second while the load was on.
    pub fn accepted_per_second(&self) -> f64 {
        let seconds = self.on_ms.load(Ordering::Relaxed) as f64 / 1e3 / self.senders as f64;
        self.accepted.load(Ordering::Relaxed) as f64 / seconds.max(1e-3)
    }

    /// A sender that falls behind catches up.
    async fn send(self: Arc<Self>, address: SocketAddr, sender: u64, request: Arc<impl Fn(u64) -> Vec<u8>>) {
        // Connected only while the load is on: the service closes idle connections.
        let mut client = None;
        let (mut turn, mut pending, mut last) = (0, 0.0, Instant::now());
        loop {
            tokio::time::sleep(TICK).await;
            let elapsed = last.elapsed();
            last = Instant::now();
            if !self.on.load(Ordering::Relaxed) {
                (pending, client) = (0.0, None);
                continue;
            }
            let client = match &mut client {
                Some(client) => client,
                None => client.insert(HttpClient::connect(address).await),
            };
            self.on_ms.fetch_add(elapsed.as_millis() as u64, Ordering::Relaxed);
            pending += self.per_second as f64 / self.senders as f64 * elapsed.as_secs_f64();
            while pending >= 1.0 && self.on.load(Ordering::Relaxed) {
                let response = client.exchange(&request(turn * self.senders + sender)).await;
                let is_accepted = response.starts_with(b"HTTP/1.1 200 ") || response.starts_with(b"HTTP/1.1 303 ");
                self.accepted.fetch_add(u64::from(is_accepted), Ordering::Relaxed);
                turn += 1;
                pending -= 1.0;
            }
        }
    }
}

/// CPU cores that a service uses for the load that `switch` turns on, beyond what it uses without. The load stays on.
pub async fn cores_alone(service: &ServiceProcess, switch: impl Fn(bool) -> bool) -> f64 {
    switch(false);
    let idle = cores(service).await;
    switch(true);
    cores(service).await - idle
}

async fn cores(service: &ServiceProcess) -> f64 {
    const ALONE: Duration = Duration::from_secs(5);
    tokio::time::sleep(ALONE).await;
    let (before, started) = (service.cpu_used(), Instant::now());
    tokio::time::sleep(ALONE).await;
    let used = service.cpu_used().own.saturating_sub(before.own);
    used as f64 / 1e9 / started.elapsed().as_secs_f64()
}

/// The text after `text` and before `end`, in a page that has it.
pub fn after(page: &str, text: &str, end: char) -> String {
    let rest = page.split(text).nth(1).and_then(|rest| rest.split(end).next());
    rest.unwrap_or_else(|| panic!("the page has no {text}: {}", &page[..page.len().min(500)])).to_owned()
}
