//! A concurrency limit that never waits, so that one atomic counter is enough.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

pub struct ConcurrencyLimit {
    /// Briefly negative while rejected callers give their decrement back.
    free: AtomicIsize,
}

/// Held while the work runs; released on drop.
pub struct Permit<'a>(&'a ConcurrencyLimit);

impl ConcurrencyLimit {
    pub fn new(count: usize) -> Self {
        Self { free: AtomicIsize::new(count.try_into().unwrap_or(isize::MAX)) }
    }

    /// Whether there is room now, without taking any: for work that ends at once. A counter that all cores write is slow.
    pub fn has_room(&self) -> bool {
        self.free.load(Ordering::Relaxed) > 0
    }

    pub fn try_acquire(&self) -> Option<Permit<'_>> {
        let permit = Permit(self);
        // Dropping the permit gives the decrement back when there was no room.
        (self.free.fetch_sub(1, Ordering::Relaxed) > 0).then_some(permit)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::Relaxed);
    }
}

/// A permit that can be paused, so that a request does not count while its body arrives.
pub struct PausablePermit {
    limit: Arc<ConcurrencyLimit>,
    is_held: AtomicBool,
}

impl PausablePermit {
    pub fn try_acquire(limit: &Arc<ConcurrencyLimit>) -> Option<Arc<Self>> {
        let permit = Self { limit: limit.clone(), is_held: AtomicBool::new(false) };
        permit.try_resume().then(|| Arc::new(permit))
    }

    pub fn pause(&self) {
        if self.is_held.swap(false, Ordering::Relaxed) {
            drop(Permit(&self.limit));
        }
    }

    /// False if there is no room.
    pub fn try_resume(&self) -> bool {
        if self.is_held.load(Ordering::Relaxed) {
            return true;
        }
        let Some(permit) = self.limit.try_acquire() else { return false };
        if !self.is_held.swap(true, Ordering::Relaxed) {
            // Released by `pause` or on drop.
            std::mem::forget(permit);
        }
        true
    }
}

impl Drop for PausablePermit {
    fn drop(&mut self) {
        self.pause();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_is_free_again_only_after_drop() {
        let limit = ConcurrencyLimit::new(2);
        let (first, second) = (limit.try_acquire(), limit.try_acquire());
        assert!(first.is_some() && second.is_some());
        assert!(limit.try_acquire().is_none() && limit.try_acquire().is_none() && !limit.has_room());
        drop(first);
        assert!(limit.has_room());
        let third = limit.try_acquire();
        assert!(third.is_some() && limit.try_acquire().is_none());
    }

    #[test]
    fn a_paused_permit_leaves_room_and_is_released_once() {
        let limit = Arc::new(ConcurrencyLimit::new(1));
        let permit = PausablePermit::try_acquire(&limit).expect("room");
        assert!(!limit.has_room() && PausablePermit::try_acquire(&limit).is_none());
        permit.pause();
        permit.pause();
        let other = limit.try_acquire();
        assert!(other.is_some() && !permit.try_resume());
        drop(other);
        assert!(permit.try_resume() && permit.try_resume() && !limit.has_room());
        drop(permit);
        let last = limit.try_acquire();
        assert!(last.is_some() && !limit.has_room(), "one permit, not more");
    }
}
