//! Watches a replica on a connection of its own: whether reads are worth an attempt, for metrics and for the log.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::replica::{LeftOut, NOT_A_REPLICA, REPLICA_TIMEOUT, Replica, ReplicaState};
use super::replica_freshness::{Comparison, ReplicaPosition};
use crate::{Conn, Result};

/// How often a replica is looked at; it is also looked at when this process has seen more.
const INTERVAL: Duration = Duration::from_millis(200);
/// The pause while it is behind. Most replicas need a few milliseconds.
const BEHIND_PAUSE: Duration = Duration::from_millis(10);
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// A replica that is behind for longer is logged.
const LOG_LAG_AFTER: Duration = Duration::from_secs(3);
const OTHER_TIMELINE: &str =
    "it follows another timeline than the primary, or has made no checkpoint since the failover";

pub struct ReplicaWatch {
    replica: Arc<Replica>,
    woken: Receiver<()>,
    conn: Option<Conn>,
    /// Since when it has not had all that was seen.
    behind_since: Option<Instant>,
}

impl ReplicaWatch {
    pub fn new(replica: Arc<Replica>, woken: Receiver<()>) -> Self {
        Self { replica, woken, conn: None, behind_since: None }
    }

    /// Runs until the pool is closed.
    pub fn run(mut self) {
        loop {
            let looked = self.look();
            self.replica.set_worth_trying(matches!(looked, Ok(Comparison::Reached)));
            self.record(&looked);
            let pause = match looked {
                Ok(Comparison::Reached | Comparison::NothingSeen) => INTERVAL,
                Ok(Comparison::Behind) if !self.is_left_out() => BEHIND_PAUSE,
                Ok(Comparison::Behind | Comparison::OtherTimeline | Comparison::Primary) | Err(_) => RECONNECT_PAUSE,
            };
            let is_open = if pause == INTERVAL { self.wait(pause) } else { self.wait_whole(pause) };
            if !is_open {
                return;
            }
        }
    }

    fn look(&mut self) -> Result<Comparison> {
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => self.replica.connect()?,
        };
        conn.prepare_for_job(REPLICA_TIMEOUT);
        let position = ReplicaPosition::read(&mut conn)?;
        self.conn = Some(conn);
        Ok(self.replica.seen.compare(&position))
    }

    fn is_left_out(&self) -> bool {
        matches!(self.replica.state(), ReplicaState::LeftOut(_))
    }

    /// Logs each change once.
    fn record(&mut self, looked: &Result<Comparison>) {
        let (reason, message) = match looked {
            Ok(Comparison::Reached) => {
                self.behind_since = None;
                self.replica.set_lag(Duration::ZERO);
                if self.replica.set_state(ReplicaState::Used) {
                    tracing::info!("replica {} is used", self.replica);
                }
                return;
            }
            Ok(Comparison::NothingSeen) => return,
            Ok(Comparison::Behind) => (LeftOut::Behind, "it lags behind".into()),
            Ok(Comparison::OtherTimeline) => (LeftOut::OtherTimeline, OTHER_TIMELINE.into()),
            Ok(Comparison::Primary) => (LeftOut::Promoted, NOT_A_REPLICA.into()),
            Err(error) => (LeftOut::Unusable, error.to_string()),
        };
        let lag = self.behind_since.get_or_insert_with(Instant::now).elapsed();
        self.replica.set_lag(lag);
        let is_brief = reason == LeftOut::Behind && lag < LOG_LAG_AFTER;
        if !is_brief && self.replica.set_state(ReplicaState::LeftOut(reason)) {
            tracing::warn!("replica {} is left out, the primary answers: {message}", self.replica);
        }
    }

    /// Waits until more was seen, at most this long. `false`: the pool is closed.
    fn wait(&self, pause: Duration) -> bool {
        !matches!(self.woken.recv_timeout(pause), Err(RecvTimeoutError::Disconnected))
    }

    /// Waits this long. `false`: the pool is closed.
    fn wait_whole(&self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        loop {
            match self.woken.recv_deadline(end) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}
