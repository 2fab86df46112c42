//! Who may ask, and how often. Knows nothing of what is asked for.

pub mod key;
mod ledger;
mod limits;
mod meter;
mod tally;
mod visit;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
pub use key::Secret;
pub use ledger::Ledger;
pub use limits::{Claim, Counts, Grant, Standing, Window};
pub use meter::Answered;
pub use tally::Tally;
pub use visit::Visit;

use crate::clock::Clock;
use crate::config::{Config, Limits};
use crate::model::time::MINUTE;
use crate::store::keys::{self, KeyRecord};
use crate::store::{Pool, Result, changes};
use key::Digest;
use limits::Taken;
use meter::{Meter, State};

/// Every key that exists, by the hash of its secrets; kept current from the store.
pub struct Gate {
    keys: ArcSwap<HashMap<Digest, Presented>>,
    /// By the key's row number.
    meters: Mutex<HashMap<i64, Arc<Meter>>>,
    /// Wrong keys per client address and minute.
    guesses: Tally<IpAddr>,
    ledger: Arc<Ledger>,
    configured: Limits,
    clock: Clock,
    seen: Mutex<Option<i64>>,
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
const UNPOISONED: &str = "nothing panics under this lock";

impl Gate {
    pub fn new(config: &Config, ledger: Pool, clock: Clock) -> Self {
        Self {
            keys: ArcSwap::default(),
            meters: Mutex::default(),
            guesses: Tally::new(config.gate.wrong_keys_per_minute, MINUTE),
            ledger: Arc::new(Ledger::new(ledger, clock.clone())),
            configured: config.limits,
            clock,
            seen: Mutex::new(None),
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
        let seen = *self.seen.lock().expect(UNPOISONED);
        let changed = pool.read(move |conn| {
            if seen == Some(changes::keys_rev(conn)?) {
                return Ok(None);
            }
            conn.snapshot(|conn| Ok(Some((changes::keys_rev(conn)?, keys::all(conn)?))))
        });
        if let Some((rev, records)) = changed.await? {
            self.load(records);
            *self.seen.lock().expect(UNPOISONED) = Some(rev);
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

    /// Replaces all keys by what the store holds.
    fn load(&self, records: Vec<KeyRecord>) {
        let mut meters = self.meters.lock().expect(UNPOISONED);
        let mut keys = HashMap::with_capacity(records.len());
        for record in records {
            let meter = meters.entry(record.n).or_insert_with(|| Arc::new(Meter::new(record.n))).clone();
            let (limits, ledger) = (record.overrides.over(self.configured), self.ledger.clone());
            let holder = Arc::new(Holder { record, limits, meter, ledger });
            for secret in &holder.record.secrets {
                if let Some(digest) = key::digest_of_hex(&secret.hash) {
                    keys.insert(digest, Presented { holder: holder.clone(), ends_at: secret.ends_at });
                }
            }
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
        let holder = presented_by(&keys, presented, now)?;
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
        let meter = self.meters.lock().expect(UNPOISONED).get(&key_n).cloned();
        meter.map_or(0, |meter| meter.state().windows.held())
    }

    fn holder(&self, presented: &str, now: i64) -> Option<Arc<Holder>> {
        presented_by(&self.keys.load(), presented, now).cloned()
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

/// The checksum is verified first; a guess costs no look at the store either way.
fn presented_by<'a>(keys: &'a HashMap<Digest, Presented>, presented: &str, now: i64) -> Option<&'a Arc<Holder>> {
    let Presented { holder, ends_at } = keys.get(&key::digest_of(presented)?)?;
    ends_at.is_none_or(|end| now < end).then_some(holder)
}
