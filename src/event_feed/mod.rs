//! New events of the store, read once per process for all open streams, and how many streams are open.

mod resource;
mod stream_limit;

use std::collections::VecDeque;
use std::sync::RwLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::watch;

pub use resource::resource;
pub use stream_limit::{OpenStreams, StreamRefusal, StreamSlot};

use crate::config;
use rollcall_model::clock::Clock;
use rollcall_model::event;
use rollcall_model::resources::{Event, Pictures};
use rollcall_store::events::{self, EventFilter, EventPage, EventRow};
use rollcall_store::{Pool, Result};

/// How often the store is asked for new events.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Events read at once.
const BATCH: usize = 1_000;
/// How long events stay in memory. A stream that is further behind reads the store, which knows what was hidden meanwhile.
const KEPT_FOR: Duration = Duration::from_secs(2);
/// Bytes that a stream takes at once, about.
const MAX_CHUNK: usize = 16 * 1024;
const UNPOISONED: &str = "nothing panics under this lock";

pub struct EventFeed {
    pool: Pool,
    clock: Clock,
    pictures: Pictures,
    pub open: OpenStreams,
    recent: RwLock<Option<RecentEvents>>,
    /// Wakes streams.
    news: watch::Sender<()>,
}

/// The newest events, without a gap.
struct RecentEvents {
    /// Everything after this number is here.
    after: i64,
    /// Everything up to this number has been read.
    newest: i64,
    batches: VecDeque<Batch>,
}

struct Batch {
    read_at: Instant,
    newest: i64,
    events: Vec<SerializedEvent>,
}

struct SerializedEvent {
    row: EventRow,
    block: Bytes,
}

/// The next bytes of a stream, and their last event number.
pub struct Chunk {
    pub bytes: Bytes,
    pub newest: i64,
}

impl EventFeed {
    pub fn new(settings: &config::Events, pool: Pool, clock: Clock, pictures: Pictures) -> Self {
        let (open, news) = (OpenStreams::new(settings), watch::channel(()).0);
        Self { pool, clock, pictures, open, recent: RwLock::default(), news }
    }

    /// Completes a change whenever there may be new events, or the service stops.
    pub fn subscribe(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// Makes every stream look at the state of the service.
    pub fn wake(&self) {
        let _ = self.news.send(());
    }

    /// Reads new events while streams are open, until the service stops.
    pub async fn run(&self) {
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            if self.news.receiver_count() == 0 {
                *self.recent.write().expect(UNPOISONED) = None;
                continue;
            }
            match self.poll().await {
                Ok(true) => self.wake(),
                Ok(false) => {}
                // The catalogue, which polls as often, logs the outage.
                Err(error) => tracing::debug!(%error, "cannot read events"),
            }
        }
    }

    /// Reads what is new; whether there was anything.
    async fn poll(&self) -> Result<bool> {
        let after = self.recent.read().expect(UNPOISONED).as_ref().map(|recent| recent.newest);
        let now = self.clock.now();
        let page = self.pool.read(move |conn| {
            let newest = events::newest_number(conn)?;
            match after {
                None => Ok(Some(EventPage { events: Vec::new(), next: newest, is_end: true })),
                Some(after) if newest <= after => Ok(None),
                after => events::page(conn, &|_| None, &EventFilter::default(), after, BATCH, now).map(Some),
            }
        });
        let page = page.await?;
        let mut recent = self.recent.write().expect(UNPOISONED);
        let Some(page) = page else {
            if let Some(recent) = recent.as_mut() {
                recent.forget_old();
            }
            return Ok(false);
        };
        let recent = recent.get_or_insert_with(|| RecentEvents {
            after: page.next,
            newest: page.next,
            batches: VecDeque::new(),
        });
        let serialize = |row: EventRow| {
            let block = block(&resource(row.clone(), &self.pictures)?);
            Some(SerializedEvent { row, block })
        };
        let events = page.events.into_iter().filter_map(serialize).collect();
        recent.newest = page.next;
        recent.batches.push_back(Batch { read_at: Instant::now(), newest: page.next, events });
        recent.forget_old();
        Ok(true)
    }

    /// What comes after an event number; empty bytes: nothing that matches.
    pub async fn next(&self, filter: &EventFilter, after: i64) -> Result<Chunk> {
        if let Some(chunk) =
            self.recent.read().expect(UNPOISONED).as_ref().and_then(|recent| recent.next(filter, after))
        {
            return Ok(chunk);
        }
        let (filter, now) = (filter.clone(), self.clock.now());
        let page =
            self.pool.read(move |conn| events::page(conn, &|_| None, &filter, Some(after), STORE_PAGE, now)).await?;
        let blocks = page.events.into_iter().filter_map(|row| Some(block(&resource(row, &self.pictures)?)));
        Ok(Chunk { bytes: blocks.collect::<Vec<_>>().concat().into(), newest: page.next })
    }
}

/// Events that a stream reads from the store at once.
const STORE_PAGE: usize = 50;

impl RecentEvents {
    fn forget_old(&mut self) {
        while let Some(batch) = self.batches.pop_front_if(|batch| batch.read_at.elapsed() > KEPT_FOR) {
            self.after = batch.newest;
        }
    }

    /// `None` if what comes after this number is not here.
    fn next(&self, filter: &EventFilter, after: i64) -> Option<Chunk> {
        if after < self.after {
            return None;
        }
        let mut bytes = Vec::new();
        let is_new = |event: &&SerializedEvent| event.row.n > after && filter.matches(&event.row);
        let batches = self.batches.iter().filter(|batch| batch.newest > after);
        for event in batches.flat_map(|batch| &batch.events).filter(is_new) {
            bytes.extend_from_slice(&event.block);
            if bytes.len() >= MAX_CHUNK {
                return Some(Chunk { bytes: bytes.into(), newest: event.row.n });
            }
        }
        Some(Chunk { bytes: bytes.into(), newest: self.newest.max(after) })
    }
}

/// An event in the format of server-sent events.
fn block(event: &Event) -> Bytes {
    let json = serde_json::to_string(event).expect("a resource serializes");
    format!("id: {}\nevent: {}\ndata: {json}\n\n", event.id, event.r#type).into()
}

/// Sets the id from which a client goes on, without an event: also a stream whose filter matches nothing keeps a fresh one.
pub fn id_block(n: i64) -> Bytes {
    format!(": alive\nid: {}\n\n", event::id(n)).into()
}
