//! Who may ask, and how often. Knows nothing of what is asked for.

pub mod key;
pub mod limits;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

pub use key::Secret;
pub use limits::{Standing, Windows};

use crate::store::keys::KeyRecord;

/// Every key that exists, by the hash of its live secrets; kept current from the store.
#[derive(Default)]
pub struct Gate {
    keys: RwLock<HashMap<String, Arc<Holder>>>,
    /// Windows outlive a key's record, so that a changed limit or a new secret does not start the count anew.
    windows: Mutex<HashMap<i64, Arc<Mutex<Windows>>>>,
}

struct Holder {
    record: KeyRecord,
    windows: Arc<Mutex<Windows>>,
}

/// Why a request goes no further, in the order the checks are made.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    NoKey,
    UnknownKey,
    Disabled,
    TooMany(Standing),
}

/// A request that may go on.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The account that owns the key, if any: whom `viewer` speaks of.
    pub account: Option<i64>,
    pub standing: Standing,
}

impl Gate {
    /// Replaces all keys by what the store holds.
    pub fn load(&self, records: Vec<KeyRecord>) {
        let mut windows = self.windows.lock().expect("nothing panics under this lock");
        let mut keys = HashMap::with_capacity(records.len());
        for record in records {
            let windows = windows.entry(record.n).or_default().clone();
            let holder = Arc::new(Holder { record, windows });
            for hash in &holder.record.hashes {
                keys.insert(hash.clone(), holder.clone());
            }
        }
        *self.keys.write().expect("nothing panics under this lock") = keys;
    }

    pub fn admit(&self, presented: Option<&str>, now: i64) -> Result<Admitted, Refusal> {
        let presented = presented.filter(|text| !text.is_empty()).ok_or(Refusal::NoKey)?;
        let secret = Secret::parse(presented).ok_or(Refusal::UnknownKey)?;
        let keys = self.keys.read().expect("nothing panics under this lock");
        let holder = keys.get(&secret.hash()).cloned().ok_or(Refusal::UnknownKey)?;
        drop(keys);
        if holder.record.disabled {
            return Err(Refusal::Disabled);
        }
        let standing = holder.windows.lock().expect("nothing panics under this lock").admit(holder.record.limits, now);
        match standing.retry_after {
            Some(_) => Err(Refusal::TooMany(standing)),
            None => Ok(Admitted { account: holder.record.account, standing }),
        }
    }
}
