//! Actions on skins and capes: likes, favorites, views and downloads.

mod visits;

use crate::batch_writer::BatchWriter;
use crate::limits::AttemptLimiter;
use rollcall_model::clock::Clock;
use rollcall_model::time::HOUR;
use rollcall_store::texture_acts::{self, Mark, MarkKind, MarkOutcome};
use rollcall_store::{Pool, Result};

pub use visits::{ClientVisit, VisitCounter};

/// Likes and favorites that one account may change. Far above what a person does, and they cost little.
const MARKS_PER_HOUR: u32 = 1_200;

pub struct TextureActs {
    pub visits: VisitCounter,
    pool: Pool,
    clock: Clock,
    marks: BatchWriter<Mark, MarkOutcome>,
    limit: AttemptLimiter<i64>,
}

impl TextureActs {
    pub fn new(pool: Pool, clock: Clock) -> Self {
        Self {
            visits: VisitCounter::new(pool.clone(), clock.clone()),
            pool,
            clock,
            marks: BatchWriter::new("texture_acts"),
            limit: AttemptLimiter::new(MARKS_PER_HOUR, HOUR),
        }
    }

    /// Counts a change of an account; if there were too many, the seconds until the next one.
    pub fn count_change(&self, account_n: i64) -> std::result::Result<(), i64> {
        self.limit.take(account_n, self.clock.now())
    }

    /// Sets or removes a mark together with those that arrive at the same time.
    pub async fn set_mark(&self, kind: MarkKind, texture_n: i64, account_n: i64, is_set: bool) -> Result<MarkOutcome> {
        self.marks.write(Mark { kind, texture_n, account_n, is_set, at: self.clock.now() }).await
    }

    /// Stores marks until the service stops.
    pub async fn write_marks(&self) {
        self.marks.run(&self.pool, texture_acts::set_marks).await;
    }
}
