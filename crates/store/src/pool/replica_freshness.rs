//! State of the primary that this process has seen: a replica behind it would return older data than an earlier
//! response.

use std::sync::Mutex;

use crate::revision::StoreRevision;
use crate::{Conn, Result};

/// How far a server is. It never goes back on one connection: a server that is restored or rebuilt ends its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaPosition {
    revision: StoreRevision,
    /// The log position up to which it has applied the changes of the primary. `None` if it is a primary.
    replayed: Option<i64>,
}

/// The timeline is that of the last checkpoint, which may be older than what is applied, never newer.
const POSITION: &str = "select epoch, rev, (select timeline_id::bigint from pg_control_checkpoint()),
    case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint end from store_state";

impl ReplicaPosition {
    pub fn read(conn: &mut Conn) -> Result<Self> {
        conn.query_one(POSITION, &[], |row| Self {
            revision: StoreRevision { epoch: row.get(0), rev: row.get(1), timeline: row.get(2) },
            replayed: row.get(3),
        })
    }

    pub fn is_of_a_replica(&self) -> bool {
        self.replayed.is_some()
    }
}

/// How a replica compares with what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// This process has loaded nothing yet.
    NothingSeen,
    Reached,
    Behind,
    /// It follows another history since a failover, or has no checkpoint since then.
    OtherTimeline,
    /// It was promoted.
    Primary,
}

#[derive(Debug, Default)]
pub struct Seen(Mutex<SeenState>);

#[derive(Debug, Default)]
struct SeenState {
    /// State that the read models of this process contain. `None`: not loaded yet.
    loaded: Option<StoreRevision>,
    /// The log position after the last write of this process. It stays after a failover that lost writes: replicas are used again
    /// when the new primary has written as much.
    written: i64,
}

impl Seen {
    pub fn add_loaded(&self, revision: StoreRevision) {
        let loaded = &mut self.0.lock().expect("nothing panics under this lock").loaded;
        let order = |revision: &StoreRevision| (revision.timeline, revision.epoch, revision.rev);
        if loaded.as_ref().is_none_or(|before| order(before) < order(&revision)) {
            *loaded = Some(revision);
        }
    }

    pub fn add_written(&self, position: i64) {
        let written = &mut self.0.lock().expect("nothing panics under this lock").written;
        *written = position.max(*written);
    }

    pub fn compare(&self, position: &ReplicaPosition) -> Comparison {
        let seen = self.0.lock().expect("nothing panics under this lock");
        let Some(replayed) = position.replayed else { return Comparison::Primary };
        let Some(loaded) = seen.loaded else { return Comparison::NothingSeen };
        let at = &position.revision;
        if at.timeline != loaded.timeline {
            return Comparison::OtherTimeline;
        }
        match at.epoch >= loaded.epoch && at.rev >= loaded.rev && replayed >= seen.written {
            true => Comparison::Reached,
            false => Comparison::Behind,
        }
    }

    pub fn is_reached_by(&self, position: &ReplicaPosition) -> bool {
        self.compare(position) == Comparison::Reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(timeline: i64, epoch: i64, rev: i64) -> StoreRevision {
        StoreRevision { epoch, rev, timeline }
    }

    fn replica(timeline: i64, epoch: i64, rev: i64, replayed: i64) -> ReplicaPosition {
        ReplicaPosition { revision: revision(timeline, epoch, rev), replayed: Some(replayed) }
    }

    #[test]
    fn a_replica_must_have_all_that_was_loaded_and_written() {
        let seen = Seen::default();
        assert_eq!(seen.compare(&replica(1, 1, 10, 500)), Comparison::NothingSeen);
        seen.add_loaded(revision(1, 1, 10));
        assert_eq!(seen.compare(&replica(1, 1, 9, 500)), Comparison::Behind);
        assert_eq!(seen.compare(&replica(1, 1, 10, 500)), Comparison::Reached);
        seen.add_written(501);
        assert_eq!(seen.compare(&replica(1, 1, 10, 500)), Comparison::Behind);
        assert_eq!(seen.compare(&replica(1, 1, 11, 501)), Comparison::Reached);
        seen.add_loaded(revision(1, 2, 11));
        assert_eq!(seen.compare(&replica(1, 1, 11, 600)), Comparison::Behind, "rows were deleted");
        assert_eq!(seen.compare(&replica(1, 2, 11, 600)), Comparison::Reached);
    }

    #[test]
    fn a_replica_of_another_history_is_left_out() {
        let seen = Seen::default();
        seen.add_loaded(revision(1, 1, 100));
        // The failover lost five changes, which the old timeline has.
        seen.add_loaded(revision(2, 1, 95));
        assert_eq!(seen.compare(&replica(1, 1, 98, 900)), Comparison::OtherTimeline);
        assert_eq!(seen.compare(&replica(2, 1, 95, 900)), Comparison::Reached);
        // A read that began before the failover reports late.
        seen.add_loaded(revision(1, 1, 101));
        assert_eq!(seen.compare(&replica(2, 1, 95, 900)), Comparison::Reached);
        let promoted = ReplicaPosition { revision: revision(2, 1, 95), replayed: None };
        assert_eq!(seen.compare(&promoted), Comparison::Primary);
    }
}
