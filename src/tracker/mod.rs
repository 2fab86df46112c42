//! Calls the roll: every interval each tracked server is asked how it is, and what it says is kept. Any number of
//! processes may do so on one store; each round belongs to whoever took it first.

mod connectivity;
mod new_player_quota;
mod outage_detector;
mod persist;
mod pictures;
mod poll;
mod sanitize;
pub mod schedule;

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};

use crate::config;
use connectivity::CutOff;
use new_player_quota::Newcomers;
use pictures::Painter;
use poll::Rounds;
use rollcall_model::clock::Clock;
use rollcall_ping::{Asker, FORBIDDEN, Failure, Host, Names};
use rollcall_store::media::Media;
use rollcall_store::{Pool, Result, changes, tracking};
use schedule::Beat;

pub use outage_detector::Outcome;
pub use persist::{Finished, Kept, Told, keep};
pub use poll::UNKNOWN;
pub use sanitize::Believed;

/// How often it is looked whose round is due.
const TICK: Duration = Duration::from_millis(250);
/// Rounds that are kept in one transaction, and how long the first of them waits for others.
const BATCH: usize = 512;
const GATHER: Duration = Duration::from_millis(250);
/// Rounds that may wait to be kept; those who ask wait then.
const WAITING: usize = 4 * BATCH;
/// Those that are behind catch up at no more than so many times the usual speed.
const CATCH_UP: f64 = 1.5;
/// Rounds taken at once however few are tracked.
const LEAST_AT_ONCE: i64 = 16;
/// More new servers than this at once are spread over the interval; fewer are asked right away.
const FEW: usize = 100;
/// How often new servers are looked for.
const ENLIST_EVERY: u32 = 4;
/// How often pictures that nobody shows any more are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(6 * 3600);
const POISON: &str = "nothing panics under this lock";

pub struct Tracker {
    pool: Pool,
    clock: Clock,
    interval: i64,
    /// How many servers are tracked, the roll included.
    tracked: AtomicI64,
    rounds: Rounds,
    asks: Arc<Semaphore>,
    cut_off: CutOff,
    newcomers: Mutex<Newcomers>,
    /// Servers whose addresses may not be asked, and that this was said of.
    forbidden: Mutex<HashSet<i64>>,
}

impl Tracker {
    /// `None` when nobody is to be asked.
    pub fn new(settings: &config::Tracker, names: Names, pool: Pool, media: Media, clock: Clock) -> Option<Arc<Self>> {
        let interval = settings.ping_interval?;
        if settings.allow_private_addresses {
            tracing::warn!("addresses of private networks and of this machine are asked, too");
        }
        let asker = Asker { names, allow_private: settings.allow_private_addresses, deadline: settings.ask_deadline() };
        Some(Arc::new(Self {
            rounds: Rounds { asker, painter: Painter::new(media), clock: clock.clone() },
            pool,
            clock,
            interval: i64::try_from(interval.as_millis()).unwrap_or(i64::MAX),
            tracked: AtomicI64::new(0),
            asks: Arc::new(Semaphore::new(settings.max_asks)),
            cut_off: CutOff::default(),
            newcomers: Mutex::default(),
            forbidden: Mutex::default(),
        }))
    }

    /// Asks and keeps until `stop`. Trouble with the store is logged and passes: a round that could not be kept is a gap.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let (finished, rounds) = mpsc::channel(WAITING);
        let keeper = tokio::spawn(self.clone().keep_rounds(rounds));
        tokio::select! {
            () = stop => {}
            () = self.clone().take_rounds(finished) => {}
            () = self.sweep_pictures() => {}
        }
        // Whatever is being asked is dropped; what was answered is kept.
        self.asks.close();
        let _ = tokio::time::timeout(GATHER * 4, keeper).await;
    }

    async fn take_rounds(self: Arc<Self>, finished: mpsc::Sender<Finished>) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut seen, mut tick, mut troubled) = (None, 0_u32, false);
        loop {
            ticks.tick().await;
            let outcome = async {
                if tick.is_multiple_of(ENLIST_EVERY) {
                    seen = self.enlist(seen).await?;
                }
                self.take(&finished).await
            };
            match outcome.await {
                Ok(()) if troubled => {
                    troubled = false;
                    tracing::info!("the store answers again; servers are asked");
                }
                Err(error) if !troubled => {
                    troubled = true;
                    tracing::error!(%error, "nobody can be asked");
                }
                _ => {}
            }
            tick = tick.wrapping_add(1);
        }
    }

    fn beat(&self) -> Beat {
        Beat::new(self.interval, self.tracked.load(Ordering::Relaxed))
    }

    /// Begins to track what was added. Gives what is seen now.
    async fn enlist(&self, known: Option<changes::State>) -> Result<Option<changes::State>> {
        let (now, interval, tracked) = (self.clock.now(), self.interval, self.tracked.load(Ordering::Relaxed));
        if known.is_some() && known == Some(self.pool.read(changes::state).await?) {
            return Ok(known);
        }
        let (state, count, new) = self
            .pool
            .write(move |conn| {
                let state = changes::state(conn)?;
                let since = known.filter(|known| known.epoch == state.epoch).map_or(-1, |known| known.rev);
                let new = tracking::enlist(conn, since, |n, count| {
                    let beat = Beat::new(interval, tracked + count as i64);
                    if count <= FEW { now } else { beat.first_due(n, now) }
                })?;
                Ok((state, tracking::count(conn)?, new))
            })
            .await?;
        if new > 0 {
            tracing::info!(new, tracked = count - 1, "new servers are asked from now on");
        }
        self.tracked.store(count, Ordering::Relaxed);
        metrics::gauge!("rollcall_tracked_servers").set((count - 1) as f64);
        Ok(Some(state))
    }

    /// Takes what is due, as far as there are places to ask from.
    async fn take(self: &Arc<Self>, finished: &mpsc::Sender<Finished>) -> Result<()> {
        let places = self.asks.available_permits() as i64;
        metrics::gauge!("rollcall_free_asks").set(places as f64);
        let share = self.tracked.load(Ordering::Relaxed) as f64 * TICK.as_millis() as f64 / self.interval as f64;
        let at_once = ((share * CATCH_UP).ceil() as i64).max(LEAST_AT_ONCE).min(places);
        if at_once == 0 {
            return Ok(());
        }
        let (now, beat) = (self.clock.now(), self.beat());
        // Nobody writes who has nothing to write.
        if !self.pool.read(move |conn| tracking::is_due(conn, now)).await? {
            return Ok(());
        }
        let due = self
            .pool
            .write(move |conn| {
                tracking::claim(conn, now, at_once, |n, failing_since| {
                    beat.next_due(n, now, beat.pause(failing_since, now))
                })
            })
            .await?;
        for due in due {
            let Ok(place) = self.asks.clone().try_acquire_owned() else { break };
            let most_new = self.newcomers.lock().expect(POISON).left(due.server_n, now);
            let (tracker, finished) = (self.clone(), finished.clone());
            tokio::spawn(async move {
                let round = tracker.rounds.run(due, most_new).await;
                drop(place);
                if tracker.counts(&round).await {
                    let _ = finished.send(round).await;
                }
            });
        }
        Ok(())
    }

    /// Whether the round says anything: while we are cut off, silence does not.
    async fn counts(&self, round: &Finished) -> bool {
        let Some(server) = &round.due.server else { return true };
        match &round.outcome {
            // Our own rule is nobody's outage.
            Outcome::Failed { reason } if *reason == FORBIDDEN && is_literal(&server.host) => {
                if self.forbidden.lock().expect(POISON).insert(round.due.server_n) {
                    tracing::warn!(
                        server = server.slug,
                        "{} is not asked: it is no public address; --allow-private-addresses lifts this",
                        server.host
                    );
                }
                false
            }
            // In a network of one's own there may be no name server to ask.
            Outcome::Failed { reason } if Failure::is_silence(reason) => {
                let asker = &self.rounds.asker;
                asker.allow_private || !server.is_online || !self.cut_off.silent(&asker.names).await
            }
            _ => {
                self.cut_off.heard();
                true
            }
        }
    }

    async fn sweep_pictures(&self) {
        loop {
            tokio::time::sleep(SWEEP_EVERY).await;
            self.rounds.painter.sweep(&self.pool, self.clock.now()).await;
        }
    }

    async fn keep_rounds(self: Arc<Self>, mut rounds: mpsc::Receiver<Finished>) {
        let mut batch = Vec::with_capacity(BATCH);
        while rounds.recv_many(&mut batch, BATCH).await > 0 {
            if batch.len() < BATCH {
                tokio::time::sleep(GATHER).await;
                while batch.len() < BATCH
                    && let Ok(round) = rounds.try_recv()
                {
                    batch.push(round);
                }
            }
            self.keep_batch(std::mem::take(&mut batch)).await;
        }
    }

    async fn keep_batch(&self, batch: Vec<Finished>) {
        let (batch, beat) = (Arc::new(batch), self.beat());
        let work = batch.clone();
        match self.pool.write(move |conn| keep(conn, &work, beat)).await {
            Ok(kept) => {
                for kept in kept {
                    self.newcomers.lock().expect(POISON).came(kept.server_n, kept.new_players);
                    tell(&kept, &batch);
                }
            }
            Err(error) => tracing::error!(%error, rounds = batch.len(), "what servers said could not be kept"),
        }
    }
}

fn is_literal(host: &str) -> bool {
    matches!(host.parse(), Ok(Host::Address(_)))
}

fn tell(kept: &Kept, batch: &[Finished]) {
    if !kept.went_out && !kept.came_back {
        return;
    }
    let Some(round) = batch.iter().find(|round| round.due.server_n == kept.server_n) else { return };
    let Some(server) = &round.due.server else { return };
    match &round.outcome {
        Outcome::Failed { reason } => tracing::info!(server = server.slug, reason, "is offline"),
        Outcome::Answered { .. } => tracing::info!(server = server.slug, "is back"),
    }
}
