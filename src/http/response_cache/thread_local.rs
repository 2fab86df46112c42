//! Answers that a thread gives all the time, in copies of its own: whatever cores share they have to count together, and for
//! the few questions that everybody asks that takes longer than the rest.

use std::cell::RefCell;
use std::sync::Arc;

use super::CacheTag;
use crate::http::response::Answer;

type Found = (CacheTag, Arc<Answer>);

/// One for questions that share the lowest bits of their hash: whichever comes later takes it.
struct Place {
    /// Of which set of answers, and which question in it.
    set: u64,
    hash: u64,
    question: Box<str>,
    /// How often it was found.
    times: u32,
    copy: Option<Found>,
}

const PLACES: usize = 16;
/// What is found this often is worth a copy: it takes as long as some answers.
const OFTEN: u32 = 8;
/// Larger ones are sent for so long that nothing is gained.
const LARGEST: usize = 64 * 1024;

thread_local! {
    static PLACES_HERE: RefCell<[Option<Place>; PLACES]> = const { RefCell::new([const { None }; PLACES]) };
}

/// The answer to a question in a set of answers, found before or else by `find`. Sets are numbered, each once in a process.
pub fn find(set: u64, hash: u64, question: &str, find: impl FnOnce() -> Option<Found>) -> Option<Found> {
    PLACES_HERE.with_borrow_mut(|places| {
        let place = &mut places[hash as usize % PLACES];
        let known =
            place.as_mut().filter(|place| place.set == set && place.hash == hash && *place.question == *question);
        let Some(known) = known else {
            let found = find()?;
            // What is asked for once drives out what is asked for all the time; that is back after a few times.
            *place = Some(Place { set, hash, question: question.into(), times: 1, copy: None });
            return Some(found);
        };
        if known.copy.is_some() {
            return known.copy.clone();
        }
        let found = find()?;
        known.times += 1;
        if known.times >= OFTEN && found.1.body.len() <= LARGEST {
            known.copy = Some((found.0, Arc::new(Answer::copy_of(found.1.clone()))));
        }
        Some(found)
    })
}
