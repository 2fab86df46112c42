//! API keys and quotas: who may call, and how often. Knows nothing of resources.

mod key_state;
mod quota_ledger;
mod usage_guard;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
pub use key_state::RequestOutcome;
pub use quota_ledger::QuotaLedger;
pub use usage_guard::UsageGuard;

use crate::config::Config;
use crate::limits::{AttemptLimiter, bucket};
use key_state::{KeyQuota, State};
use rollcall_model::api_key::{self, Digest};
use rollcall_model::clock::Clock;
use rollcall_model::key_restriction::{RequestSource, RestrictedBy};
use rollcall_model::quota::Limits;
use rollcall_model::quota::{Admission, QuotaCounts, QuotaStatus};
use rollcall_model::time::MINUTE;
use rollcall_store::keys::{self, KeyChanges, KeyRecord, SecretRecord};
use rollcall_store::{Pool, Result, revision};

/// Every API key, kept current from the store.
pub struct Authenticator {
    keys: ArcSwap<Keys>,
    /// Wrong keys per client IP and minute.
    wrong_keys: AttemptLimiter<IpAddr>,
    /// Free calls per key and minute.
    free_calls: AttemptLimiter<i64>,
    ledger: Arc<QuotaLedger>,
    default_limits: Limits,
    clock: Clock,
    /// The revision that `keys` reflects; locked while changes are loaded.
    loaded: tokio::sync::Mutex<Option<revision::StoreRevision>>,
}

#[derive(Clone, Default)]
struct Keys {
    by_secret: HashMap<Digest, SecretEntry>,
    /// By row number.
    by_row: HashMap<i64, Arc<KeyEntry>>,
}

/// A secret and its key. A rotated key has two.
#[derive(Clone)]
struct SecretEntry {
    key: Arc<KeyEntry>,
    ends_at: Option<i64>,
}

struct KeyEntry {
    record: KeyRecord,
    limits: Limits,
    quota: Arc<KeyQuota>,
    /// Here so that a request clones one `Arc` only: reference counts that all cores write are slow.
    ledger: Arc<QuotaLedger>,
}

/// Why a request is rejected, in the order of the checks.
#[derive(Debug, PartialEq, Eq)]
pub enum Rejection {
    MissingKey,
    UnknownKey,
    /// Too many wrong keys from this IP; whole seconds to wait.
    TooManyWrongKeys(i64),
    Expired,
    Disabled,
    /// The key is not accepted for this client, origin or endpoint.
    Restricted(RestrictedBy),
    QuotaExceeded(QuotaStatus),
    /// The call uses more requests than the key may ever use at once: these, of the limit.
    LimitTooLow(u32, u32),
    /// Too many free calls of this key; whole seconds to wait.
    TooManyFreeCalls(i64),
    /// Quota cannot be reserved, so no request is admitted.
    Unavailable,
}

/// A request that may proceed.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The account that owns the key, if any. `viewer` in skins and capes is about it.
    pub account: Option<i64>,
    pub quota_status: QuotaStatus,
    /// Of a free call.
    pub key: Option<Box<KeyReport>>,
}

/// A key as its owner may see it.
#[derive(Clone, Debug)]
pub struct KeyReport {
    pub id: String,
    pub name: String,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    pub limits: Limits,
    pub used: QuotaCounts,
}

/// Each reads the ledger.
const FREE_CALLS_PER_MINUTE: u32 = 30;
/// How often changed keys are looked for. The docs promise a second.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

impl Authenticator {
    pub fn new(config: &Config, ledger: Pool, clock: Clock) -> Self {
        Self {
            keys: ArcSwap::default(),
            wrong_keys: AttemptLimiter::new(config.auth.wrong_keys_per_minute, MINUTE),
            free_calls: AttemptLimiter::new(FREE_CALLS_PER_MINUTE, MINUTE),
            ledger: Arc::new(QuotaLedger::new(ledger, clock.clone())),
            default_limits: config.limits,
            clock,
            loaded: tokio::sync::Mutex::default(),
        }
    }

    pub fn set_wrong_keys_per_minute(&self, max: u32) {
        self.wrong_keys.set_max(max);
    }

    pub fn is_healthy(&self) -> bool {
        self.ledger.is_healthy()
    }

    pub fn ledger(&self) -> Arc<QuotaLedger> {
        self.ledger.clone()
    }

    /// Loads the keys that changed.
    pub async fn refresh(&self, pool: &Pool) -> Result<()> {
        let mut loaded = self.loaded.lock().await;
        let before = *loaded;
        let changed = pool.read(move |conn| {
            if before == Some(revision::current_keys(conn)?) {
                return Ok(None);
            }
            conn.snapshot(|conn| {
                let state = revision::current_keys(conn)?;
                let known = before.filter(|before| state.continues(before));
                let changed =
                    known.map(|before| keys::changed_between(conn, before.rev, state.rev)).transpose()?.flatten();
                let all = changed.is_none();
                let changes = match changed {
                    Some(changes) => changes,
                    None => KeyChanges { changed: keys::all(conn)?, deleted: Vec::new() },
                };
                Ok(Some((state, all, changes)))
            })
        });
        if let Some((state, all, changes)) = changed.await? {
            self.load(changes, all);
            *loaded = Some(state);
        }
        Ok(())
    }

    /// Runs until the service stops. While the store is unreachable, the keys in memory stay valid; the catalogue, which
    /// polls as often, logs the outage.
    pub async fn refresh_forever(self: Arc<Self>, pool: Pool) {
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            if let Err(error) = self.refresh(&pool).await {
                tracing::debug!(%error, "cannot refresh API keys");
            }
        }
    }

    /// Replaces and removes these keys, or all of them.
    fn load(&self, changes: KeyChanges, all: bool) {
        let before = self.keys.load_full();
        let mut keys = if all { Keys::default() } else { Keys::clone(&before) };
        let secrets = |n| before.by_row.get(&n).map_or(&[][..], |key| &key.record.secrets);
        for n in changes.deleted {
            secrets(n).iter().for_each(|secret| keys.remove(secret));
            keys.by_row.remove(&n);
        }
        for record in changes.changed {
            let known = before.by_row.get(&record.n);
            secrets(record.n).iter().for_each(|secret| keys.remove(secret));
            let quota = known.map_or_else(|| Arc::new(KeyQuota::new(record.n)), |key| key.quota.clone());
            let (limits, ledger) = (record.overrides.apply_to(self.default_limits), self.ledger.clone());
            keys.add(KeyEntry { record, limits, quota, ledger });
        }
        self.keys.store(Arc::new(keys));
    }

    /// Checks a key and takes `units` requests of its quota, all or none; a call of 0 units is free. The usage guard is there as soon as the key is known, so that
    /// rejected requests are recorded, too.
    pub async fn admit(
        &self,
        presented: Option<&str>,
        source: &RequestSource<'_>,
        units: u32,
        now: i64,
    ) -> (Option<UsageGuard>, std::result::Result<Admitted, Rejection>) {
        let Some(presented) = presented.filter(|text| !text.is_empty()) else {
            return (None, Err(Rejection::MissingKey));
        };
        let Some(key) = self.find(presented, now) else {
            let rejection = self
                .wrong_keys
                .take(bucket(source.client), now)
                .map_or_else(Rejection::TooManyWrongKeys, |()| Rejection::UnknownKey);
            return (None, Err(rejection));
        };
        let usage = UsageGuard::new(key, now);
        let record = &usage.key().record;
        let admitted = match check(record, source, now) {
            Ok(()) if units == 0 => self.report(usage.key(), now).await,
            Ok(()) => {
                let taken = self.take(usage.key(), units, now).await;
                taken.map(|quota_status| Admitted { account: record.account, quota_status, key: None })
            }
            Err(rejection) => Err(rejection),
        };
        (Some(usage), admitted)
    }

    /// Whether a key that was admitted is still accepted. Takes nothing.
    pub fn check(&self, presented: &str, source: &RequestSource<'_>, now: i64) -> std::result::Result<(), Rejection> {
        let key = self.find(presented, now).ok_or(Rejection::UnknownKey)?;
        check(&key.record, source, now)
    }

    /// Admits a request without waiting: its key is valid, quota is reserved and the response is in the cache. Records the
    /// request. `None` otherwise, with nothing taken; [`Self::admit`] then decides. The cache is looked up only for a valid
    /// key.
    pub fn try_admit_now<T>(
        &self,
        presented: &str,
        now: i64,
        find_response: impl FnOnce() -> Option<(T, RequestOutcome)>,
    ) -> Option<(T, QuotaStatus)> {
        let keys = self.keys.load();
        let key = keys.find(presented, now)?;
        // Restrictions are checked by `admit`: the fast path has no endpoint yet.
        if key.record.is_expired(now) || key.record.is_off() || key.record.restrictions.is_some() {
            return None;
        }
        let (response, outcome) = find_response()?;
        let mut state = key.quota.state();
        let Admission::Admitted { quota_status, .. } = self.take_reserved(key, &mut state, 1, false, now) else {
            return None;
        };
        state.record(outcome, now);
        drop(state);
        self.ledger.schedule_flush(&key.quota);
        Some((response, quota_status))
    }

    /// Requests this process has reserved for a key and not used.
    pub fn reserved(&self, key_n: i64) -> u32 {
        self.keys.load().by_row.get(&key_n).map_or(0, |key| key.quota.state().windows.unused())
    }

    fn find(&self, presented: &str, now: i64) -> Option<Arc<KeyEntry>> {
        self.keys.load().find(presented, now).cloned()
    }

    /// Admits a free call. What this process has reserved and not used is not counted.
    async fn report(&self, key: &KeyEntry, now: i64) -> std::result::Result<Admitted, Rejection> {
        let KeyRecord { n, id, name, account, created_at, expires_at, .. } = &key.record;
        self.free_calls.take(*n, now).map_err(Rejection::TooManyFreeCalls)?;
        let used = self.ledger.used(&key.quota).await.ok_or(Rejection::Unavailable)?.at(now);
        let (id, name, limits) = (id.clone(), name.clone(), key.limits);
        let report = KeyReport { id, name, created_at: *created_at, expires_at: *expires_at, limits, used };
        Ok(Admitted { account: *account, quota_status: used.status(limits, None), key: Some(Box::new(report)) })
    }

    /// Takes requests of the reservation, and asks for more before it runs out.
    fn take_reserved(&self, key: &KeyEntry, state: &mut State, units: u32, asked: bool, now: i64) -> Admission {
        state.limits = Some(key.limits);
        let taken = state.windows.admit(key.limits, units, asked, now);
        if matches!(taken, Admission::Admitted { low: true, .. }) && !std::mem::replace(&mut state.requested, true) {
            self.ledger.request(&key.quota);
        }
        taken
    }

    /// The same, but waits for a reservation when there is none.
    async fn take(&self, key: &KeyEntry, units: u32, mut now: i64) -> std::result::Result<QuotaStatus, Rejection> {
        let quota = &key.quota;
        // A full window refuses one request, and the response names the end of the window.
        if units > 1 && units > key.limits.smallest() {
            return Err(Rejection::LimitTooLow(units, key.limits.smallest()));
        }
        // The failure count of the ledger when this request first asked it.
        let mut failures = None;
        loop {
            let settled = {
                let mut state = quota.state();
                match self.take_reserved(key, &mut state, units, failures.is_some(), now) {
                    Admission::Admitted { quota_status, .. } => return Ok(quota_status),
                    Admission::Exhausted(quota_status) => return Err(Rejection::QuotaExceeded(quota_status)),
                    Admission::NeedsReservation => {}
                }
                if *failures.get_or_insert(state.failures) != state.failures {
                    return Err(Rejection::Unavailable);
                }
                state.waiting += units;
                if !std::mem::replace(&mut state.requested, true) {
                    self.ledger.request(quota);
                }
                // Registered before the lock is released, so that the notification is not missed.
                quota.settled.notified()
            };
            settled.await;
            now = self.clock.now();
        }
    }
}

fn check(record: &KeyRecord, source: &RequestSource<'_>, now: i64) -> std::result::Result<(), Rejection> {
    if record.is_expired(now) {
        return Err(Rejection::Expired);
    }
    if record.is_off() {
        return Err(Rejection::Disabled);
    }
    match &record.restrictions {
        Some(restrictions) => restrictions.check(source).map_err(Rejection::Restricted),
        None => Ok(()),
    }
}

impl Keys {
    fn add(&mut self, key: KeyEntry) {
        let key = Arc::new(key);
        for secret in &key.record.secrets {
            if let Some(digest) = api_key::digest_of_hex(&secret.hash) {
                self.by_secret.insert(digest, SecretEntry { key: key.clone(), ends_at: secret.ends_at });
            }
        }
        self.by_row.insert(key.record.n, key);
    }

    fn remove(&mut self, secret: &SecretRecord) {
        if let Some(digest) = api_key::digest_of_hex(&secret.hash) {
            self.by_secret.remove(&digest);
        }
    }

    /// In memory only: a wrong key costs no query.
    fn find(&self, presented: &str, now: i64) -> Option<&Arc<KeyEntry>> {
        let SecretEntry { key, ends_at } = self.by_secret.get(&api_key::digest_of(presented)?)?;
        ends_at.is_none_or(|end| now < end).then_some(key)
    }
}
