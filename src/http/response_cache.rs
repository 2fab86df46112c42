//! The response cache. An entry lives as long as nothing it depends on can have changed: one second and one state of the
//! catalogue.

use std::collections::HashMap;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arc_swap::{ArcSwap, Guard};
use tokio::sync::OnceCell;

use super::last_modified::SeenContents;
use super::response::{CachedResponse, UncompressedBody};
use crate::error::ApiError;
use rollcall_model::time::SECOND;

type Outcome = Result<Arc<CachedResponse>, ApiError>;

/// Metadata of a cached response for the router, which does not route it again.
#[derive(Clone, Copy, Debug)]
pub struct CacheTag {
    /// The path pattern of the endpoint, for metrics and usage.
    pub endpoint: &'static str,
    /// Seconds a client may cache the response.
    pub max_age: u32,
    /// Whether each account gets a response of its own.
    pub per_account: bool,
    /// Whether a call uses exactly one request of the quota, as most do.
    pub is_one_unit: bool,
}

/// Nothing is ever invalidated: every second and every change of the catalogue starts a new, empty generation.
///
/// A response is cached at its second request within two generations. One-off requests cost no memory, and a scan evicts
/// nothing.
pub struct ResponseCache {
    /// Counts the changes of the catalogue.
    changes: AtomicU64,
    current: ArcSwap<Generation>,
    hasher: RandomState,
    seen: SeenContents,
    max_bytes: u64,
}

/// The responses of one second and one state of the catalogue.
struct Generation {
    changes: u64,
    second: i64,
    /// Each has a lock of its own.
    shards: [Mutex<HashMap<Box<str>, Arc<Entry>>>; SHARDS],
    requested: Arc<SeenFilter>,
    /// Of the previous generation: a popular response is then cached at its first request.
    requested_before: Arc<SeenFilter>,
    bytes: AtomicU64,
}

struct Entry {
    tag: CacheTag,
    /// One request makes it, and concurrent ones wait for it.
    outcome: OnceCell<Outcome>,
}

enum Lookup {
    Ready(Outcome),
    /// Being made, or to be made by the caller.
    Pending(Arc<Entry>),
    NotCached,
}

const SHARDS: usize = 16;
/// A few times more bits than there are different requests in a second.
const FILTER_WORDS: usize = 1 << 13;
const UNPOISONED: &str = "nothing panics while holding this lock";

/// One bit per hash of a cache key. A collision only caches a response one request too early.
struct SeenFilter([AtomicU64; FILTER_WORDS]);

impl SeenFilter {
    fn none() -> Arc<Self> {
        Arc::new(Self([const { AtomicU64::new(0) }; FILTER_WORDS]))
    }

    fn contains(&self, hash: u64) -> bool {
        let (word, bit) = self.position(hash);
        word.load(Ordering::Relaxed) & bit != 0
    }

    /// Returns whether it was set before.
    fn insert(&self, hash: u64) -> bool {
        let (word, bit) = self.position(hash);
        word.load(Ordering::Relaxed) & bit != 0 || word.fetch_or(bit, Ordering::Relaxed) & bit != 0
    }

    fn position(&self, hash: u64) -> (&AtomicU64, u64) {
        (&self.0[(hash >> 32) as usize % FILTER_WORDS], 1 << (hash >> 58))
    }
}

impl Generation {
    fn first() -> Arc<Self> {
        Self::new(0, 0, SeenFilter::none())
    }

    fn after(&self, changes: u64, second: i64) -> Arc<Self> {
        Self::new(changes, second, self.requested.clone())
    }

    fn new(changes: u64, second: i64, requested_before: Arc<SeenFilter>) -> Arc<Self> {
        let (requested, bytes) = (SeenFilter::none(), AtomicU64::new(0));
        Arc::new(Self { changes, second, shards: Default::default(), requested, requested_before, bytes })
    }

    fn shard(&self, hash: u64) -> &Mutex<HashMap<Box<str>, Arc<Entry>>> {
        &self.shards[hash as usize % SHARDS]
    }

    /// Records the request, and returns whether there was an earlier one.
    fn was_requested(&self, hash: u64) -> bool {
        self.requested.insert(hash) || self.requested_before.contains(hash)
    }
}

impl ResponseCache {
    /// With 0 MiB nothing is cached.
    pub fn new(mib: u64) -> Self {
        Self {
            changes: AtomicU64::new(0),
            current: ArcSwap::new(Generation::first()),
            hasher: RandomState::new(),
            seen: SeenContents::new(),
            max_bytes: mib * 1024 * 1024,
        }
    }

    /// The catalogue changed: older responses are no longer served.
    pub fn start_generation(&self) {
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// A response that is ready, without waiting.
    pub fn find(&self, key: &str, now: i64) -> Option<(CacheTag, Arc<CachedResponse>)> {
        let (generation, hash) = (self.at(now), self.hasher.hash_one(key));
        let shard = generation.shard(hash).lock().expect(UNPOISONED);
        let entry = shard.get(key)?;
        Some((entry.tag, entry.outcome.get()?.as_ref().ok()?.clone()))
    }

    /// A cached response, or a new one. The future that makes one is boxed: it is large, and most calls do not need it.
    pub async fn get_or_make<F>(&self, tag: CacheTag, key: &str, now: i64, make: impl FnOnce() -> F) -> Outcome
    where
        F: Future<Output = Result<UncompressedBody, ApiError>>,
    {
        let hash = self.hasher.hash_one(key);
        let make = || {
            let make = make();
            Box::pin(async move {
                make.await.map(|body| {
                    let mut response = CachedResponse::of(body);
                    response.last_modified = Some(self.seen.see(hash, response.content_hash, now));
                    Arc::new(response)
                })
            })
        };
        let generation = self.at(now);
        let entry = match self.look_up(&generation, tag, key, hash) {
            Lookup::Ready(made) => return made,
            Lookup::NotCached => return make().await,
            Lookup::Pending(entry) => entry,
        };
        let mut made_here = false;
        let made = Box::pin(entry.outcome.get_or_init(|| {
            made_here = true;
            make()
        }));
        let made = made.await.clone();
        if made_here {
            match &made {
                Ok(response) => drop(generation.bytes.fetch_add(response.weight(), Ordering::Relaxed)),
                // The next request tries again.
                Err(_) => drop(generation.shard(hash).lock().expect(UNPOISONED).remove(key)),
            }
        }
        made
    }

    /// The generation of now. A request that was delayed by less than a second may use the one that has begun since.
    fn at(&self, now: i64) -> Guard<Arc<Generation>> {
        let (changes, second) = (self.changes.load(Ordering::Acquire), now / SECOND);
        let is_current = |generation: &Generation| {
            generation.changes >= changes && (generation.second == second || generation.second == second + 1)
        };
        let generation = self.current.load();
        if is_current(&generation) {
            return generation;
        }
        self.current.rcu(|generation| match is_current(generation) {
            true => generation.clone(),
            false => generation.after(changes.max(generation.changes), second),
        });
        self.current.load()
    }

    fn look_up(&self, generation: &Generation, tag: CacheTag, key: &str, hash: u64) -> Lookup {
        if self.max_bytes == 0 {
            return Lookup::NotCached;
        }
        let mut shard = generation.shard(hash).lock().expect(UNPOISONED);
        if let Some(entry) = shard.get(key) {
            return entry
                .outcome
                .get()
                .map_or_else(|| Lookup::Pending(entry.clone()), |made| Lookup::Ready(made.clone()));
        }
        if !generation.was_requested(hash) || generation.bytes.load(Ordering::Relaxed) >= self.max_bytes {
            return Lookup::NotCached;
        }
        let entry = Arc::new(Entry { tag, outcome: OnceCell::new() });
        shard.insert(key.into(), entry.clone());
        Lookup::Pending(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    const ANY: CacheTag = CacheTag { endpoint: "/any", max_age: 30, per_account: false, is_one_unit: true };

    /// Responses numbered in the order they are made.
    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Counted {
        async fn make(&self) -> Result<UncompressedBody, ApiError> {
            tokio::task::yield_now().await;
            Ok(self.0.fetch_add(1, Ordering::Relaxed).to_string().into_bytes().into())
        }

        async fn get(&self, cache: &ResponseCache, key: &str, now: i64) -> String {
            let response = cache.get_or_make(ANY, key, now, || self.make()).await.expect("a response");
            String::from_utf8(response.body.to_vec()).expect("a number")
        }
    }

    #[tokio::test]
    async fn the_second_request_is_cached() {
        let (cache, counted) = (ResponseCache::new(1), Counted::default());
        for expected in ["0", "1", "1", "1"] {
            assert_eq!(counted.get(&cache, "/a", 1_000).await, expected);
        }
        assert_eq!(counted.get(&cache, "/b", 1_000).await, "2");
        assert_eq!(counted.get(&cache, "/a", 1_999).await, "1");
    }

    #[tokio::test]
    async fn entries_expire_with_the_second_and_the_catalogue_state() {
        let (cache, counted) = (ResponseCache::new(1), Counted::default());
        for expected in ["0", "1", "1"] {
            assert_eq!(counted.get(&cache, "/a", 1_000).await, expected);
        }
        // Requested in the previous generation, so cached at once.
        for expected in ["2", "2", "2"] {
            assert_eq!(counted.get(&cache, "/a", 2_000).await, expected);
        }
        // A delayed request.
        assert_eq!(counted.get(&cache, "/a", 1_999).await, "2");
        cache.start_generation();
        for expected in ["3", "3"] {
            assert_eq!(counted.get(&cache, "/a", 2_000).await, expected);
        }
        // The clock was set back.
        for expected in ["4", "4"] {
            assert_eq!(counted.get(&cache, "/a", 0).await, expected);
        }
    }

    #[tokio::test]
    async fn a_response_not_requested_lately_is_not_cached_at_once() {
        let (cache, counted) = (ResponseCache::new(1), Counted::default());
        for expected in ["0", "1", "1"] {
            assert_eq!(counted.get(&cache, "/a", 1_000).await, expected);
        }
        assert_eq!(counted.get(&cache, "/b", 2_000).await, "2");
        for expected in ["3", "4", "4"] {
            assert_eq!(counted.get(&cache, "/a", 3_000).await, expected);
        }
    }

    #[tokio::test]
    async fn a_found_response_is_of_its_generation() {
        let (cache, counted) = (ResponseCache::new(1), Counted::default());
        let mut expected = Vec::new();
        for (second, state) in [(1_000, 0), (2_000, 0), (3_000, 1), (3_000, 2), (1_000, 2)] {
            (cache.changes.load(Ordering::Relaxed)..state).for_each(|_| cache.start_generation());
            for key in ["/a", "/b"] {
                counted.get(&cache, key, second).await;
                expected.push(counted.get(&cache, key, second).await);
                let (_, response) = cache.find(key, second).expect("it is cached");
                assert_eq!(response.body[..], *expected.last().expect("one").as_bytes(), "{key} {second} {state}");
            }
        }
        assert!(cache.find("/c", 1_000).is_none());
        expected.dedup();
        assert_eq!(expected.len(), 10);
    }

    #[tokio::test]
    async fn concurrent_requests_share_one_response() {
        let (cache, counted) = (ResponseCache::new(1), Counted::default());
        counted.get(&cache, "/a", 0).await;
        let crowd = (0..100).map(|_| counted.get(&cache, "/a", 0));
        assert!(futures_util::future::join_all(crowd).await.iter().all(|answer| answer == "1"));
    }

    #[tokio::test]
    async fn errors_reach_all_waiting_requests_and_are_not_cached() {
        let cache = ResponseCache::new(1);
        let fail = || async { Err(ApiError::Busy) };
        for _ in 0..3 {
            assert_eq!(cache.get_or_make(ANY, "/a", 0, fail).await.err(), Some(ApiError::Busy));
        }
        let good = cache.get_or_make(ANY, "/a", 0, || async { Ok(vec![1].into()) }).await.expect("a response");
        assert_eq!(good.body[..], [1]);
    }

    #[tokio::test]
    async fn the_cache_stays_within_its_size() {
        let (cache, counted) = (ResponseCache::new(0), Counted::default());
        for expected in ["0", "1", "2"] {
            assert_eq!(counted.get(&cache, "/a", 0).await, expected);
        }
        let cache = ResponseCache::new(1);
        let large = || async { Ok(vec![0; 2 << 20].into()) };
        for _ in 0..2 {
            cache.get_or_make(ANY, "/large", 0, large).await.expect("a response");
        }
        for expected in ["3", "4", "5"] {
            assert_eq!(counted.get(&cache, "/a", 0).await, expected);
        }
    }
}
