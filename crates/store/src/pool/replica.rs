//! A replica of the primary: how it is reached, and whether it answers reads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::replica_freshness::{ReplicaPosition, Seen};
use crate::{Conn, Database, Error, Result};

/// How long the server of a replica may be silent. Shorter than a request, so that there is time for the primary.
pub const REPLICA_TIMEOUT: Duration = Duration::from_secs(2);

pub const NOT_A_REPLICA: &str = "it takes writes, so it is not a replica, or was promoted";

/// Which database a connection leads to. A replica has the identity of its primary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    system: i64,
    name: String,
}

impl Identity {
    pub fn read(conn: &mut Conn) -> Result<Self> {
        let sql = "select system_identifier, current_database()::text from pg_control_system()";
        conn.query_one(sql, &[], |row| Self { system: row.get(0), name: row.get(1) })
    }
}

/// Whether a server is a replica of the primary.
pub fn check_replica(primary: &Database, replica: &Database) -> Result<()> {
    let identity = Identity::read(&mut Conn::open_existing(primary)?)?;
    let mut conn = Replica::new(replica.clone(), identity, Arc::default()).connect()?;
    match ReplicaPosition::read(&mut conn)?.is_of_a_replica() {
        true => Ok(()),
        false => Err(Error::Unavailable(NOT_A_REPLICA.into())),
    }
}

/// One replica, shared by its threads.
pub struct Replica {
    database: Database,
    primary: Identity,
    pub seen: Arc<Seen>,
    /// Whether a read is worth an attempt. Each thread checks its own connection again.
    is_worth_trying: AtomicBool,
    /// Last logged state.
    state: Mutex<ReplicaState>,
    lag_millis: AtomicU64,
    pub answered: AtomicU64,
    /// Reads that the primary had to answer.
    pub returned: AtomicU64,
}

/// Whether a replica answers reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplicaState {
    /// It has not been used since the start.
    #[default]
    New,
    Used,
    LeftOut(LeftOut),
}

/// Why a replica answers no reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// It lacks what this process has seen.
    Behind,
    /// It follows another history since a failover, or has no checkpoint since then.
    OtherTimeline,
    /// It takes writes.
    Promoted,
    /// It cannot be reached, or is no copy of the primary's database.
    Unusable,
}

impl LeftOut {
    pub const ALL: [Self; 4] = [Self::Behind, Self::OtherTimeline, Self::Promoted, Self::Unusable];

    /// For metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Behind => "behind",
            Self::OtherTimeline => "other_timeline",
            Self::Promoted => "promoted",
            Self::Unusable => "unusable",
        }
    }
}

/// A replica at one time.
pub struct ReplicaUsage {
    /// Its URL without user and password.
    pub name: String,
    pub state: ReplicaState,
    /// How long it has not had all that this process has seen.
    pub lag: Duration,
    pub answered: u64,
    pub returned: u64,
}

impl Replica {
    pub fn new(database: Database, primary: Identity, seen: Arc<Seen>) -> Self {
        Self {
            database,
            primary,
            seen,
            is_worth_trying: AtomicBool::new(false),
            state: Mutex::default(),
            lag_millis: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            returned: AtomicU64::new(0),
        }
    }

    /// Refuses a server that is no copy of the primary.
    pub fn connect(&self) -> Result<Conn> {
        let mut conn = Conn::open_replica(&self.database, REPLICA_TIMEOUT)?;
        match Identity::read(&mut conn)? == self.primary {
            true => Ok(conn),
            false => Err(Error::Unavailable("it is not a copy of the primary's database".into())),
        }
    }

    pub fn is_worth_trying(&self) -> bool {
        self.is_worth_trying.load(Ordering::Acquire)
    }

    pub fn set_worth_trying(&self, is_worth_trying: bool) {
        self.is_worth_trying.store(is_worth_trying, Ordering::Release);
    }

    pub fn set_lag(&self, lag: Duration) {
        self.lag_millis.store(lag.as_millis() as u64, Ordering::Relaxed);
    }

    pub fn usage(&self) -> ReplicaUsage {
        ReplicaUsage {
            name: self.to_string(),
            state: self.state(),
            lag: Duration::from_millis(self.lag_millis.load(Ordering::Relaxed)),
            answered: self.answered.load(Ordering::Relaxed),
            returned: self.returned.load(Ordering::Relaxed),
        }
    }

    pub fn state(&self) -> ReplicaState {
        *self.state.lock().expect("nothing panics under this lock")
    }

    /// Returns whether it was another one before.
    pub fn set_state(&self, state: ReplicaState) -> bool {
        std::mem::replace(&mut *self.state.lock().expect("nothing panics under this lock"), state) != state
    }
}

impl std::fmt::Display for Replica {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.database.fmt(f)
    }
}
