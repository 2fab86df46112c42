//! The tracker: polls every tracked server once per interval and stores the results. Several processes may share one store;
//! each poll is claimed by exactly one of them.

mod availability;
mod completed_poll;
mod connectivity;
mod draw_limit;
mod own_addresses;
mod persist;
mod pictures;
mod placeholder;
mod plausibility;
mod player_count_check;
mod poll;
mod poll_events;
mod sample_partitions;
mod schedule;
mod stats_upkeep;
mod status_bounds;

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};

use crate::config;
use crate::limits::NewPlayerQuota;
use connectivity::ConnectivityMonitor;
pub use own_addresses::own_addresses;
use persist::PersistedPoll;
use pictures::PictureRenderer;
use poll::Poller;
use rollcall_minecraft::{FORBIDDEN_ADDRESS, Host, PingClient, PingError};
use rollcall_model::clock::Clock;
use rollcall_model::time::{HOUR, SECOND};
use rollcall_store::media::Media;
use rollcall_store::tracking::{self, PlausibleTimes};
use rollcall_store::{Pool, Result, clock_skew, revision};

pub use availability::PollOutcome;
pub use completed_poll::{CompletedPoll, ReportedInfo};
pub use persist::persist_batch;
pub use schedule::PollSchedule;
pub use stats_upkeep::StatsUpkeep;
pub use status_bounds::SanitizedStatus;

/// How often due polls are claimed.
const TICK: Duration = Duration::from_millis(250);
/// Polls stored in one transaction, and how long the first of them waits for others.
const BATCH_SIZE: usize = 512;
const BATCH_DELAY: Duration = Duration::from_millis(250);
/// Completed polls that may wait to be stored. If the store is slower, pollers wait (backpressure).
const QUEUE_CAPACITY: usize = 4 * BATCH_SIZE;
/// Overdue polls are caught up at no more than this multiple of the normal rate.
const CATCH_UP_RATE: f64 = 1.5;
/// Polls that a tick may claim even if few servers are tracked.
const MIN_CLAIMS_PER_TICK: i64 = 16;
/// Up to this many new servers are polled at once; more are spread over the interval.
const MAX_IMMEDIATE_FIRST_POLLS: usize = 100;
/// New servers are looked up every this many ticks.
const NEW_SERVERS_EVERY: u32 = 4;
/// Ticks between two searches for rows from the future: a minute.
const HEAL_EVERY: u32 = 240;
/// How often the names of this service are looked up.
const OWN_ADDRESSES_INTERVAL: Duration = Duration::from_secs(300);
const POISON: &str = "no panic while this lock is held";

pub struct Tracker {
    /// Names and addresses of this service.
    own_hosts: Vec<String>,
    pool: Pool,
    clock: Clock,
    interval: i64,
    /// Whether events tell who joined and left.
    tells_players: bool,
    /// Rows of the tracking table: the tracked servers, and one for the network totals.
    tracked: AtomicI64,
    poller: Poller,
    /// One permit per concurrent ping.
    ping_permits: Arc<Semaphore>,
    connectivity: ConnectivityMonitor,
    new_players: Mutex<NewPlayerQuota>,
    /// Servers with a forbidden address that were logged already.
    logged_forbidden: Mutex<HashSet<i64>>,
}

impl Tracker {
    /// `None` if polling is turned off. `own_hosts` are names and addresses of this service, which are not polled. `tells_players`:
    /// whether events tell who joined and left.
    pub fn new(
        settings: &config::Tracker,
        tells_players: bool,
        client: Arc<PingClient>,
        own_hosts: Vec<String>,
        pool: Pool,
        media: Media,
        clock: Clock,
    ) -> Option<Arc<Self>> {
        let interval = settings.ping_interval?;
        if settings.allow_private_addresses {
            tracing::warn!("the SSRF guard is off: private and loopback addresses are pinged too");
        }
        Some(Arc::new(Self {
            poller: Poller { client, pictures: PictureRenderer::new(media), clock: clock.clone() },
            own_hosts,
            pool,
            clock,
            interval: i64::try_from(interval.as_millis()).unwrap_or(i64::MAX),
            tells_players,
            tracked: AtomicI64::new(0),
            ping_permits: Arc::new(Semaphore::new(settings.max_concurrent_pings)),
            connectivity: ConnectivityMonitor::default(),
            new_players: Mutex::default(),
            logged_forbidden: Mutex::default(),
        }))
    }

    /// Polls until `stop`. Store errors are logged and do not end it; polls that cannot be stored leave a gap.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let (completed, queue) = mpsc::channel(QUEUE_CAPACITY);
        let writer = tokio::spawn(self.clone().persist_polls(queue));
        let poll = async {
            let client = &self.poller.client;
            client.guard.set_own_addresses(own_addresses(&client.resolver, &self.own_hosts).await.0);
            self.clone().poll_due_servers(completed).await;
        };
        tokio::select! {
            () = stop => {}
            () = poll => {}
            () = self.refresh_own_addresses() => {}
            () = sample_partitions::run(&self.pool, &self.clock) => {}
        }
        // Running pings are dropped; completed polls are still stored.
        self.ping_permits.close();
        let _ = tokio::time::timeout(BATCH_DELAY * 4, writer).await;
    }

    /// Keeps the guard's list of our own addresses current.
    async fn refresh_own_addresses(&self) {
        loop {
            tokio::time::sleep(OWN_ADDRESSES_INTERVAL).await;
            let client = &self.poller.client;
            let (addresses, is_complete) = own_addresses(&client.resolver, &self.own_hosts).await;
            // While DNS fails, the last known addresses stay forbidden.
            if is_complete {
                client.guard.set_own_addresses(addresses);
            }
        }
    }

    async fn poll_due_servers(self: Arc<Self>, completed: mpsc::Sender<CompletedPoll>) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut seen, mut tick, mut store_failed) = (None, 0_u32, false);
        loop {
            ticks.tick().await;
            let outcome = async {
                if tick.is_multiple_of(HEAL_EVERY) {
                    self.heal_future_rows().await?;
                }
                if tick.is_multiple_of(NEW_SERVERS_EVERY) {
                    seen = self.start_tracking_new_servers(seen).await?;
                }
                self.start_due_polls(&completed).await
            };
            match outcome.await {
                Ok(()) if store_failed => {
                    store_failed = false;
                    tracing::info!("store is available again; polling resumed");
                }
                Err(error) if !store_failed => {
                    store_failed = true;
                    tracing::error!(%error, "polling paused: the store is not available");
                }
                _ => {}
            }
            tick = tick.wrapping_add(1);
        }
    }

    fn schedule(&self) -> PollSchedule {
        PollSchedule::new(self.interval, self.tracked.load(Ordering::Relaxed))
    }

    /// A machine whose clock was ahead may have planned polls and written samples in the future.
    async fn heal_future_rows(&self) -> Result<()> {
        let (clock, now) = (self.clock.clone(), self.clock.now());
        let times = PlausibleTimes {
            now,
            latest_sample: now + clock_skew::MAX_SKEW,
            latest_due: now + 2 * self.interval + clock_skew::MAX_SKEW,
            latest_due_failing: now + 2 * self.interval.max(HOUR),
        };
        let is_any = self.pool.read(move |conn| {
            clock_skew::check(conn, &clock)?;
            tracking::is_any_future(conn, &times)
        });
        if is_any.await? {
            let servers = self.pool.write(move |conn| tracking::heal_future(conn, &times)).await?;
            tracing::warn!(
                servers,
                "polls or samples were too far in the future: a clock was wrong, or the interval is shorter now; planned them again"
            );
        }
        Ok(())
    }

    /// Starts to track servers added since the revision `seen`. Returns the current revision.
    async fn start_tracking_new_servers(
        &self,
        seen: Option<revision::StoreRevision>,
    ) -> Result<Option<revision::StoreRevision>> {
        let (now, interval, tracked) = (self.clock.now(), self.interval, self.tracked.load(Ordering::Relaxed));
        // PostgreSQL loses the schedule when it crashes.
        let (rev, has_schedule) =
            self.pool.read(|conn| Ok((revision::current(conn)?, tracking::has_schedule(conn)?))).await?;
        if seen == Some(rev) && has_schedule {
            return Ok(seen);
        }
        let (current, rows, new) = self
            .pool
            .write(move |conn| {
                let current = revision::current(conn)?;
                let since = seen.filter(|seen| current.continues(seen)).map_or(-1, |seen| seen.rev);
                let new = tracking::start_tracking(conn, since, |n, count| {
                    let schedule = PollSchedule::new(interval, tracked + count as i64);
                    if count <= MAX_IMMEDIATE_FIRST_POLLS { now } else { schedule.first_due(n, now) }
                })?;
                Ok((current, tracking::count(conn)?, new))
            })
            .await?;
        if new > 0 {
            tracing::info!(new, tracked = rows - 1, "started polling new servers");
        }
        self.tracked.store(rows, Ordering::Relaxed);
        metrics::gauge!("rollcall_tracked_servers").set((rows - 1) as f64);
        Ok(Some(current))
    }

    /// Claims due polls, as many as there are free permits, and starts them.
    async fn start_due_polls(self: &Arc<Self>, completed: &mpsc::Sender<CompletedPoll>) -> Result<()> {
        let free = self.ping_permits.available_permits() as i64;
        metrics::gauge!("rollcall_free_ping_slots").set(free as f64);
        let per_tick = self.tracked.load(Ordering::Relaxed) as f64 * TICK.as_millis() as f64 / self.interval as f64;
        let limit = ((per_tick * CATCH_UP_RATE).ceil() as i64).max(MIN_CLAIMS_PER_TICK).min(free);
        let (now, schedule) = (self.clock.now(), self.schedule());
        // A read first: an empty claim would still take the write lock.
        let clock = self.clock.clone();
        let oldest_due = self.pool.read(move |conn| {
            clock_skew::check(conn, &clock)?;
            tracking::oldest_due(conn, now)
        });
        let oldest_due = oldest_due.await?;
        metrics::gauge!("rollcall_tracker_lag_seconds").set((now - oldest_due.unwrap_or(now)) as f64 / SECOND as f64);
        if limit == 0 || oldest_due.is_none() {
            return Ok(());
        }
        let claims = self
            .pool
            .write(move |conn| {
                tracking::claim(conn, now, limit, |n, failing_since| {
                    schedule.next_due(n, now, schedule.pause(failing_since, now))
                })
            })
            .await?;
        for claim in claims {
            let Ok(permit) = self.ping_permits.clone().try_acquire_owned() else { break };
            let new_player_limit = self.new_players.lock().expect(POISON).remaining(claim.server_n, now);
            let (tracker, completed) = (self.clone(), completed.clone());
            tokio::spawn(async move {
                let poll = tracker.poller.poll(claim, new_player_limit).await;
                drop(permit);
                if tracker.counts(&poll).await {
                    let _ = completed.send(poll).await;
                }
            });
        }
        Ok(())
    }

    fn is_configured_forbidden(&self, server: &tracking::PollTarget) -> bool {
        let is_low_port =
            u16::try_from(server.port).is_ok_and(|port| self.poller.client.guard.check_port(port).is_err());
        is_low_port || is_literal_address(&server.host)
    }

    /// Whether a poll is stored. A failure that is our own fault says nothing about the server.
    async fn counts(&self, poll: &CompletedPoll) -> bool {
        let Some(server) = &poll.claim.server else { return true };
        match &poll.outcome {
            // The SSRF guard rejected the configured address or port; a name that leads to one is an outage instead.
            PollOutcome::Failed { reason } if *reason == FORBIDDEN_ADDRESS && self.is_configured_forbidden(server) => {
                if self.logged_forbidden.lock().expect(POISON).insert(poll.claim.server_n) {
                    tracing::warn!(
                        server = server.slug,
                        address = server.host,
                        "server is not polled: its address or port is not allowed; --allow-private-addresses and tracker.low_ports permit it"
                    );
                }
                false
            }
            PollOutcome::Failed { reason } if PingError::may_be_local_fault(reason) => {
                let client = &self.poller.client;
                // A private network may have no name server to check against.
                client.guard.allows_private_addresses()
                    || !server.is_online
                    || !self.connectivity.record_unreachable(&client.resolver).await
            }
            _ => {
                self.connectivity.record_response();
                true
            }
        }
    }

    async fn persist_polls(self: Arc<Self>, mut queue: mpsc::Receiver<CompletedPoll>) {
        let mut batch = Vec::with_capacity(BATCH_SIZE);
        while queue.recv_many(&mut batch, BATCH_SIZE).await > 0 {
            if batch.len() < BATCH_SIZE {
                tokio::time::sleep(BATCH_DELAY).await;
                while batch.len() < BATCH_SIZE
                    && let Ok(poll) = queue.try_recv()
                {
                    batch.push(poll);
                }
            }
            self.persist(std::mem::take(&mut batch)).await;
        }
    }

    async fn persist(&self, batch: Vec<CompletedPoll>) {
        let (batch, schedule, now) = (Arc::new(batch), self.schedule(), self.clock.now());
        for poll in batch.iter() {
            let waited = (now - poll.at).max(0) as f64 / SECOND as f64;
            metrics::histogram!("rollcall_batch_wait_seconds", "batch" => "polls").record(waited);
        }
        let work = batch.clone();
        let (clock, tells_players) = (self.clock.clone(), self.tells_players);
        let persisted = self.pool.write(move |conn| {
            // Before the first row: results with a wrong time would hide later ones.
            clock_skew::check(conn, &clock)?;
            persist_batch(conn, &work, schedule, tells_players)
        });
        match persisted.await {
            Ok(persisted) => {
                for poll in persisted {
                    self.new_players.lock().expect(POISON).consume(poll.server_n, poll.new_players);
                    log_transition(&poll, &batch);
                }
            }
            Err(error) => tracing::error!(%error, polls = batch.len(), "cannot store poll results; they are lost"),
        }
    }
}

fn is_literal_address(host: &str) -> bool {
    matches!(host.parse(), Ok(Host::Address(_)))
}

fn log_transition(persisted: &PersistedPoll, batch: &[CompletedPoll]) {
    if !persisted.went_offline && !persisted.came_back {
        return;
    }
    let Some(poll) = batch.iter().find(|poll| poll.claim.server_n == persisted.server_n) else { return };
    let Some(server) = &poll.claim.server else { return };
    match &poll.outcome {
        PollOutcome::Failed { reason } => tracing::info!(server = server.slug, reason, "server went offline"),
        PollOutcome::Replied { .. } => tracing::info!(server = server.slug, "server is back online"),
    }
}
