//! Password hashing with Argon2id. Each hash takes 19 MiB and tens of milliseconds, so concurrency is limited.

use std::sync::Arc;

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::policy::{MAX_PASSWORD_CHARS, check_password, normalize};
use rollcall_model::message::Message;

/// The OWASP recommendation: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes computed concurrently: 38 MiB.
const CONCURRENT: usize = 2;
/// Requests that may wait for a hash; more are rejected at once.
const QUEUED: usize = 30;

pub struct Passwords {
    running: Arc<Semaphore>,
    /// Waiting and running requests together.
    admitted: Arc<Semaphore>,
}

/// Too many passwords are being hashed; the client should retry in a moment.
#[derive(Debug, PartialEq, Eq)]
pub struct PasswordsBusy;

impl Default for Passwords {
    fn default() -> Self {
        Self { running: Arc::new(Semaphore::new(CONCURRENT)), admitted: Arc::new(Semaphore::new(CONCURRENT + QUEUED)) }
    }
}

impl Passwords {
    /// Hashes a new password if the policy accepts it; otherwise returns a sentence for the user.
    pub async fn hash(&self, password: &str, username: &str) -> Result<Result<String, Message>, PasswordsBusy> {
        let (password, username) = (password.to_owned(), username.to_owned());
        self.run(move || check_password(&password, &username).map(|()| hash(&password))).await
    }

    /// `None`, for an unknown username, takes as long as a real hash and is false.
    pub async fn verify(&self, password: &str, hash: Option<String>) -> Result<bool, PasswordsBusy> {
        let password = password.to_owned();
        self.run(move || verify(&password, hash.as_deref())).await
    }

    /// The blocking task holds the permits: a client that disconnects does not free them early.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, PasswordsBusy> {
        let admitted = self.admitted.clone().try_acquire_owned().map_err(|_| PasswordsBusy)?;
        let running = self.running.clone().acquire_owned().await.map_err(|_| PasswordsBusy)?;
        let permits: (OwnedSemaphorePermit, OwnedSemaphorePermit) = (admitted, running);
        let done = tokio::task::spawn_blocking(move || {
            let _permits = permits;
            work()
        });
        done.await.map_err(|_| PasswordsBusy)
    }
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("the parameters are valid");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// For the command line; pages use [`Passwords`].
pub fn hash(password: &str) -> String {
    let hash: PasswordHash =
        argon2().hash_password(normalize(password).as_bytes()).expect("the system has a random number generator");
    hash.to_string()
}

fn verify(password: &str, expected: Option<&str>) -> bool {
    if password.chars().count() > MAX_PASSWORD_CHARS {
        return false;
    }
    let Some(expected) = expected.and_then(|expected| PasswordHash::new(expected).ok()) else {
        // The same work as for a known account, so timing does not reveal which usernames exist.
        let _ = hash(password);
        return false;
    };
    argon2().verify_password(normalize(password).as_bytes(), &expected).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_exact_password_verifies() {
        let passwords = Passwords::default();
        let hashed = passwords.hash("correct horse", "ada").await.unwrap().unwrap();
        assert!(hashed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hashed}");
        assert_ne!(hashed, hash("correct horse"), "each hash has its own salt");
        assert!(passwords.hash("password123", "ada").await.unwrap().is_err());
        for (password, expected, verifies) in [
            ("correct horse", Some(hashed.clone()), true),
            ("correct horsf", Some(hashed.clone()), false),
            ("", Some(hashed), false),
            ("correct horse", None, false),
            ("correct horse", Some("not a hash".to_owned()), false),
        ] {
            assert_eq!(passwords.verify(password, expected).await, Ok(verifies), "{password}");
        }
    }

    #[tokio::test]
    async fn requests_beyond_the_queue_are_rejected() {
        let passwords = Passwords::default();
        let tries = (0..200).map(|_| passwords.verify("x", None));
        let outcomes = futures_util::future::join_all(tries).await;
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), CONCURRENT + QUEUED);
        assert_eq!(passwords.verify("x", None).await, Ok(false), "the queue is free again");
    }
}
