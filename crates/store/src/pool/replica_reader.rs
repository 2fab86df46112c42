//! A thread that answers reads from a replica. Whatever it cannot answer goes to the primary.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::{Receiver, Sender};

use super::job::Job;
use super::replica::{REPLICA_TIMEOUT, Replica};
use super::replica_freshness::ReplicaPosition;
use crate::Conn;

pub struct ReplicaReader {
    replica: Arc<Replica>,
    jobs: Receiver<Box<dyn Job>>,
    primary: Sender<Box<dyn Job>>,
    /// With a position that this connection has shown. It was opened when first used.
    connection: Option<(Conn, ReplicaPosition)>,
}

impl ReplicaReader {
    pub fn new(replica: Arc<Replica>, jobs: Receiver<Box<dyn Job>>, primary: Sender<Box<dyn Job>>) -> Self {
        Self { replica, jobs, primary, connection: None }
    }

    pub fn serve(mut self) {
        while let Ok(mut job) = self.jobs.recv() {
            if !job.is_wanted() {
                continue;
            }
            if self.run(job.as_mut()) {
                self.replica.answered.fetch_add(1, Ordering::Relaxed);
                job.answer();
            } else {
                self.replica.returned.fetch_add(1, Ordering::Relaxed);
                // A full queue drops the job, which fails its caller.
                let _ = self.primary.try_send(job);
            }
            // After the job has gone on: closing a silent connection may take a while.
            if self.connection.as_ref().is_some_and(|(conn, _)| conn.failed_in_job()) {
                self.connection = None;
            }
            std::thread::yield_now();
        }
    }

    /// Whether the outcome of the job may be used: no query failed, and the replica had all that this process had seen when the
    /// job ended. A response may combine rows of the replica with what was loaded meanwhile.
    fn run(&mut self, job: &mut dyn Job) -> bool {
        if !self.replica.is_worth_trying() || !self.has_reached() {
            return false;
        }
        let Some((conn, position)) = self.connection.as_mut() else { return false };
        conn.prepare_for_job(job.timeout().min(REPLICA_TIMEOUT));
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job.run(conn))).is_err() {
            tracing::error!("a store job panicked; its connection is reopened");
            self.connection = None;
            return false;
        }
        !conn.failed_in_job() && self.replica.seen.is_reached_by(position)
    }

    /// Whether the server of this connection has all that this process has seen.
    fn has_reached(&mut self) -> bool {
        let seen = &self.replica.seen;
        if self.connection.as_ref().is_some_and(|(_, position)| seen.is_reached_by(position)) {
            return true;
        }
        let conn = match self.connection.take() {
            Some((conn, _)) => Ok(conn),
            None => self.replica.connect(),
        };
        let looked = conn.and_then(|mut conn| {
            conn.prepare_for_job(REPLICA_TIMEOUT);
            let position = ReplicaPosition::read(&mut conn)?;
            Ok((conn, position))
        });
        match looked {
            Ok((conn, position)) => {
                self.connection = Some((conn, position));
                seen.is_reached_by(&position)
            }
            Err(error) => {
                tracing::debug!(%error, "replica {} is lost", self.replica);
                // Until its watch can reach it.
                self.replica.set_worth_trying(false);
                false
            }
        }
    }
}
