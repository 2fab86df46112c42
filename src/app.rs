//! The running service: the state that requests share, and the background tasks that keep it current.

mod account_upkeep;
mod picture_meter;
mod picture_sweep;
mod readiness;
mod wal_upkeep;

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use picture_meter::PictureMeter;
pub use readiness::{Readiness, store_readiness};
use tokio::sync::watch;
pub use wal_upkeep::limit_wal_forever;

use self::readiness::{ServingState, StoreLoss};
use crate::accounts::Accounts;
use crate::auth::Authenticator;
use crate::captcha::Captcha;
use crate::catalogue::{Catalogue, RefreshMode};
use crate::config::{Config, Site};
use crate::event_feed::EventFeed;
use crate::http::body_reader::BodyReader;
use crate::http::drawn_pictures::DrawnPictures;
use crate::http::page_cache::PageCache;
use crate::http::response::CachedResponse;
use crate::http::response_cache::ResponseCache;
use crate::intake::Intake;
use crate::limits::AttemptLimiter;
use crate::linking::Linking;
use crate::listings::Listings;
use crate::moderation::Moderation;
use crate::playground::Playground;
use crate::security_log::SecurityLog;
use crate::texture_acts::TextureActs;
use crate::texture_uploads::SkinLookup;
use crate::tiers::TierSync;
use crate::voting::Voting;
use crate::webhooks::Webhooks;
use crate::worker_pool::WorkerPool;
use rollcall_minecraft::PingClient;
use rollcall_model::clock::Clock;
use rollcall_model::quota::Limits;
use rollcall_model::resources::Pictures;
use rollcall_model::time::MINUTE;
use rollcall_store::builtin_skins::DEFAULT_CLASSIC;
use rollcall_store::media::Media;
use rollcall_store::{Pool, Result};

pub struct App {
    pub clock: Clock,
    pub pool: Pool,
    /// A database of its own on SQLite: quota, usage and sessions, which must not wait for an import.
    pub ledger: Pool,
    pub auth: Arc<Authenticator>,
    pub catalogue: Catalogue,
    pub media: Media,
    pub response_cache: ResponseCache,
    pub page_cache: PageCache,
    pub drawn_pictures: DrawnPictures,
    pub accounts: Accounts,
    pub body_reader: BodyReader,
    pub captcha: Arc<Captcha>,
    pub playground: Playground,
    pub security_log: SecurityLog,
    /// Reports of game servers.
    pub intake: Intake,
    pub voting: Arc<Voting>,
    pub webhooks: Arc<Webhooks>,
    /// New events, for open streams.
    pub events: EventFeed,
    /// Servers that people submit and claim.
    pub listings: Arc<Listings>,
    /// Links between accounts and players.
    pub linking: Arc<Linking>,
    /// Likes, favorites, views and downloads of skins and capes.
    pub texture_acts: TextureActs,
    /// `None` if no session server is used.
    pub skin_lookup: Option<SkinLookup>,
    /// `None` if no tier list is configured.
    tier_sync: Option<TierSync>,
    pub moderation: Arc<Moderation>,
    pub picture_meter: PictureMeter,
    pub site: Arc<Site>,
    /// Search suggestions per client IP and minute.
    pub suggestions: AttemptLimiter<IpAddr>,
    /// The base URL that clients use, without a trailing slash.
    pub public_url: String,
    /// The base URL of pictures in the bucket, if browsers load them from there.
    pub picture_url: Option<String>,
    /// Scheme, host and port of it; empty if there is none.
    pub picture_origin: Arc<str>,
    /// `/openapi.json`, serialized and compressed once.
    pub openapi: CachedResponse,
    /// Limits of keys without limits of their own.
    pub limits: Limits,
    /// Milliseconds without a ping after which live figures are stale.
    pub stale_after: i64,
    /// When this process opened the store.
    pub started_at: i64,
    store_loss: StoreLoss,
    state: AtomicU8,
}

/// How often the store is polled for changes. The docs promise a second.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// While much changes, polls are rarer: each sorts all servers, however many changed. The rest is a multiple of the time it took.
const POLL_REST: u32 = 20;
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(600);
/// How often figures that change with time alone are recomputed, in milliseconds.
const TIMED_REFRESH_INTERVAL: i64 = MINUTE;
/// The rest after a recomputation, as a multiple of the time it took.
const TIMED_REFRESH_REST: i64 = 10;
/// Twice what a fast typist asks for without a pause.
const SUGGESTIONS_PER_MINUTE: u32 = 240;
/// Ping intervals without a ping after which live figures are stale, and the interval assumed when pings are off.
const STALE_INTERVALS: i64 = 3;
const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);
const SNAPSHOT_FAILED: &str = "cannot save the leaderboard snapshot; the next start will recompute leaderboards";

impl App {
    /// Loads keys and catalogue; the returned service is ready. Takes the pools of the store and of its ledger.
    pub async fn open(
        config: &Config,
        (pool, ledger): (Pool, Pool),
        media: Media,
        clock: Clock,
        public_url: String,
        openapi: bytes::Bytes,
        pinger: Arc<PingClient>,
    ) -> Result<Arc<Self>> {
        let captcha = Captcha::open(&pool, ledger.clone(), config.playground.checks_per_minute).await?;
        let accounts = Accounts::new(&config.accounts).map_err(rollcall_store::Error::Unavailable)?;
        account_upkeep::encrypt_second_factors(&accounts, &pool).await?;
        let (pictures, cipher) = (Pictures { base: public_url.clone() }, accounts.secret_cipher.clone());
        let webhooks =
            Webhooks::new(&config.webhooks, pool.clone(), clock.clone(), pinger.clone(), pictures.clone(), cipher);
        webhooks.encrypt_secrets().await?;
        let app = Arc::new(Self {
            captcha: Arc::new(captcha),
            playground: Playground::new(config, ledger.clone()),
            auth: Arc::new(Authenticator::new(config, ledger.clone(), clock.clone())),
            ledger,
            intake: Intake::new(pool.clone(), clock.clone(), config.events.players),
            voting: Arc::new(Voting::new(config.voting.human_check, pool.clone(), clock.clone(), pinger.clone())),
            webhooks: Arc::new(webhooks),
            skin_lookup: SkinLookup::new(&config.linking, pinger.clone(), clock.clone()),
            listings: Arc::new(Listings::new(&config.listing, pool.clone(), media.clone(), clock.clone(), pinger)),
            linking: Arc::new(Linking::new(&config.linking, &public_url, pool.clone(), clock.clone())),
            tier_sync: TierSync::new(&config.tiers, pool.clone(), clock.clone()),
            texture_acts: TextureActs::new(pool.clone(), clock.clone()),
            events: EventFeed::new(&config.events, pool.clone(), clock.clone(), pictures.clone()),
            moderation: Moderation::new(&config.moderation, pool.clone(), clock.clone()),
            pool,
            catalogue: Catalogue::new(pictures),
            media,
            response_cache: ResponseCache::new(config.cache.responses_mib),
            page_cache: PageCache::default(),
            drawn_pictures: DrawnPictures::new(config.http.pictures_per_minute),
            accounts,
            security_log: SecurityLog::default(),
            body_reader: BodyReader::new(config.http.max_uploads),
            site: Arc::new(config.site.clone()),
            suggestions: AttemptLimiter::new(SUGGESTIONS_PER_MINUTE, MINUTE),
            public_url,
            picture_url: config.media.public_url().map(str::to_owned),
            picture_origin: config.media.public_origin().into(),
            openapi: CachedResponse::new(openapi.into()),
            limits: config.limits,
            stale_after: STALE_INTERVALS * config.tracker.ping_interval.unwrap_or(DEFAULT_INTERVAL).as_millis() as i64,
            started_at: clock.now(),
            clock,
            picture_meter: PictureMeter::default(),
            store_loss: StoreLoss::new(Duration::from_secs(config.http.lost_store_grace)),
            state: AtomicU8::new(ServingState::Loading as u8),
        });
        app.auth.refresh(&app.pool).await?;
        app.refresh(RefreshMode::Immediate).await?;
        app.state.store(ServingState::Serving as u8, Ordering::Release);
        Ok(app)
    }

    /// Loads what changed in the store.
    async fn refresh(&self, mode: RefreshMode) -> Result<()> {
        if self.catalogue.refresh(&self.pool, self.clock.now(), mode).await? {
            self.response_cache.start_generation();
        }
        Ok(())
    }

    async fn refresh_timed_figures(&self, now: i64) -> Result<()> {
        self.catalogue.refresh_time_based_stats(&self.pool, now).await?;
        self.response_cache.start_generation();
        Ok(())
    }

    async fn refresh_leaderboards(&self, now: i64) -> Result<()> {
        self.refresh(RefreshMode::Immediate).await?;
        self.catalogue.refresh_leaderboards(&self.pool, now).await?;
        self.response_cache.start_generation();
        Ok(())
    }

    /// Takes over limits per client IP that may change while the service runs.
    pub fn set_limits_per_ip(&self, config: &Config) {
        self.auth.set_wrong_keys_per_minute(config.auth.wrong_keys_per_minute);
        self.drawn_pictures.set_per_minute(config.http.pictures_per_minute);
    }

    /// The picture of the built-in classic skin.
    pub fn default_skin(&self) -> String {
        self.catalogue.skins().by_slug(DEFAULT_CLASSIC).map(|skin| skin.row.png.clone()).unwrap_or_default()
    }

    /// Starts the tasks that keep keys, captcha secret and catalogue current. Each has its own: a catalogue that loads for
    /// long must not delay keys.
    pub fn start_background_tasks(self: &Arc<Self>) -> std::io::Result<()> {
        tokio::spawn(self.auth.clone().refresh_forever(self.pool.clone()));
        tokio::spawn(self.captcha.clone().keep_current(self.pool.clone()));
        tokio::spawn(self.clone().keep_account_logs());
        tokio::spawn(self.clone().sweep_pictures_forever());
        let app = self.clone();
        tokio::spawn(async move { app.intake.run().await });
        let app = self.clone();
        tokio::spawn(async move { app.events.run().await });
        let app = self.clone();
        tokio::spawn(async move { app.voting.write_votes().await });
        let app = self.clone();
        tokio::spawn(async move { app.texture_acts.write_marks().await });
        tokio::spawn(self.voting.clone().deliver_votes());
        tokio::spawn(self.webhooks.clone().alert_forever(self.ledger.clone()));
        tokio::spawn(self.webhooks.clone().fan_out_forever());
        tokio::spawn(self.webhooks.clone().send_forever());
        tokio::spawn(self.listings.clone().keep_current());
        tokio::spawn(self.linking.clone().delete_expired_codes());
        let app = self.clone();
        tokio::spawn(async move {
            if let Some(tier_sync) = &app.tier_sync {
                tier_sync.run().await;
            }
        });
        tokio::spawn(self.moderation.clone().publish_scheduled_posts());
        let workers = WorkerPool::new(2, "catalogue")?;
        workers.spawn(self.clone().refresh_catalogue_forever());
        workers.spawn(self.clone().refresh_leaderboards_forever());
        workers.detach();
        Ok(())
    }

    /// Writes quota, usage, views and downloads until `stop`, then what is pending.
    pub async fn write_counts(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let (stopped, watch) = watch::channel(false);
        let until_stopped = |mut watch: watch::Receiver<bool>| async move {
            let _ = watch.wait_for(|stopped| *stopped).await;
        };
        tokio::join!(
            self.auth.ledger().run(until_stopped(watch.clone())),
            self.texture_acts.visits.run(until_stopped(watch)),
            async {
                stop.await;
                let _ = stopped.send(true);
            }
        );
    }

    /// Keeps the catalogue current until the service stops.
    async fn refresh_catalogue_forever(self: Arc<Self>) {
        let (mut outage_log, mut timed_refresh) = (OutageLog::default(), TimedRefresh::started(self.started_at));
        let mut pause = POLL_INTERVAL;
        loop {
            tokio::time::sleep(pause).await;
            // Read the clock first, so that every earlier change is included.
            let (now, started) = (self.clock.now(), Instant::now());
            let mut outcome = self.refresh(RefreshMode::Throttled).await;
            pause = (started.elapsed() * POLL_REST).clamp(POLL_INTERVAL, MAX_POLL_INTERVAL);
            self.catalogue.build_search_index().await;
            if outcome.is_ok() && timed_refresh.is_due(now) {
                let started = Instant::now();
                outcome = self.refresh_timed_figures(now).await;
                timed_refresh.done(now, started.elapsed());
            }
            outage_log.record(outcome, "cannot refresh the catalogue; serving the last known data");
        }
    }

    /// Keeps the leaderboards current until the service stops. A task of its own, so that lists do not wait for it.
    async fn refresh_leaderboards_forever(self: Arc<Self>) {
        let (mut outage_log, mut timed_refresh) = (OutageLog::default(), TimedRefresh::started(self.started_at));
        let mut snapshot_log = OutageLog::default();
        // Results of this start save work for the next one.
        snapshot_log.record(self.catalogue.save_leaderboard_snapshot(&self.pool).await, SNAPSHOT_FAILED);
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            let now = self.clock.now();
            if timed_refresh.is_due(now) {
                let started = Instant::now();
                let outcome = self.refresh_leaderboards(now).await;
                timed_refresh.done(now, started.elapsed());
                outage_log.record(outcome, "cannot refresh the leaderboards; serving the last known data");
                snapshot_log.record(self.catalogue.save_leaderboard_snapshot(&self.pool).await, SNAPSHOT_FAILED);
            }
        }
    }
}

/// When figures that change with time alone are due.
struct TimedRefresh {
    last: i64,
    pause: i64,
}

impl TimedRefresh {
    /// `at`: not later than the time for which the figures were loaded, however late the task begins.
    fn started(at: i64) -> Self {
        Self { last: at, pause: TIMED_REFRESH_INTERVAL }
    }

    fn is_due(&self, now: i64) -> bool {
        (now - self.last).abs() >= self.pause
    }

    fn done(&mut self, began: i64, took: Duration) {
        self.last = began;
        self.pause = TIMED_REFRESH_INTERVAL.max(took.as_millis() as i64 * (1 + TIMED_REFRESH_REST));
    }
}

/// Logs the start and the end of an outage once each.
#[derive(Default)]
struct OutageLog(bool);

impl OutageLog {
    fn record(&mut self, outcome: Result<()>, what: &str) {
        match outcome {
            Ok(()) if self.0 => {
                self.0 = false;
                tracing::info!("the store is reachable again");
            }
            Err(error) if !self.0 => {
                self.0 = true;
                tracing::error!(%error, "{what}");
            }
            _ => {}
        }
    }
}
