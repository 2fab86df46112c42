//! Generates load: a closed loop (each connection sends its next request after a response) or an open loop (requests are due at
//! fixed times).

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::http_client::{HttpClient, request};

pub const CONNECTIONS: usize = 32;
/// In the open loop: enough that a connection is free whenever a request is due.
const OPEN_LOOP_CONNECTIONS: usize = 128;
/// Time for the service to accept all connections of the open loop.
const ACCEPT_TIME: Duration = Duration::from_millis(20);

/// Makes the request with this number.
type MakeRequest = Arc<dyn Fn(u64) -> Arc<[u8]> + Send + Sync>;

/// Numbered requests. Clones continue the same numbering.
#[derive(Clone)]
pub struct RequestStream {
    make: MakeRequest,
    next: Arc<AtomicU64>,
}

impl RequestStream {
    pub fn new(make: impl Fn(u64) -> Arc<[u8]> + Send + Sync + 'static) -> Self {
        Self { make: Arc::new(make), next: Arc::default() }
    }

    /// Always the same request.
    pub fn hot(target: &str, headers: &str) -> Self {
        let bytes: Arc<[u8]> = request(target, headers).into();
        Self::new(move |_| bytes.clone())
    }

    fn next(&self) -> Arc<[u8]> {
        (self.make)(self.next.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Clone, Default)]
pub struct LoadResult {
    pub responses: usize,
    pub seconds: f64,
    /// Microseconds, sorted.
    latencies: Vec<u32>,
}

impl LoadResult {
    /// Responses per second.
    pub fn rate(&self) -> f64 {
        self.responses as f64 / self.seconds
    }

    /// The latency at this quantile, in milliseconds.
    pub fn latency_ms(&self, quantile: f64) -> f64 {
        let index = (self.latencies.len() as f64 * quantile) as usize;
        let latency = self.latencies.get(index.min(self.latencies.len().saturating_sub(1)));
        latency.map_or(0.0, |micros| f64::from(*micros) / 1e3)
    }
}

/// Runs a closed loop for the given time.
pub async fn closed_loop(
    address: SocketAddr,
    stream: &RequestStream,
    length: Duration,
    connections: usize,
) -> LoadResult {
    let clients = connect(address, connections).await;
    let started = Instant::now();
    let tasks = clients.into_iter().map(|mut client| {
        let stream = stream.clone();
        tokio::spawn(async move {
            let mut latencies = Vec::with_capacity(4_096);
            let mut sent = Instant::now();
            while started.elapsed() < length {
                client.get(&stream.next()).await;
                let now = Instant::now();
                latencies.push((now - sent).as_micros() as u32);
                sent = now;
            }
            latencies
        })
    });
    collect(tasks.collect(), started).await
}

/// The time of one request without other load. The request before it is not measured: it may have to read from disk.
pub async fn single_request(address: SocketAddr, stream: &RequestStream) -> Duration {
    let mut client = HttpClient::connect(address).await;
    client.get(&stream.next()).await;
    let started = Instant::now();
    client.get(&stream.next()).await;
    started.elapsed()
}

/// Sends each of these requests once, in a closed loop.
pub async fn batch(address: SocketAddr, requests: Arc<[Arc<[u8]>]>) -> LoadResult {
    let clients = connect(address, CONNECTIONS).await;
    let (started, next) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let tasks = clients.into_iter().map(|mut client| {
        let (requests, next) = (requests.clone(), next.clone());
        tokio::spawn(async move {
            let mut latencies = Vec::new();
            while let Some(request) = requests.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                let sent = Instant::now();
                client.get(request).await;
                latencies.push(sent.elapsed().as_micros() as u32);
            }
            latencies
        })
    });
    collect(tasks.collect(), started).await
}

/// Sends requests at fixed times. Latency counts from the time a request is due, even if it could only be sent later. All clients
/// run on one thread: on several they would wait for each other, and measure that too.
pub async fn open_loop(address: SocketAddr, stream: &RequestStream, rate: f64, length: Duration) -> LoadResult {
    let stream = stream.clone();
    let on_one_thread = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("build the runtime");
        runtime.block_on(send_at_due_times(address, &stream, rate, length))
    };
    tokio::task::spawn_blocking(on_one_thread).await.expect("every response is a 200")
}

async fn send_at_due_times(address: SocketAddr, stream: &RequestStream, rate: f64, length: Duration) -> LoadResult {
    let (sender, receiver) = mpsc::unbounded_channel::<Instant>();
    let receiver = Arc::new(tokio::sync::Mutex::new(receiver));
    let tasks = connect(address, OPEN_LOOP_CONNECTIONS).await.into_iter().map(|mut client| {
        let (receiver, stream) = (receiver.clone(), stream.clone());
        tokio::spawn(async move {
            let mut latencies = Vec::new();
            loop {
                let next = receiver.lock().await.recv().await;
                let Some(due) = next else { return latencies };
                client.get(&stream.next()).await;
                latencies.push(due.elapsed().as_micros() as u32);
            }
        })
    });
    let tasks: Vec<_> = tasks.collect();
    tokio::time::sleep(ACCEPT_TIME).await;
    let started = Instant::now();
    // A separate thread keeps the time: the timer of the runtime has a resolution of one millisecond.
    let timer = std::thread::spawn(move || {
        let count = (rate * length.as_secs_f64()) as u64;
        for i in 0..count {
            let due = started + Duration::from_secs_f64(i as f64 / rate);
            let ahead = due.saturating_duration_since(Instant::now());
            if ahead > Duration::from_micros(50) {
                #[expect(clippy::disallowed_methods, reason = "the timer of the runtime is too coarse")]
                std::thread::sleep(ahead);
            }
            if sender.send(due).is_err() {
                return;
            }
        }
    });
    let result = collect(tasks, started).await;
    timer.join().expect("the timer thread does not panic");
    result
}

async fn connect(address: SocketAddr, count: usize) -> Vec<HttpClient> {
    let mut clients = Vec::new();
    for _ in 0..count {
        clients.push(HttpClient::connect(address).await);
    }
    clients
}

async fn collect(tasks: Vec<tokio::task::JoinHandle<Vec<u32>>>, started: Instant) -> LoadResult {
    let mut result = LoadResult::default();
    for task in tasks {
        result.latencies.extend(task.await.expect("every response is a 200"));
    }
    result.seconds = started.elapsed().as_secs_f64();
    result.responses = result.latencies.len();
    result.latencies.sort_unstable();
    result
}
