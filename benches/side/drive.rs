//! The load: requests sent as fast as answers come (a closed loop), or at fixed moments whoever is ready (an open one).

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::load::{Client, request};

pub const CONNECTIONS: usize = 32;
/// Of the open loop: enough that one is free whenever a request is due.
const OPEN_CONNECTIONS: usize = 128;
const BEFORE_OPEN: Duration = Duration::from_millis(20);

/// Makes the request of a number.
pub type Asked = Arc<dyn Fn(u64) -> Arc<[u8]> + Send + Sync>;

/// What a contender is asked, and how far it has come.
#[derive(Clone)]
pub struct Questions {
    asked: Asked,
    next: Arc<AtomicU64>,
}

impl Questions {
    pub fn new(asked: impl Fn(u64) -> Arc<[u8]> + Send + Sync + 'static) -> Self {
        Self { asked: Arc::new(asked), next: Arc::default() }
    }

    /// The same over and over.
    pub fn hot(target: &str, headers: &str) -> Self {
        let bytes: Arc<[u8]> = request(target, headers).into();
        Self::new(move |_| bytes.clone())
    }

    fn next(&self) -> Arc<[u8]> {
        (self.asked)(self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// What a while of load came to.
#[derive(Clone, Default)]
pub struct Run {
    pub answered: usize,
    pub seconds: f64,
    /// Microseconds that each waited, in order.
    pub waits: Vec<u32>,
}

impl Run {
    pub fn rate(&self) -> f64 {
        self.answered as f64 / self.seconds
    }

    pub fn wait(&self, share: f64) -> f64 {
        let place = (self.waits.len() as f64 * share) as usize;
        self.waits.get(place.min(self.waits.len().saturating_sub(1))).map_or(0.0, |wait| f64::from(*wait) / 1e3)
    }
}

/// Everybody sends the next request when he has his answer, until the time is over.
pub async fn closed(address: SocketAddr, questions: &Questions, length: Duration, connections: usize) -> Run {
    let mut clients = Vec::new();
    for _ in 0..connections {
        clients.push(Client::connect(address).await);
    }
    let began = Instant::now();
    let tasks = clients.into_iter().map(|mut client| {
        let questions = questions.clone();
        tokio::spawn(async move {
            let mut waits = Vec::with_capacity(4_096);
            let mut asked = Instant::now();
            while began.elapsed() < length {
                client.ask(&questions.next()).await;
                let now = Instant::now();
                waits.push((now - asked).as_micros() as u32);
                asked = now;
            }
            waits
        })
    });
    gathered(tasks.collect(), began).await
}

/// How long one answer takes when nobody else asks; the first may have to wait for the disk.
pub async fn alone(address: SocketAddr, questions: &Questions) -> Duration {
    let mut client = Client::connect(address).await;
    client.ask(&questions.next()).await;
    let began = Instant::now();
    client.ask(&questions.next()).await;
    began.elapsed()
}

/// So many requests, each once, as fast as answers come.
pub async fn batch(address: SocketAddr, requests: Arc<[Arc<[u8]>]>) -> Run {
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        clients.push(Client::connect(address).await);
    }
    let (began, next) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let tasks = clients.into_iter().map(|mut client| {
        let (requests, next) = (requests.clone(), next.clone());
        tokio::spawn(async move {
            let mut waits = Vec::new();
            while let Some(request) = requests.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                let asked = Instant::now();
                client.ask(request).await;
                waits.push(asked.elapsed().as_micros() as u32);
            }
            waits
        })
    });
    gathered(tasks.collect(), began).await
}

/// Requests at fixed moments. What one waits is counted from the moment it was due, whenever it could be sent. All of it runs
/// on one thread: with more of them, those who ask wait for each other, and count that as well.
pub async fn open(address: SocketAddr, questions: &Questions, rate: f64, length: Duration) -> Run {
    let questions = questions.clone();
    let alone = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(at_moments(address, &questions, rate, length))
    };
    tokio::task::spawn_blocking(alone).await.expect("every answer is a 200")
}

async fn at_moments(address: SocketAddr, questions: &Questions, rate: f64, length: Duration) -> Run {
    let (due, moments) = mpsc::unbounded_channel::<Instant>();
    let moments = Arc::new(tokio::sync::Mutex::new(moments));
    let mut tasks = Vec::new();
    for _ in 0..OPEN_CONNECTIONS {
        let (mut client, moments, questions) = (Client::connect(address).await, moments.clone(), questions.clone());
        tasks.push(tokio::spawn(async move {
            let mut waits = Vec::new();
            loop {
                let next = moments.lock().await.recv().await;
                let Some(due) = next else { return waits };
                client.ask(&questions.next()).await;
                waits.push(due.elapsed().as_micros() as u32);
            }
        }));
    }
    // All of them are accepted by then.
    tokio::time::sleep(BEFORE_OPEN).await;
    let began = Instant::now();
    // A thread of its own keeps the time: the runtime's clock has steps of a millisecond.
    let clock = std::thread::spawn(move || {
        let count = (rate * length.as_secs_f64()) as u64;
        for i in 0..count {
            let moment = began + Duration::from_secs_f64(i as f64 / rate);
            let ahead = moment.saturating_duration_since(Instant::now());
            if ahead > Duration::from_micros(50) {
                std::thread::sleep(ahead);
            }
            if due.send(moment).is_err() {
                return;
            }
        }
    });
    let run = gathered(tasks, began).await;
    clock.join().expect("the clock ends well");
    run
}

async fn gathered(tasks: Vec<tokio::task::JoinHandle<Vec<u32>>>, began: Instant) -> Run {
    let mut run = Run::default();
    for task in tasks {
        run.waits.extend(task.await.expect("every answer is a 200"));
    }
    run.seconds = began.elapsed().as_secs_f64();
    run.answered = run.waits.len();
    run.waits.sort_unstable();
    run
}
