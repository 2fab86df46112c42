//! Places for so many at once. Nobody waits for one, so that it takes no more than a number.

use std::sync::atomic::{AtomicIsize, Ordering};

pub struct Places {
    /// Below zero for as long as it takes those who came in vain to turn around.
    free: AtomicIsize,
}

/// One of them, until it is dropped.
pub struct Place<'a>(&'a Places);

impl Places {
    pub fn new(count: usize) -> Self {
        Self { free: AtomicIsize::new(count.try_into().unwrap_or(isize::MAX)) }
    }

    /// Whether there is one at this moment, for who is gone before anybody can count him: cores that take and leave places
    /// have to count together.
    pub fn are_left(&self) -> bool {
        self.free.load(Ordering::Relaxed) > 0
    }

    pub fn take(&self) -> Option<Place<'_>> {
        let place = Place(self);
        // Who came in vain gives back what was not there.
        (self.free.fetch_sub(1, Ordering::Relaxed) > 0).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_when_it_is_left_and_never_before() {
        let places = Places::new(2);
        let (first, second) = (places.take(), places.take());
        assert!(first.is_some() && second.is_some());
        assert!(places.take().is_none() && places.take().is_none() && !places.are_left());
        drop(first);
        assert!(places.are_left());
        let third = places.take();
        assert!(third.is_some() && places.take().is_none());
    }
}
