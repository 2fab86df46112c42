//! Work for a connection, and the caller who waits for its outcome.

use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::{Conn, Result};

/// Work in a queue of the pool. A caller gets an error if the job is dropped.
pub trait Job: Send {
    fn queued_at(&self) -> Instant;
    /// How long its queries may take; see [`super::Pool::with_long_timeout`].
    fn timeout(&self) -> Duration;
    /// Whether the caller still waits.
    fn is_wanted(&self) -> bool;
    /// Runs the work and keeps its outcome instead of an earlier one.
    fn run(&mut self, conn: &mut Conn);
    /// Whether the work may run again: it has changed nothing.
    fn is_repeatable(&self) -> bool;
    /// Sends the outcome to the caller.
    fn answer(self: Box<Self>);
}

/// The outcome of work, and whether it may run again.
pub enum JobOutcome<T> {
    Repeatable(Result<T>),
    Final(Result<T>),
}

pub struct Call<T, W> {
    work: W,
    outcome: Option<JobOutcome<T>>,
    reply: oneshot::Sender<Result<T>>,
    timeout: Duration,
    queued_at: Instant,
}

impl<T, W: FnMut(&mut Conn) -> JobOutcome<T>> Call<T, W> {
    pub fn new(work: W, timeout: Duration) -> (Self, oneshot::Receiver<Result<T>>) {
        let (reply, answer) = oneshot::channel();
        (Self { work, outcome: None, reply, timeout, queued_at: Instant::now() }, answer)
    }
}

impl<T: Send, W: FnMut(&mut Conn) -> JobOutcome<T> + Send> Job for Call<T, W> {
    fn queued_at(&self) -> Instant {
        self.queued_at
    }

    fn timeout(&self) -> Duration {
        self.timeout
    }

    fn is_wanted(&self) -> bool {
        !self.reply.is_closed()
    }

    fn run(&mut self, conn: &mut Conn) {
        self.outcome = Some((self.work)(conn));
    }

    fn is_repeatable(&self) -> bool {
        matches!(self.outcome, None | Some(JobOutcome::Repeatable(_)))
    }

    fn answer(self: Box<Self>) {
        if let Some(JobOutcome::Repeatable(outcome) | JobOutcome::Final(outcome)) = self.outcome {
            let _ = self.reply.send(outcome);
        }
    }
}
