//! Watches a replica on a connection of its own: whether reads are worth an attempt, for metrics and for the log.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::replica::{NOT_A_REPLICA, REPLICA_PATIENCE, Replica};
use super::seen::{Comparison, ReplicaPosition};
use crate::{Conn, Error, Result};

/// How often a replica is looked at; it is also looked at when this process has seen more.
const INTERVAL: Duration = Duration::from_millis(200);
/// The pause while it is behind. Most replicas need a few milliseconds.
const BEHIND_PAUSE: Duration = Duration::from_millis(10);
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// A replica that is behind for longer is logged.
const LOG_LAG_AFTER: Duration = Duration::from_secs(3);

pub struct ReplicaWatch {
    replica: Arc<Replica>,
    woken: Receiver<()>,
    conn: Option<Conn>,
    /// Since when it has not had all that was seen.
    behind_since: Option<Instant>,
    is_logged: bool,
}

impl ReplicaWatch {
    pub fn new(replica: Arc<Replica>, woken: Receiver<()>) -> Self {
        Self { replica, woken, conn: None, behind_since: None, is_logged: false }
    }

    /// Runs until the pool is closed.
    pub fn run(mut self) {
        loop {
            let looked = self.look();
            self.replica.set_worth_trying(matches!(looked, Ok(Comparison::Reached)));
            self.record(&looked);
            let pause = match looked {
                Ok(Comparison::Reached | Comparison::NothingSeen) => INTERVAL,
                Ok(Comparison::Behind) if !self.is_logged => BEHIND_PAUSE,
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
        conn.prepare_for_job(REPLICA_PATIENCE);
        let position = ReplicaPosition::read(&mut conn)?;
        self.conn = Some(conn);
        Ok(self.replica.seen.compare(&position))
    }

    /// Logs each change once.
    fn record(&mut self, looked: &Result<Comparison>) {
        if matches!(looked, Ok(Comparison::Reached)) {
            self.behind_since = None;
            self.is_logged = false;
            self.replica.set_lag(Duration::ZERO);
            if !self.replica.set_in_use(true) {
                tracing::info!("replica {} is used", self.replica);
            }
            return;
        }
        if matches!(looked, Ok(Comparison::NothingSeen)) {
            return;
        }
        let lag = self.behind_since.get_or_insert_with(Instant::now).elapsed();
        self.replica.set_lag(lag);
        let is_brief = matches!(looked, Ok(Comparison::Behind)) && lag < LOG_LAG_AFTER;
        if is_brief || self.is_logged {
            return;
        }
        self.is_logged = true;
        self.replica.set_in_use(false);
        tracing::warn!("replica {} is left out, the primary answers: {}", self.replica, reason(looked));
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

fn reason(looked: &std::result::Result<Comparison, Error>) -> String {
    match looked {
        Err(error) => error.to_string(),
        Ok(Comparison::Primary) => NOT_A_REPLICA.into(),
        Ok(Comparison::OtherTimeline) => {
            "it follows another timeline than the primary, or has made no checkpoint since the failover".into()
        }
        Ok(Comparison::Behind | Comparison::Reached | Comparison::NothingSeen) => "it lags behind".into(),
    }
}
