//! Answers kept for as long as nothing they depend on can have changed: one second, one state of the catalogue.

mod thread_local;

use std::collections::HashMap;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arc_swap::{ArcSwap, Guard};
use tokio::sync::OnceCell;

use super::response::Answer;
use crate::error::ApiError;
use rollcall_model::time::SECOND;

type Made = Result<Arc<Answer>, ApiError>;

/// What the edge must know of a cached response without routing again.
#[derive(Clone, Copy, Debug)]
pub struct CacheTag {
    /// The path pattern of the endpoint, for metrics and usage.
    pub endpoint: &'static str,
    /// Seconds a client may cache the response.
    pub max_age: u32,
    /// Whether each account gets a response of its own.
    pub per_account: bool,
}

/// Nothing is ever invalidated: with every second and every change of the catalogue a new, empty set of answers begins.
///
/// An answer is kept when it is asked for a second time, in its own set or in the one before. What is asked for once costs no
/// memory, and a crowd of different questions pushes nothing out.
pub struct Answers {
    /// Counts the changes of the catalogue.
    changes: AtomicU64,
    kept: ArcSwap<Kept>,
    hasher: RandomState,
    most_bytes: u64,
}

/// The answers of one second and one state of the catalogue.
struct Kept {
    /// No other set of this process has it.
    number: u64,
    changes: u64,
    second: i64,
    /// Each behind a lock of its own.
    shards: [Mutex<HashMap<Box<str>, Slot>>; SHARDS],
    asked: Arc<AskedBits>,
    /// Those of the set before: what many ask all the time is made once, not twice, when a second begins.
    asked_before: Arc<AskedBits>,
    bytes: AtomicU64,
}

/// An answer that is kept, or to be.
struct Asked {
    /// Whose answer it is, which whoever finds it need not find out anew.
    tag: CacheTag,
    /// One makes it, and others wait for it.
    made: OnceCell<Made>,
}

type Slot = Arc<Asked>;

/// What there is of an answer.
enum Found {
    Answer(Made),
    /// It is being made, or to be made by whoever found this.
    Slot(Slot),
    /// It is not kept.
    Nothing,
}

const SHARDS: usize = 16;
/// Some times more bits than questions come in a second.
const ASKED_WORDS: usize = 1 << 13;
const UNPOISONED: &str = "nothing panics under this lock";

/// One bit for each question that was asked; several share one, and are then kept a little too early.
struct AskedBits([AtomicU64; ASKED_WORDS]);

impl AskedBits {
    fn none() -> Arc<Self> {
        Arc::new(Self([const { AtomicU64::new(0) }; ASKED_WORDS]))
    }

    fn has(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        word.load(Ordering::Relaxed) & bit != 0
    }

    /// Whether it was there before.
    fn put(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        word.load(Ordering::Relaxed) & bit != 0 || word.fetch_or(bit, Ordering::Relaxed) & bit != 0
    }

    fn place(&self, hash: u64) -> (&AtomicU64, u64) {
        (&self.0[(hash >> 32) as usize % ASKED_WORDS], 1 << (hash >> 58))
    }
}

impl Kept {
    fn first() -> Arc<Self> {
        Self::new(0, 0, AskedBits::none())
    }

    fn after(&self, changes: u64, second: i64) -> Arc<Self> {
        Self::new(changes, second, self.asked.clone())
    }

    fn new(changes: u64, second: i64, asked_before: Arc<AskedBits>) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (asked, bytes, number) = (AskedBits::none(), AtomicU64::new(0), NEXT.fetch_add(1, Ordering::Relaxed));
        Arc::new(Self { number, changes, second, shards: Default::default(), asked, asked_before, bytes })
    }

    fn shard(&self, hash: u64) -> &Mutex<HashMap<Box<str>, Slot>> {
        &self.shards[hash as usize % SHARDS]
    }

    /// Whether somebody asked this before; from now on, somebody did.
    fn was_asked(&self, hash: u64) -> bool {
        self.asked.put(hash) || self.asked_before.has(hash)
    }
}

impl Answers {
    /// With 0 MiB nothing is kept.
    pub fn new(mib: u64) -> Self {
        Self {
            changes: AtomicU64::new(0),
            kept: ArcSwap::new(Kept::first()),
            hasher: RandomState::new(),
            most_bytes: mib * 1024 * 1024,
        }
    }

    /// The catalogue changed: what was made before is of the past.
    pub fn renew(&self) {
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// The answer to a question if it is kept, and whose it is.
    pub fn kept(&self, question: &str, now: i64) -> Option<(CacheTag, Arc<Answer>)> {
        let (kept, hash) = (self.at(now), self.hasher.hash_one(question));
        thread_local::find(kept.number, hash, question, || {
            let shard = kept.shard(hash).lock().expect(UNPOISONED);
            let asked = shard.get(question)?;
            Some((asked.tag, asked.made.get()?.as_ref().ok()?.clone()))
        })
    }

    /// The answer to a question at this moment, kept or made. What makes it stands apart: it is large, and most who ask
    /// find their answer.
    pub async fn get<F>(&self, tag: CacheTag, question: &str, now: i64, make: impl FnOnce() -> F) -> Made
    where
        F: Future<Output = Result<Vec<u8>, ApiError>>,
    {
        let make = || {
            let make = make();
            Box::pin(async { make.await.map(|body| Arc::new(Answer::new(body))) })
        };
        let kept = self.at(now);
        let hash = self.hasher.hash_one(question);
        let slot = match self.look(&kept, tag, question, hash) {
            Found::Answer(made) => return made,
            Found::Nothing => return make().await,
            Found::Slot(slot) => slot,
        };
        let mut made_here = false;
        let made = Box::pin(slot.made.get_or_init(|| {
            made_here = true;
            make()
        }));
        let made = made.await.clone();
        if made_here {
            match &made {
                Ok(answer) => drop(kept.bytes.fetch_add(answer.weight(), Ordering::Relaxed)),
                // Whoever comes next tries again.
                Err(_) => drop(kept.shard(hash).lock().expect(UNPOISONED).remove(question)),
            }
        }
        made
    }

    /// The answers of now. Whoever was held up for less than a second takes those of the second that has begun meanwhile.
    fn at(&self, now: i64) -> Guard<Arc<Kept>> {
        let (changes, second) = (self.changes.load(Ordering::Acquire), now / SECOND);
        let is_current = |kept: &Kept| kept.changes >= changes && (kept.second == second || kept.second == second + 1);
        let kept = self.kept.load();
        if is_current(&kept) {
            return kept;
        }
        self.kept.rcu(|kept| match is_current(kept) {
            true => kept.clone(),
            false => kept.after(changes.max(kept.changes), second),
        });
        self.kept.load()
    }

    fn look(&self, kept: &Kept, tag: CacheTag, question: &str, hash: u64) -> Found {
        if self.most_bytes == 0 {
            return Found::Nothing;
        }
        let mut shard = kept.shard(hash).lock().expect(UNPOISONED);
        if let Some(slot) = shard.get(question) {
            return slot.made.get().map_or_else(|| Found::Slot(slot.clone()), |made| Found::Answer(made.clone()));
        }
        if !kept.was_asked(hash) || kept.bytes.load(Ordering::Relaxed) >= self.most_bytes {
            return Found::Nothing;
        }
        let slot = Arc::new(Asked { tag, made: OnceCell::new() });
        shard.insert(question.into(), slot.clone());
        Found::Slot(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    const ANY: CacheTag = CacheTag { endpoint: "/any", max_age: 30, per_account: false };

    /// Answers that say which one they are.
    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Counted {
        async fn make(&self) -> Result<Vec<u8>, ApiError> {
            tokio::task::yield_now().await;
            Ok(self.0.fetch_add(1, Ordering::Relaxed).to_string().into_bytes())
        }

        async fn ask(&self, answers: &Answers, question: &str, now: i64) -> String {
            let answer = answers.get(ANY, question, now, || self.make()).await.expect("an answer");
            String::from_utf8(answer.body.to_vec()).expect("a number")
        }
    }

    #[tokio::test]
    async fn what_is_asked_for_again_is_made_once_more_and_kept() {
        let (answers, counted) = (Answers::new(1), Counted::default());
        for expected in ["0", "1", "1", "1"] {
            assert_eq!(counted.ask(&answers, "/a", 1_000).await, expected);
        }
        assert_eq!(counted.ask(&answers, "/b", 1_000).await, "2");
        assert_eq!(counted.ask(&answers, "/a", 1_999).await, "1");
    }

    #[tokio::test]
    async fn nothing_outlives_its_second_or_its_state_of_the_catalogue() {
        let (answers, counted) = (Answers::new(1), Counted::default());
        for expected in ["0", "1", "1"] {
            assert_eq!(counted.ask(&answers, "/a", 1_000).await, expected);
        }
        // Whoever asks on is expected.
        for expected in ["2", "2", "2"] {
            assert_eq!(counted.ask(&answers, "/a", 2_000).await, expected);
        }
        // Held up before it got here.
        assert_eq!(counted.ask(&answers, "/a", 1_999).await, "2");
        answers.renew();
        for expected in ["3", "3"] {
            assert_eq!(counted.ask(&answers, "/a", 2_000).await, expected);
        }
        // The clock was set back.
        for expected in ["4", "4"] {
            assert_eq!(counted.ask(&answers, "/a", 0).await, expected);
        }
    }

    #[tokio::test]
    async fn what_nobody_asked_for_a_while_is_not_kept_at_once() {
        let (answers, counted) = (Answers::new(1), Counted::default());
        for expected in ["0", "1", "1"] {
            assert_eq!(counted.ask(&answers, "/a", 1_000).await, expected);
        }
        assert_eq!(counted.ask(&answers, "/b", 2_000).await, "2");
        for expected in ["3", "4", "4"] {
            assert_eq!(counted.ask(&answers, "/a", 3_000).await, expected);
        }
    }

    #[tokio::test]
    async fn what_is_found_often_is_still_of_its_own_second() {
        let (answers, counted) = (Answers::new(1), Counted::default());
        let mut expected = Vec::new();
        for (second, state) in [(1_000, 0), (2_000, 0), (3_000, 1), (3_000, 2), (1_000, 2)] {
            (answers.changes.load(Ordering::Relaxed)..state).for_each(|_| answers.renew());
            for question in ["/a", "/b"] {
                counted.ask(&answers, question, second).await;
                expected.push(counted.ask(&answers, question, second).await);
                for _ in 0..100 {
                    let (_, answer) = answers.kept(question, second).expect("it is kept");
                    assert_eq!(
                        answer.body[..],
                        *expected.last().expect("one").as_bytes(),
                        "{question} {second} {state}"
                    );
                }
            }
        }
        assert!(answers.kept("/c", 1_000).is_none());
        expected.dedup();
        assert_eq!(expected.len(), 10);
    }

    #[tokio::test]
    async fn many_who_ask_at_once_wait_for_one() {
        let (answers, counted) = (Answers::new(1), Counted::default());
        counted.ask(&answers, "/a", 0).await;
        let crowd = (0..100).map(|_| counted.ask(&answers, "/a", 0));
        assert!(futures_util::future::join_all(crowd).await.iter().all(|answer| answer == "1"));
    }

    #[tokio::test]
    async fn errors_are_told_to_all_who_wait_and_not_kept() {
        let answers = Answers::new(1);
        let fail = || async { Err(ApiError::Busy) };
        for _ in 0..3 {
            assert_eq!(answers.get(ANY, "/a", 0, fail).await.err(), Some(ApiError::Busy));
        }
        let good = answers.get(ANY, "/a", 0, || async { Ok(vec![1]) }).await.expect("an answer");
        assert_eq!(good.body[..], [1]);
    }

    #[tokio::test]
    async fn no_more_is_kept_than_there_is_room_for() {
        let (answers, counted) = (Answers::new(0), Counted::default());
        for expected in ["0", "1", "2"] {
            assert_eq!(counted.ask(&answers, "/a", 0).await, expected);
        }
        let answers = Answers::new(1);
        let large = || async { Ok(vec![0; 2 << 20]) };
        for _ in 0..2 {
            answers.get(ANY, "/large", 0, large).await.expect("an answer");
        }
        for expected in ["3", "4", "5"] {
            assert_eq!(counted.ask(&answers, "/a", 0).await, expected);
        }
    }
}
