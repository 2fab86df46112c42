//! Copies of popular responses per thread: a reference count that all cores write costs more than the rest of a cached
//! response.

use std::cell::RefCell;
use std::sync::Arc;

use super::CacheTag;
use crate::http::response::CachedResponse;

type Found = (CacheTag, Arc<CachedResponse>);

/// A slot of a direct-mapped cache, by the lowest bits of the hash. The last key takes it.
struct Slot {
    generation: u64,
    hash: u64,
    key: Box<str>,
    hits: u32,
    copy: Option<Found>,
}

const SLOTS: usize = 16;
/// A copy costs as much as a few responses, so it pays only after this many hits.
const COPY_AFTER_HITS: u32 = 8;
/// Sending a larger body takes so long that a copy gains nothing.
const MAX_COPIED_BYTES: usize = 64 * 1024;

thread_local! {
    static THREAD_SLOTS: RefCell<[Option<Slot>; SLOTS]> = const { RefCell::new([const { None }; SLOTS]) };
}

/// The response of a generation, from this thread's copies or from `find`. Generation ids are unique in the process.
pub fn find(generation: u64, hash: u64, key: &str, find: impl FnOnce() -> Option<Found>) -> Option<Found> {
    THREAD_SLOTS.with_borrow_mut(|slots| {
        let slot = &mut slots[hash as usize % SLOTS];
        let known =
            slot.as_mut().filter(|slot| slot.generation == generation && slot.hash == hash && *slot.key == *key);
        let Some(known) = known else {
            let found = find()?;
            // A one-off key may evict a popular one, which is back after a few hits.
            *slot = Some(Slot { generation, hash, key: key.into(), hits: 1, copy: None });
            return Some(found);
        };
        if known.copy.is_some() {
            return known.copy.clone();
        }
        let found = find()?;
        known.hits += 1;
        if known.hits >= COPY_AFTER_HITS && found.1.body.len() <= MAX_COPIED_BYTES {
            known.copy = Some((found.0, Arc::new(CachedResponse::copy_of(found.1.clone()))));
        }
        Some(found)
    })
}
