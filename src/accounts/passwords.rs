//! Argon2id, a few at once: each takes 19 MiB and tens of milliseconds, which a flood of sign-ins must not multiply.

use std::sync::Arc;

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::policy::{LONGEST_PASSWORD, check_password, normal};

/// What OWASP recommends: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes being made at once: 38 MiB.
const AT_ONCE: usize = 2;
/// Those who may wait for one; more are sent away at once.
const WAITING: usize = 30;

pub struct Passwords {
    working: Arc<Semaphore>,
    /// Of those who wait and those who work.
    admitted: Arc<Semaphore>,
}

/// Too many passwords are being checked; a moment later there is room.
#[derive(Debug, PartialEq, Eq)]
pub struct Busy;

impl Default for Passwords {
    fn default() -> Self {
        Self { working: Arc::new(Semaphore::new(AT_ONCE)), admitted: Arc::new(Semaphore::new(AT_ONCE + WAITING)) }
    }
}

impl Passwords {
    /// A new password, if it is good enough; otherwise a sentence that says why not.
    pub async fn hash(&self, password: &str, username: &str) -> Result<Result<String, String>, Busy> {
        let (password, username) = (password.to_owned(), username.to_owned());
        self.work(move || check_password(&password, &username).map(|()| hash(&password))).await
    }

    /// Against `None`, for a name that nobody has, it takes as long and is false.
    pub async fn is_right(&self, password: &str, kept: Option<String>) -> Result<bool, Busy> {
        let password = password.to_owned();
        self.work(move || is_right(&password, kept.as_deref())).await
    }

    /// The places are held by the work itself: a client who goes away frees none before it is done.
    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Busy> {
        let admitted = self.admitted.clone().try_acquire_owned().map_err(|_| Busy)?;
        let working = self.working.clone().acquire_owned().await.map_err(|_| Busy)?;
        let places: (OwnedSemaphorePermit, OwnedSemaphorePermit) = (admitted, working);
        let done = tokio::task::spawn_blocking(move || {
            let _places = places;
            work()
        });
        done.await.map_err(|_| Busy)
    }
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("sound parameters");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// For commands; pages go through [`Passwords`].
pub fn hash(password: &str) -> String {
    let hash: PasswordHash =
        argon2().hash_password(normal(password).as_bytes()).expect("the system gives random bytes");
    hash.to_string()
}

fn is_right(password: &str, kept: Option<&str>) -> bool {
    if password.chars().count() > LONGEST_PASSWORD {
        return false;
    }
    let Some(kept) = kept.and_then(|kept| PasswordHash::new(kept).ok()) else {
        // As much work as the other way, so that time does not tell which names there are.
        let _ = hash(password);
        return false;
    };
    argon2().verify_password(normal(password).as_bytes(), &kept).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_password_itself_is_right() {
        let passwords = Passwords::default();
        let kept = passwords.hash("correct horse", "ada").await.unwrap().unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert_ne!(kept, hash("correct horse"), "each has a salt of its own");
        assert!(passwords.hash("password123", "ada").await.unwrap().is_err());
        for (password, kept, right) in [
            ("correct horse", Some(kept.clone()), true),
            ("correct horsf", Some(kept.clone()), false),
            ("", Some(kept), false),
            ("correct horse", None, false),
            ("correct horse", Some("no hash".to_owned()), false),
        ] {
            assert_eq!(passwords.is_right(password, kept).await, Ok(right), "{password}");
        }
    }

    #[tokio::test]
    async fn a_flood_is_sent_away_instead_of_filling_the_memory() {
        let passwords = Passwords::default();
        let tries = (0..200).map(|_| passwords.is_right("x", None));
        let outcomes = futures_util::future::join_all(tries).await;
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), AT_ONCE + WAITING);
        assert_eq!(passwords.is_right("x", None).await, Ok(false), "and there is room again");
    }
}
