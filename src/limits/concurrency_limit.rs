//! ConcurrencyLimit for so many at once. Nobody waits for one, so that it takes no more than a number.

use std::sync::atomic::{AtomicIsize, Ordering};

pub struct ConcurrencyLimit {
    /// Below zero for as long as it takes those who came in vain to turn around.
    free: AtomicIsize,
}

/// One of them, until it is dropped.
pub struct Permit<'a>(&'a ConcurrencyLimit);

impl ConcurrencyLimit {
    pub fn new(count: usize) -> Self {
        Self { free: AtomicIsize::new(count.try_into().unwrap_or(isize::MAX)) }
    }

    /// Whether there is one at this moment, for who is gone before anybody can count him: cores that try_acquire and leave limit
    /// have to count together.
    pub fn has_room(&self) -> bool {
        self.free.load(Ordering::Relaxed) > 0
    }

    pub fn try_acquire(&self) -> Option<Permit<'_>> {
        let permit = Permit(self);
        // Who came in vain gives back what was not there.
        (self.free.fetch_sub(1, Ordering::Relaxed) > 0).then_some(permit)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_when_it_is_left_and_never_before() {
        let limit = ConcurrencyLimit::new(2);
        let (first, second) = (limit.try_acquire(), limit.try_acquire());
        assert!(first.is_some() && second.is_some());
        assert!(limit.try_acquire().is_none() && limit.try_acquire().is_none() && !limit.has_room());
        drop(first);
        assert!(limit.has_room());
        let third = limit.try_acquire();
        assert!(third.is_some() && limit.try_acquire().is_none());
    }
}
