//! What is counted of one key in this process: its windows, and what it was used for since that was last written.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use tokio::sync::Notify;

use rollcall_model::quota::Limits;
use rollcall_model::quota::Windows;
use rollcall_model::time::start_of_hour;
use rollcall_store::usage::{Line, Used};

/// Outlives the key's record, so that a changed limit or a new secret does not start the count anew.
pub struct Meter {
    pub key_n: i64,
    state: Mutex<State>,
    /// Wakes whoever waits for the ledger.
    pub settled: Notify,
    /// Whether the ledger has it on its list.
    listed: AtomicBool,
}

#[derive(Default)]
pub struct State {
    pub windows: Windows,
    /// As they were when the key was last used.
    pub limits: Option<Limits>,
    /// Requests that wait for the ledger.
    pub waiting: u32,
    /// Whether the ledger has been asked and has not answered.
    pub asked: bool,
    /// How often the ledger could not be asked.
    pub failures: u64,
    last_used_at: i64,
    lines: Vec<Line>,
}

impl Meter {
    pub fn new(key_n: i64) -> Self {
        Self { key_n, state: Mutex::default(), settled: Notify::new(), listed: AtomicBool::new(false) }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics under this lock")
    }

    /// True for whoever is to put it on the ledger's list.
    pub fn list(&self) -> bool {
        // To look first spares a busy key the fight over this byte.
        !self.listed.load(Ordering::Acquire) && !self.listed.swap(true, Ordering::AcqRel)
    }

    pub fn unlist(&self) {
        self.listed.store(false, Ordering::Release);
    }

    pub fn record(&self, answered: Answered, now: i64) {
        self.state().record(answered, now);
    }
}

/// What is recorded of a request: bounded in kind, since it is kept.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    pub endpoint: &'static str,
    pub status: u16,
    pub bytes: u64,
}

impl State {
    pub fn record(&mut self, answered: Answered, now: i64) {
        self.last_used_at = self.last_used_at.max(now);
        self.add(Line {
            hour: start_of_hour(now),
            endpoint: answered.endpoint,
            status: class(answered.status),
            requests: 1,
            bytes: i64::try_from(answered.bytes).unwrap_or(i64::MAX),
        });
    }

    fn add(&mut self, line: Line) {
        let alike =
            |known: &&mut Line| (known.hour, known.endpoint, known.status) == (line.hour, line.endpoint, line.status);
        match self.lines.iter_mut().find(alike) {
            Some(known) => {
                known.requests += line.requests;
                known.bytes = known.bytes.saturating_add(line.bytes);
            }
            None => self.lines.push(line),
        }
    }

    /// Takes out what is to be written; `None` when there is nothing.
    pub fn take_used(&mut self, key_n: i64) -> Option<Used> {
        let lines = std::mem::take(&mut self.lines);
        (!lines.is_empty()).then_some(Used { key_n, last_used_at: self.last_used_at, lines })
    }

    /// It could not be written: the next try takes it along.
    pub fn put_back(&mut self, used: Used) {
        used.lines.into_iter().for_each(|line| self.add(line));
    }
}

fn class(status: u16) -> &'static str {
    match status {
        429 => "429",
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        _ => "5xx",
    }
}
