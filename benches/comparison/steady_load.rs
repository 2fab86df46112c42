//! Requests that arrive at a steady rate over several connections, beside what is measured.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::http_client::HttpClient;
use crate::services::ServiceProcess;

pub struct SteadyLoad {
    /// How long a sender waits from one request to the next.
    interval: Duration,
    /// Connections, each with one sender. It waits for its response, as a client does, so a few could not send as much.
    senders: u64,
    is_on: watch::Sender<bool>,
    on_time: Mutex<OnTime>,
    accepted: AtomicU64,
}

/// How long the load was on.
#[derive(Default)]
struct OnTime {
    before: Duration,
    since: Option<Instant>,
}

impl SteadyLoad {
    /// Starts to send, once it is switched on, what `request` makes of a number. All numbers differ.
    pub fn start(
        address: SocketAddr,
        per_second: u64,
        senders: u64,
        request: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static,
    ) -> Arc<Self> {
        let interval = Duration::from_secs_f64(senders as f64 / per_second as f64);
        let (is_on, _) = watch::channel(false);
        let load = Arc::new(Self { interval, senders, is_on, on_time: Mutex::default(), accepted: AtomicU64::new(0) });
        let (sending, request) = (load.clone(), Arc::new(request));
        // On one thread: among those that measure, each response would wake another one, which takes as long as the response.
        let send_all = move || {
            let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
            let mut all = JoinSet::new();
            for sender in 0..senders {
                all.spawn_on(sending.clone().send(address, sender, request.clone()), runtime.handle());
            }
            runtime.block_on(all.join_all());
        };
        std::thread::spawn(send_all);
        load
    }

    /// Returns whether that is a change.
    pub fn switch(&self, on: bool) -> bool {
        let mut time = self.on_time.lock().expect("nothing panics under this lock");
        let on_time = time.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        time.before += on_time;
        time.since = on.then(Instant::now);
        self.is_on.send_replace(on) != on
    }

    /// Accepted requests per second while the load was on.
    pub fn accepted_per_second(&self) -> f64 {
        let time = self.on_time.lock().expect("nothing panics under this lock");
        let on_time = time.before + time.since.map_or(Duration::ZERO, |since| since.elapsed());
        self.accepted.load(Ordering::Relaxed) as f64 / on_time.as_secs_f64().max(1e-3)
    }

    /// Senders take turns. One that falls behind catches up.
    async fn send(self: Arc<Self>, address: SocketAddr, sender: u64, request: Arc<impl Fn(u64) -> Vec<u8>>) {
        let mut is_on = self.is_on.subscribe();
        let mut turn = 0;
        while is_on.wait_for(|is_on| *is_on).await.is_ok() {
            // Connected only while the load is on: the service closes idle connections.
            let mut client = None;
            let mut due = Instant::now() + self.interval.mul_f64(sender as f64 / self.senders as f64);
            loop {
                tokio::time::sleep_until(due).await;
                if !*self.is_on.borrow() {
                    break;
                }
                let client = match &mut client {
                    Some(client) => client,
                    None => client.insert(HttpClient::connect(address).await),
                };
                let response = client.exchange(&request(turn * self.senders + sender)).await;
                let is_accepted = response.starts_with(b"HTTP/1.1 200 ") || response.starts_with(b"HTTP/1.1 303 ");
                self.accepted.fetch_add(u64::from(is_accepted), Ordering::Relaxed);
                turn += 1;
                due += self.interval;
            }
        }
    }
}

/// CPU cores that a service uses for the load that `switch` turns on, beyond what it uses without, when it has been on for `warm_up`.
/// The load stays on.
pub async fn cores_alone(service: &ServiceProcess, warm_up: Duration, switch: impl Fn(bool) -> bool) -> f64 {
    switch(false);
    tokio::time::sleep(ALONE).await;
    let idle = cores(service).await;
    switch(true);
    tokio::time::sleep(warm_up).await;
    cores(service).await - idle
}

/// How long CPU time is measured, and how long a service settles before it.
pub const ALONE: Duration = Duration::from_secs(5);

async fn cores(service: &ServiceProcess) -> f64 {
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
