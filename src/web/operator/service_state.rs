//! The figures of the overview. All but those of [`NodeState`] come from the store, so every node shows the same.

use crate::app::App;
use crate::error::ApiError;
use crate::security_log::SecurityEventKind;
use rollcall_model::message::translatable;
use rollcall_model::usage::{UsageCounts, UsageLine, UsageOutcome, UsageReport, UsageSpan};
use rollcall_store::media::{DiskSpace, PictureUsage};
use rollcall_store::service_state::{self, AccountReport, CurrentOutage, TrackerReport};
use rollcall_store::usage::{self, KeyRequests};
use rollcall_store::{Conn, Result, keys};

const BUSY_KEYS: i64 = 10;
const SHOWN_OUTAGES: i64 = 20;

pub struct ServiceState {
    pub last_hour: UsageCounts,
    pub last_day: UsageCounts,
    pub tracker: TrackerReport,
    pub accounts: AccountReport,
    /// Bytes of the database; of both files on SQLite.
    pub database_size: i64,
    /// `None` if the files cannot be read.
    pub pictures: Option<PictureUsage>,
    pub disk: Option<DiskSpace>,
    pub outages: Vec<CurrentOutage>,
    pub outage_count: i64,
    /// Requests of the chosen span.
    pub lines: Vec<UsageLine>,
    pub busy_keys: Vec<BusyKey>,
    pub node: NodeState,
}

/// A key with many requests in the chosen span.
pub struct BusyKey {
    pub id: String,
    pub name: String,
    pub owner: Option<String>,
    pub counts: KeyRequests,
}

/// Figures of this process alone.
pub struct NodeState {
    pub started_at: i64,
    pub version: &'static str,
    pub engine: &'static str,
    /// Refused requests by reason.
    pub refused: [(&'static str, i64); 9],
}

/// Figures of the ledger.
struct Traffic {
    last_hour: UsageCounts,
    last_day: UsageCounts,
    lines: Vec<UsageLine>,
    busiest: Vec<KeyRequests>,
    /// Bytes, if it is a database of its own.
    size: i64,
}

impl Traffic {
    fn read(conn: &mut Conn, span: UsageSpan, now: i64) -> Result<Self> {
        let mut total = |span| -> Result<UsageCounts> {
            Ok(UsageReport::new(span, now, &usage::of_service(conn, span, now)?).total)
        };
        let (last_hour, last_day) = (total(UsageSpan::Hour)?, total(UsageSpan::Day)?);
        let (size, shares_database) = service_state::database_size(conn)?;
        Ok(Self {
            last_hour,
            last_day,
            lines: usage::of_service(conn, span, now)?,
            busiest: usage::busiest_keys(conn, span, now, BUSY_KEYS)?,
            size: if shares_database { 0 } else { size },
        })
    }
}

impl ServiceState {
    pub async fn load(app: &App, span: UsageSpan, now: i64) -> std::result::Result<Self, ApiError> {
        let traffic = {
            // Long spans take a while to sum up; the limit leaves readers for other requests.
            let _permit = app.accounts.usage_reports.acquire().await;
            app.ledger.read(move |conn| Traffic::read(conn, span, now)).await?
        };
        let busiest = traffic.busiest;
        let read = move |conn: &mut Conn| {
            Ok((
                service_state::tracker(conn, now)?,
                service_state::accounts(conn)?,
                service_state::current_outages(conn, SHOWN_OUTAGES)?,
                service_state::database_size(conn)?,
                busy_keys(conn, busiest.clone())?,
            ))
        };
        let (tracker, accounts, (outages, outage_count), (size, is_postgres), busy_keys) = app.pool.read(read).await?;
        let media = app.media.clone();
        Ok(Self {
            last_hour: traffic.last_hour,
            last_day: traffic.last_day,
            tracker,
            accounts,
            database_size: size + traffic.size,
            pictures: app.picture_meter.measure(&app.media, now).await.ok(),
            disk: tokio::task::spawn_blocking(move || media.disk()).await.ok().flatten(),
            outages,
            outage_count,
            lines: traffic.lines,
            busy_keys,
            node: NodeState::of(app, is_postgres),
        })
    }

    pub fn failed(&self) -> (i64, i64) {
        (self.last_day.of(UsageOutcome::Failed), self.last_hour.of(UsageOutcome::Failed))
    }

    /// Client errors and requests over the limit.
    pub fn refused(&self) -> (i64, i64) {
        let refused = |counts: &UsageCounts| counts.of(UsageOutcome::Refused) + counts.of(UsageOutcome::Limited);
        (refused(&self.last_day), refused(&self.last_hour))
    }

    pub fn lag_seconds(&self) -> i64 {
        self.tracker.lag / rollcall_model::time::SECOND
    }
}

/// Deleted keys are left out.
fn busy_keys(conn: &mut Conn, busiest: Vec<KeyRequests>) -> Result<Vec<BusyKey>> {
    let numbers: Vec<i64> = busiest.iter().map(|counts| counts.key_n).collect();
    let known = keys::by_numbers(conn, &numbers)?;
    let key = |counts: KeyRequests| {
        let key = known.iter().find(|key| key.n == counts.key_n)?;
        Some(BusyKey { id: key.id.clone(), name: key.name.clone(), owner: key.owner.clone(), counts })
    };
    Ok(busiest.into_iter().filter_map(key).collect())
}

impl NodeState {
    fn of(app: &App, is_postgres: bool) -> Self {
        let reasons = [
            (translatable("Unknown API keys"), SecurityEventKind::WrongApiKey),
            (translatable("Too many unknown API keys from an IP address"), SecurityEventKind::WrongApiKeysThrottled),
            (translatable("Disabled, expired or restricted API keys"), SecurityEventKind::ApiKeyRefused),
            (translatable("Requests over the limit"), SecurityEventKind::QuotaExceeded),
            (translatable("Playground requests over the limit"), SecurityEventKind::PlaygroundThrottled),
            (translatable("Wrong passwords"), SecurityEventKind::SignInFailed),
            (translatable("Too many sign-in attempts"), SecurityEventKind::SignInThrottled),
            (translatable("Failed CAPTCHAs"), SecurityEventKind::CaptchaFailed),
            (translatable("Forms from other sites"), SecurityEventKind::CsrfRejected),
        ];
        let count = |kind| i64::try_from(app.security_log.total(kind)).unwrap_or(i64::MAX);
        Self {
            started_at: app.started_at,
            version: env!("CARGO_PKG_VERSION"),
            engine: if is_postgres { "PostgreSQL" } else { "SQLite" },
            refused: reasons.map(|(reason, kind)| (reason, count(kind))),
        }
    }
}
