//! Replicas of the primary, which answer reads as long as they have all that this process has seen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crossbeam_channel::{Sender, bounded};

use super::MAX_QUEUED_JOBS;
use super::job::Job;
use super::replica::{Identity, Replica, ReplicaUsage};
use super::replica_freshness::Seen;
use super::replica_reader::ReplicaReader;
use super::replica_watch::ReplicaWatch;
use crate::revision::StoreRevision;
use crate::{Conn, Database, Result};

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
        self.replicas.iter().map(|(replica, _)| replica.usage())
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

fn spawn(name: String, work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().name(name).spawn(work).expect("the system can start a thread");
}
