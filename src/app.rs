//! The running service: everything a request may need, and the work that goes on between requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::accounts::Accounts;
use crate::auth::Gate;
use crate::captcha::Human;
use crate::catalogue::{Catalogue, Haste};
use crate::config::Config;
use crate::http::page_cache::Kept;
use crate::http::response_cache::Answers;
use crate::playground::Playground;
use crate::worker_pool::WorkerPool;
use rollcall_model::clock::Clock;
use rollcall_model::quota::Limits;
use rollcall_model::resources::Pictures;
use rollcall_model::time::MINUTE;
use rollcall_store::builtin_skins::DEFAULT_CLASSIC;
use rollcall_store::media::Media;
use rollcall_store::server_stats::{self, Basis};
use rollcall_store::{Conn, Pool, Result};

pub struct App {
    pub clock: Clock,
    pub pool: Pool,
    /// What is written while the service serves: uses of keys, sign-ins.
    pub ledger: Pool,
    pub gate: Arc<Gate>,
    pub catalogue: Catalogue,
    pub media: Media,
    pub answers: Answers,
    pub pages: Kept,
    pub accounts: Accounts,
    pub human: Arc<Human>,
    pub playground: Playground,
    /// Where clients find us, without a slash at the end.
    pub public_url: String,
    /// The document of the API, made once.
    pub openapi: bytes::Bytes,
    /// Of a key that was given none of its own.
    pub limits: Limits,
    /// Milliseconds without a ping after which the figures count as stale.
    pub stale_after: i64,
    ready: AtomicBool,
}

/// How often the store is asked whether anything changed; well under the second that is promised.
const LOOK: Duration = Duration::from_millis(200);
/// How often the figures that move with the clock are brought up to date, in milliseconds.
const AGE_EVERY: i64 = MINUTE;
/// Ageing may take at most this share of the time: one part work, so many parts rest.
const REST: i64 = 10;
/// Intervals without a ping after which figures count as stale, and the interval where nobody is asked.
const STALE_INTERVALS: i64 = 3;
const USUAL_INTERVAL: Duration = Duration::from_secs(60);
/// Every server's uptime and trend are made anew this often, as long as that takes a small share of the time.
const FIGURES_EVERY: Duration = Duration::from_secs(60);
/// One part work, so many parts rest: the writer has others to serve.
const FIGURES_REST: u32 = 20;
const UNKEPT: &str = "what the leaderboards know cannot be kept for the next start, which will count more";

impl App {
    /// Loads the catalogue; what comes back is ready to answer.
    pub async fn open(
        config: &Config,
        pool: Pool,
        ledger: Pool,
        media: Media,
        clock: Clock,
        public_url: String,
        openapi: bytes::Bytes,
    ) -> Result<Arc<Self>> {
        let human = Human::open(&pool, ledger.clone(), config.playground.checks_per_minute).await?;
        let app = Arc::new(Self {
            human: Arc::new(human),
            playground: Playground::new(config, ledger.clone()),
            gate: Arc::new(Gate::new(config, ledger.clone(), clock.clone())),
            ledger,
            clock,
            pool,
            catalogue: Catalogue::new(Pictures { base: public_url.clone() }),
            media,
            answers: Answers::new(config.cache.answers_mib),
            pages: Kept::default(),
            accounts: Accounts::new(&config.accounts),
            public_url,
            openapi,
            limits: config.limits,
            stale_after: STALE_INTERVALS * config.tracker.ping_interval.unwrap_or(USUAL_INTERVAL).as_millis() as i64,
            ready: AtomicBool::new(false),
        });
        app.gate.refresh(&app.pool).await?;
        app.refresh(Haste::AtOnce).await?;
        app.ready.store(true, Ordering::Release);
        Ok(app)
    }

    /// Takes in what anyone changed in the store.
    async fn refresh(&self, haste: Haste) -> Result<()> {
        if self.catalogue.refresh(&self.pool, self.clock.now(), haste).await? {
            self.answers.renew();
        }
        Ok(())
    }

    async fn age(&self, now: i64) -> Result<()> {
        self.catalogue.age(&self.pool, now).await?;
        self.answers.renew();
        Ok(())
    }

    async fn rank(&self, now: i64) -> Result<()> {
        self.refresh(Haste::AtOnce).await?;
        self.catalogue.rank(&self.pool, now).await?;
        self.answers.renew();
        Ok(())
    }

    /// The skin of whoever has none.
    pub fn default_skin(&self) -> String {
        self.catalogue.skins().by_slug(DEFAULT_CLASSIC).map(|skin| skin.row.png.clone()).unwrap_or_default()
    }

    /// Whether the catalogue is loaded, the store answers and limits can be kept.
    pub async fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
            && self.gate.is_well()
            && self.pool.read(rollcall_store::changes::state).await.is_ok()
    }

    /// Keeps the keys, the secret and the catalogue current, each in its own time: a catalogue that loads for long holds up no key.
    pub fn keep_current(self: &Arc<Self>) -> std::io::Result<()> {
        tokio::spawn(self.gate.clone().keep_current(self.pool.clone()));
        tokio::spawn(self.human.clone().keep_current(self.pool.clone()));
        let workers = WorkerPool::new(2, "catalogue")?;
        workers.spawn(self.clone().keep_catalogue());
        workers.spawn(self.clone().keep_boards());
        workers.detach();
        Ok(())
    }

    /// Keeps the catalogue current until the service stops.
    async fn keep_catalogue(self: Arc<Self>) {
        let (mut trouble, mut ageing) = (Trouble::default(), Ageing::begun(self.clock.now()));
        loop {
            tokio::time::sleep(LOOK).await;
            // The time first: whatever was changed before it came is taken in by then.
            let now = self.clock.now();
            let mut outcome = self.refresh(Haste::InTime).await;
            self.catalogue.index().await;
            if outcome.is_ok() && ageing.is_due(now) {
                let started = Instant::now();
                outcome = self.age(now).await;
                ageing.done(now, started.elapsed());
            }
            trouble.saw(outcome, "the catalogue cannot be refreshed; what is in memory stays");
        }
    }

    /// Keeps the leaderboards current until the service stops. Apart from the rest, which must not wait for them.
    async fn keep_boards(self: Arc<Self>) {
        let (mut trouble, mut ageing) = (Trouble::default(), Ageing::begun(self.clock.now()));
        let mut trouble_keeping = Trouble::default();
        // What was counted for the start serves the next one, too.
        trouble_keeping.saw(self.catalogue.keep_standings(&self.pool).await, UNKEPT);
        loop {
            tokio::time::sleep(LOOK).await;
            let now = self.clock.now();
            if ageing.is_due(now) {
                let started = Instant::now();
                let outcome = self.rank(now).await;
                ageing.done(now, started.elapsed());
                trouble.saw(outcome, "the leaderboards cannot be refreshed; what is in memory stays");
                trouble_keeping.saw(self.catalogue.keep_standings(&self.pool).await, UNKEPT);
            }
        }
    }

    /// Makes the figures of a few servers anew, from this one on, unless they are `known` to be as they were. Gives the number
    /// of the last server there is.
    async fn renew_figures(&self, from: i64, known: &mut HashMap<i64, Basis>) -> Result<i64> {
        let (to, now) = (from + server_stats::AT_ONCE - 1, self.clock.now());
        let look =
            move |conn: &mut Conn| Ok((server_stats::last_server(conn)?, server_stats::basis(conn, from, to, now)?));
        let (last, basis) = self.pool.read(look).await?;
        if known.get(&from) != Some(&basis) {
            self.pool.write(move |conn| server_stats::refresh(conn, from, to, now)).await?;
            known.insert(from, basis);
        }
        Ok(last)
    }

    /// Makes uptime, trend and recent players anew, a few servers at a time, round and round.
    pub async fn keep_figures(self: Arc<Self>) {
        let (mut next, mut known) = (1, HashMap::new());
        loop {
            let began = Instant::now();
            let rounds = match self.renew_figures(next, &mut known).await {
                Ok(last) => {
                    next = if next + server_stats::AT_ONCE > last { 1 } else { next + server_stats::AT_ONCE };
                    last / server_stats::AT_ONCE + 1
                }
                Err(error) => {
                    tracing::warn!(%error, "figures could not be refreshed");
                    1
                }
            };
            let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
            tokio::time::sleep((FIGURES_EVERY / rounds).max(began.elapsed() * FIGURES_REST)).await;
        }
    }
}

/// When figures that move with the clock are due.
struct Ageing {
    last: i64,
    pause: i64,
}

impl Ageing {
    fn begun(now: i64) -> Self {
        Self { last: now, pause: AGE_EVERY }
    }

    fn is_due(&self, now: i64) -> bool {
        (now - self.last).abs() >= self.pause
    }

    fn done(&mut self, began: i64, took: Duration) {
        self.last = began;
        self.pause = AGE_EVERY.max(took.as_millis() as i64 * (1 + REST));
    }
}

/// Says once that something fails, and once that it works again. It is tried again all the same: what is in memory stays
/// good enough to answer from.
#[derive(Default)]
struct Trouble(bool);

impl Trouble {
    fn saw(&mut self, outcome: Result<()>, what: &str) {
        match outcome {
            Ok(()) if self.0 => {
                self.0 = false;
                tracing::info!("the store answers again");
            }
            Err(error) if !self.0 => {
                self.0 = true;
                tracing::error!(%error, "{what}");
            }
            _ => {}
        }
    }
}
