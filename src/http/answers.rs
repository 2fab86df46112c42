//! Answers kept for as long as nothing they depend on can have changed: one second, one state of the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use moka::future::Cache;

use super::answer::Answer;
use crate::app::App;
use crate::model::time::SECOND;
use crate::store::changes::State;
use crate::v1::{ApiError, Endpoint, Plan};

pub struct Answers {
    cache: Cache<Key, Arc<Answer>>,
    epoch: AtomicI64,
    rev: AtomicI64,
    aged: AtomicI64,
}

/// An answer is good for the data and the second it was made for; nothing is ever invalidated, keys just pass away.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    path: &'static str,
    params: String,
    epoch: i64,
    rev: i64,
    aged: i64,
    second: i64,
}

/// Keys of a past second are never asked for again.
const KEPT: Duration = Duration::from_secs(2);

impl Answers {
    pub fn new(mib: u64) -> Self {
        let cache = Cache::builder()
            .max_capacity(mib * 1024 * 1024)
            .weigher(|key: &Key, answer: &Arc<Answer>| answer.weight().saturating_add(key.params.len() as u32))
            .time_to_live(KEPT)
            .build();
        Self { cache, epoch: AtomicI64::new(0), rev: AtomicI64::new(0), aged: AtomicI64::new(0) }
    }

    /// From now on, answers are made from this state.
    pub fn saw(&self, state: State) {
        self.epoch.store(state.epoch, Ordering::Release);
        self.rev.store(state.rev, Ordering::Release);
    }

    /// Figures that move with the clock have been brought up to date.
    pub fn aged(&self) {
        self.aged.fetch_add(1, Ordering::Release);
    }

    /// Many who ask for the same at once wait for one who makes it.
    pub async fn get(
        &self,
        endpoint: &'static Endpoint,
        plan: Plan,
        app: &Arc<App>,
        now: i64,
    ) -> Result<Arc<Answer>, ApiError> {
        let key = Key {
            path: endpoint.path,
            params: plan.key,
            epoch: self.epoch.load(Ordering::Acquire),
            rev: self.rev.load(Ordering::Acquire),
            aged: self.aged.load(Ordering::Acquire),
            second: now / SECOND,
        };
        let app = app.clone();
        self.cache
            .try_get_with(key, async move { (plan.work)(app).await.map(|body| Arc::new(Answer::new(body))) })
            .await
            .map_err(|error: Arc<ApiError>| (*error).clone())
    }
}
