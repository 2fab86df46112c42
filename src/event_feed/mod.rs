//! New events of the store, read once per process for all open streams, and how many streams are open.

mod resource;
mod stream_limit;
mod stream_wakers;

use std::collections::{HashSet, VecDeque};
use std::sync::RwLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::watch;

pub use resource::resource;
pub use stream_limit::{OpenStreams, StreamRefusal, StreamSlot};
use stream_wakers::StreamWakers;

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
/// How often a stream looks for events if it is not woken.
pub const STREAM_INTERVAL: Duration = Duration::from_secs(3);
/// How long events stay in memory: longer than a stream sleeps. One that is further behind reads the store, which knows what was
/// hidden meanwhile.
const KEPT_FOR: Duration = Duration::from_secs(4);
/// Bytes that a stream takes at once, about.
const MAX_CHUNK: usize = 16 * 1024;
const UNPOISONED: &str = "nothing panics under this lock";

pub struct EventFeed {
    pool: Pool,
    clock: Clock,
    pictures: Pictures,
    pub open: OpenStreams,
    recent: RwLock<Option<RecentEvents>>,
    wakers: StreamWakers,
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
        let (open, wakers) = (OpenStreams::new(settings), StreamWakers::default());
        Self { pool, clock, pictures, open, recent: RwLock::default(), wakers }
    }

    /// Changes whenever there may be new events that the filter matches, or the service stops.
    pub fn subscribe(&self, filter: &EventFilter) -> watch::Receiver<()> {
        self.wakers.subscribe(filter)
    }

    /// Makes every stream look at the state of the service.
    pub fn wake_all(&self) {
        self.wakers.wake_all();
    }

    /// Reads new events while streams are open, until the service stops.
    pub async fn run(&self) {
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            if self.open.is_empty() {
                *self.recent.write().expect(UNPOISONED) = None;
                continue;
            }
            if let Err(error) = self.poll().await {
                // The catalogue, which polls as often, logs the outage.
                tracing::debug!(%error, "cannot read events");
            }
        }
    }

    /// Reads what is new, and wakes the streams that it is for.
    async fn poll(&self) -> Result<()> {
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
        let Some(page) = page.await? else {
            if let Some(recent) = self.recent.write().expect(UNPOISONED).as_mut() {
                recent.forget_old();
            }
            return Ok(());
        };
        let serialize = |row: EventRow| {
            let block = block(&resource(row.clone(), &self.pictures)?);
            Some(SerializedEvent { row, block })
        };
        let events: Vec<SerializedEvent> = page.events.into_iter().filter_map(serialize).collect();
        let servers: HashSet<i64> =
            events.iter().filter_map(|event| event.row.server.as_ref().map(|server| server.n)).collect();
        self.recent.write().expect(UNPOISONED).get_or_insert_with(|| RecentEvents::starting(page.next)).add(Batch {
            read_at: Instant::now(),
            newest: page.next,
            events,
        });
        match after {
            Some(_) => self.wakers.wake(servers.into_iter()),
            // What came before this is only in the store, for whichever streams.
            None => self.wakers.wake_all(),
        }
        Ok(())
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
    fn starting(after: i64) -> Self {
        Self { after, newest: after, batches: VecDeque::new() }
    }

    fn add(&mut self, batch: Batch) {
        self.newest = batch.newest;
        self.batches.push_back(batch);
        self.forget_old();
    }

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
