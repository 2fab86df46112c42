//! Who may ask, and how often. Knows nothing of what is asked for.

mod key_quota;
mod quota_ledger;
mod usage_guard;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
pub use key_quota::Answered;
pub use quota_ledger::Ledger;
pub use usage_guard::Visit;

use crate::config::Config;
use crate::limits::AttemptLimiter;
use key_quota::{Meter, State};
use rollcall_model::api_key::{self, Digest};
use rollcall_model::clock::Clock;
use rollcall_model::quota::Limits;
use rollcall_model::quota::{Standing, Taken};
use rollcall_model::time::MINUTE;
use rollcall_store::keys::{self, KeyRecord, SecretRecord};
use rollcall_store::{Pool, Result, changes};

/// Every key that exists; kept current from the store.
pub struct Gate {
    keys: ArcSwap<Keys>,
    /// Wrong keys per client address and minute.
    guesses: AttemptLimiter<IpAddr>,
    ledger: Arc<Ledger>,
    configured: Limits,
    clock: Clock,
    /// What of the store is in `keys`; held while more of it is taken in.
    seen: tokio::sync::Mutex<Option<changes::State>>,
}

#[derive(Clone, Default)]
struct Keys {
    by_secret: HashMap<Digest, Presented>,
    /// By the key's row number.
    holders: HashMap<i64, Arc<Holder>>,
}

/// What a secret leads to.
#[derive(Clone)]
struct Presented {
    holder: Arc<Holder>,
    ends_at: Option<i64>,
}

struct Holder {
    record: KeyRecord,
    limits: Limits,
    meter: Arc<Meter>,
    /// Here, so that a request holds on to one thing only: what all cores hold on to is what they wait for.
    ledger: Arc<Ledger>,
}

/// Why a request goes no further, in the order the checks are made.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    NoKey,
    UnknownKey,
    /// Too many wrong keys from this address; whole seconds to wait.
    TooManyGuesses(i64),
    Expired,
    Disabled,
    TooMany(Standing),
    /// The ledger cannot be reached, and nobody is let in on credit.
    Unavailable,
}

/// A request that may go on.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The account that owns the key, if any: whom `viewer` speaks of.
    pub account: Option<i64>,
    pub standing: Standing,
}

/// How often the store is asked whether a key changed; well under the second that is promised.
const LOOK: Duration = Duration::from_millis(200);

impl Gate {
    pub fn new(config: &Config, ledger: Pool, clock: Clock) -> Self {
        Self {
            keys: ArcSwap::default(),
            guesses: AttemptLimiter::new(config.gate.wrong_keys_per_minute, MINUTE),
            ledger: Arc::new(Ledger::new(ledger, clock.clone())),
            configured: config.limits,
            clock,
            seen: tokio::sync::Mutex::default(),
        }
    }

    pub fn is_well(&self) -> bool {
        self.ledger.is_well()
    }

    pub fn ledger(&self) -> Arc<Ledger> {
        self.ledger.clone()
    }

    /// Takes in what anyone changed of a key.
    pub async fn refresh(&self, pool: &Pool) -> Result<()> {
        let mut seen = self.seen.lock().await;
        let before = *seen;
        let changed = pool.read(move |conn| {
            if before == Some(changes::key_state(conn)?) {
                return Ok(None);
            }
            conn.snapshot(|conn| {
                let state = changes::key_state(conn)?;
                // A rev that went back is another store's.
                let known = before.filter(|before| before.epoch == state.epoch && before.rev <= state.rev);
                let changed = known.map(|before| keys::changed(conn, before.rev, state.rev)).transpose()?.flatten();
                let all = changed.is_none();
                let records = changed.map_or_else(|| keys::all(conn), Ok)?;
                Ok(Some((state, all, records)))
            })
        });
        if let Some((state, all, records)) = changed.await? {
            self.load(records, all);
            *seen = Some(state);
        }
        Ok(())
    }

    /// Keeps the keys current until the service stops. What is in memory stays good when the store is out of reach;
    /// the catalogue, which asks as often, logs it.
    pub async fn keep_current(self: Arc<Self>, pool: Pool) {
        loop {
            tokio::time::sleep(LOOK).await;
            if let Err(error) = self.refresh(&pool).await {
                tracing::debug!(%error, "keys cannot be refreshed");
            }
        }
    }

    /// Puts what the store holds in the place of these keys, or of all.
    fn load(&self, records: Vec<KeyRecord>, all: bool) {
        let before = self.keys.load_full();
        let mut keys = if all { Keys::default() } else { Keys::clone(&before) };
        for record in records {
            let known = before.holders.get(&record.n);
            known.map_or(&[][..], |holder| &holder.record.secrets).iter().for_each(|secret| keys.forget(secret));
            let meter = known.map_or_else(|| Arc::new(Meter::new(record.n)), |holder| holder.meter.clone());
            let (limits, ledger) = (record.overrides.over(self.configured), self.ledger.clone());
            keys.add(Holder { record, limits, meter, ledger });
        }
        self.keys.store(Arc::new(keys));
    }

    /// Whether a request may go on. The visit is there as soon as the key is known, whatever comes of it.
    pub async fn admit(
        &self,
        presented: Option<&str>,
        client: IpAddr,
        now: i64,
    ) -> (Option<Visit>, std::result::Result<Admitted, Refusal>) {
        let Some(presented) = presented.filter(|text| !text.is_empty()) else { return (None, Err(Refusal::NoKey)) };
        let Some(holder) = self.holder(presented, now) else {
            let refusal = self.guesses.take(client, now).map_or_else(Refusal::TooManyGuesses, |()| Refusal::UnknownKey);
            return (None, Err(refusal));
        };
        let visit = Visit::new(holder, now);
        let Holder { record, .. } = visit.holder();
        let admitted = if record.is_expired(now) {
            Err(Refusal::Expired)
        } else if record.is_off() {
            Err(Refusal::Disabled)
        } else {
            self.take(visit.holder(), now).await.map(|standing| Admitted { account: record.account, standing })
        };
        (Some(visit), admitted)
    }

    /// Lets in at once whoever may come, has something reserved and asks for what there is an `answer` to, and records that.
    /// `None` for all others, of whom nothing is taken: whether they have to wait or are refused, [`Self::admit`] knows. No
    /// answer is looked for before the key is known.
    pub fn admit_at_once<T>(
        &self,
        presented: &str,
        now: i64,
        answer: impl FnOnce() -> Option<(T, Answered)>,
    ) -> Option<(T, Standing)> {
        let keys = self.keys.load();
        let holder = keys.presented_by(presented, now)?;
        if holder.record.is_expired(now) || holder.record.is_off() {
            return None;
        }
        let (answer, answered) = answer()?;
        let mut state = holder.meter.state();
        let Taken::In { standing, .. } = self.take_reserved(holder, &mut state, false, now) else { return None };
        state.record(answered, now);
        drop(state);
        self.ledger.list(&holder.meter);
        Some((answer, standing))
    }

    /// What this process holds of a key's windows without having used it.
    pub fn held(&self, key_n: i64) -> u32 {
        self.keys.load().holders.get(&key_n).map_or(0, |holder| holder.meter.state().windows.held())
    }

    fn holder(&self, presented: &str, now: i64) -> Option<Arc<Holder>> {
        self.keys.load().presented_by(presented, now).cloned()
    }

    /// Takes one request out of what is reserved, and has more reserved in time.
    fn take_reserved(&self, holder: &Holder, state: &mut State, asked: bool, now: i64) -> Taken {
        state.limits = Some(holder.limits);
        let taken = state.windows.take(holder.limits, asked, now);
        if matches!(taken, Taken::In { low: true, .. }) && !std::mem::replace(&mut state.asked, true) {
            self.ledger.ask(&holder.meter);
        }
        taken
    }

    /// The same, and waits for a reservation when there is none.
    async fn take(&self, holder: &Holder, mut now: i64) -> std::result::Result<Standing, Refusal> {
        let meter = &holder.meter;
        // How often the ledger had failed when this request first asked it.
        let mut failures = None;
        loop {
            let settled = {
                let mut state = meter.state();
                match self.take_reserved(holder, &mut state, failures.is_some(), now) {
                    Taken::In { standing, .. } => return Ok(standing),
                    Taken::Full(standing) => return Err(Refusal::TooMany(standing)),
                    Taken::Nothing => {}
                }
                if *failures.get_or_insert(state.failures) != state.failures {
                    return Err(Refusal::Unavailable);
                }
                state.waiting += 1;
                if !std::mem::replace(&mut state.asked, true) {
                    self.ledger.ask(meter);
                }
                // Made before the ledger can be done, so that its word is not missed.
                meter.settled.notified()
            };
            settled.await;
            now = self.clock.now();
        }
    }
}

impl Keys {
    fn add(&mut self, holder: Holder) {
        let holder = Arc::new(holder);
        for secret in &holder.record.secrets {
            if let Some(digest) = api_key::digest_of_hex(&secret.hash) {
                self.by_secret.insert(digest, Presented { holder: holder.clone(), ends_at: secret.ends_at });
            }
        }
        self.holders.insert(holder.record.n, holder);
    }

    fn forget(&mut self, secret: &SecretRecord) {
        if let Some(digest) = api_key::digest_of_hex(&secret.hash) {
            self.by_secret.remove(&digest);
        }
    }

    /// The checksum is verified first; a guess costs no look at the store either way.
    fn presented_by(&self, presented: &str, now: i64) -> Option<&Arc<Holder>> {
        let Presented { holder, ends_at } = self.by_secret.get(&api_key::digest_of(presented)?)?;
        ends_at.is_none_or(|end| now < end).then_some(holder)
    }
}
