//! Replicas of the primary, which answer reads as long as they have all that this process has seen.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};

use super::MAX_QUEUED_JOBS;
use super::job::Job;
use super::replica_freshness::{ReplicaPosition, Seen};
use super::replica_reader::ReplicaReader;
use super::replica_watch::ReplicaWatch;
use crate::revision::StoreRevision;
use crate::{Conn, Database, Error, Result};

/// How long the server of a replica may be silent. Shorter than a request, so that there is time for the primary.
pub const REPLICA_PATIENCE: Duration = Duration::from_secs(2);

pub const NOT_A_REPLICA: &str = "it takes writes, so it is not a replica, or was promoted";

/// Which database a connection leads to. A replica has the identity of its primary.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    system: i64,
    name: String,
}

impl Identity {
    fn read(conn: &mut Conn) -> Result<Self> {
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

/// Reads that wait for the threads of a replica.
type ReadQueue = Sender<Box<dyn Job>>;

/// All replicas of a pool.
pub struct Replicas {
    replicas: Vec<(Arc<Replica>, ReadQueue)>,
    /// Each tells the watch of a replica that more was seen.
    watches: Vec<Sender<()>>,
    seen: Arc<Seen>,
    /// The replica that gets the next read.
    next: AtomicUsize,
    /// Reads that no replica was worth an attempt for.
    unsent: AtomicU64,
}

/// How many reads the replicas and the primary have answered that a replica might have answered.
pub struct ReplicatedReads {
    pub by_replicas: u64,
    pub by_primary: u64,
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

impl Replicas {
    /// Starts the threads of all replicas: `readers` for each, and one that watches it. A replica that cannot be reached is used
    /// later.
    pub fn start(
        primary: &mut Conn,
        replicas: &[Database],
        readers: usize,
        to_primary: &Sender<Box<dyn Job>>,
    ) -> Result<Self> {
        let (seen, identity) = (Arc::new(Seen::default()), Identity::read(primary)?);
        let mut all = Self {
            replicas: Vec::new(),
            watches: Vec::new(),
            seen,
            next: AtomicUsize::new(0),
            unsent: AtomicU64::new(0),
        };
        for (i, database) in replicas.iter().enumerate() {
            let replica = Arc::new(Replica::new(database.clone(), identity.clone(), all.seen.clone()));
            let (queue, jobs) = bounded(MAX_QUEUED_JOBS);
            for thread in 0..readers {
                let reader = ReplicaReader::new(replica.clone(), jobs.clone(), to_primary.clone());
                spawn(format!("store-replica-{i}-{thread}"), move || reader.serve());
            }
            let (wake, woken) = bounded(1);
            let watch = ReplicaWatch::new(replica.clone(), woken);
            spawn(format!("store-replica-{i}-watch"), move || watch.run());
            all.replicas.push((replica, queue));
            all.watches.push(wake);
        }
        Ok(all)
    }

    /// Gives a read to the next replica that is worth an attempt. Returns it if there is none.
    pub fn try_send(&self, mut job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        for i in 0..self.replicas.len() {
            let (replica, queue) = &self.replicas[first.wrapping_add(i) % self.replicas.len()];
            if replica.is_worth_trying() {
                match queue.try_send(job) {
                    Ok(()) => return None,
                    Err(refused) => job = refused.into_inner(),
                }
            }
        }
        self.unsent.fetch_add(1, Ordering::Relaxed);
        Some(job)
    }

    pub fn add_loaded(&self, revision: StoreRevision) {
        self.seen.add_loaded(revision);
        self.wake();
    }

    pub fn add_written(&self, position: i64) {
        self.seen.add_written(position);
        self.wake();
    }

    fn wake(&self) {
        for watch in &self.watches {
            // One that has not noticed the last call looks anyway.
            let _ = watch.try_send(());
        }
    }

    pub fn usage(&self) -> impl Iterator<Item = ReplicaUsage> {
        self.replicas.iter().map(|(replica, _)| ReplicaUsage {
            name: replica.to_string(),
            state: replica.state(),
            lag: Duration::from_millis(replica.lag_millis.load(Ordering::Relaxed)),
            answered: replica.answered.load(Ordering::Relaxed),
            returned: replica.returned.load(Ordering::Relaxed),
        })
    }

    pub fn reads(&self) -> ReplicatedReads {
        let sum = |count: fn(&Replica) -> &AtomicU64| -> u64 {
            self.replicas.iter().map(|(replica, _)| count(replica).load(Ordering::Relaxed)).sum()
        };
        ReplicatedReads {
            by_replicas: sum(|replica| &replica.answered),
            by_primary: sum(|replica| &replica.returned) + self.unsent.load(Ordering::Relaxed),
        }
    }
}

impl Replica {
    fn new(database: Database, primary: Identity, seen: Arc<Seen>) -> Self {
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
        let mut conn = Conn::open_replica(&self.database, REPLICA_PATIENCE)?;
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

fn spawn(name: String, work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().name(name).spawn(work).expect("the system can start a thread");
}
