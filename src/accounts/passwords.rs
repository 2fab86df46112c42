//! Password hashing with Argon2id. Each hash takes much memory and tens of milliseconds, so concurrency is limited.

use std::sync::Arc;

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::policy::{MAX_PASSWORD_CHARS, check_password, normalize};
use rollcall_model::message::Message;

/// The OWASP recommendation: two passes, one lane, at least 19 MiB (`accounts.password_memory_kib`).
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes computed concurrently.
const CONCURRENT: usize = 2;
/// Requests that may wait for a hash; more are rejected at once.
const QUEUED: usize = 30;

pub struct Passwords {
    memory_kib: u32,
    running: Arc<Semaphore>,
    /// Waiting and running requests together.
    admitted: Arc<Semaphore>,
}

/// Too many passwords are being hashed; the client should retry in a moment.
#[derive(Debug, PartialEq, Eq)]
pub struct PasswordsBusy;

impl Passwords {
    /// With the memory of one hash.
    pub fn new(memory_kib: u32) -> Self {
        Self {
            memory_kib,
            running: Arc::new(Semaphore::new(CONCURRENT)),
            admitted: Arc::new(Semaphore::new(CONCURRENT + QUEUED)),
        }
    }

    /// Hashes a new password if the policy accepts it; otherwise returns a sentence for the user.
    pub async fn hash(&self, password: &str, username: &str) -> Result<Result<String, Message>, PasswordsBusy> {
        let (password, username, memory_kib) = (password.to_owned(), username.to_owned(), self.memory_kib);
        self.run(move || check_password(&password, &username).map(|()| hash(&password, memory_kib))).await
    }

    /// `None`, for an unknown username, takes as long as a real hash and is false.
    pub async fn verify(&self, password: &str, hash: Option<String>) -> Result<bool, PasswordsBusy> {
        let (password, memory_kib) = (password.to_owned(), self.memory_kib);
        self.run(move || verify(&password, hash.as_deref(), memory_kib)).await
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

fn argon2(memory_kib: u32) -> Argon2<'static> {
    let params = Params::new(memory_kib, PASSES, LANES, None).expect("the parameters are valid");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// For the command line; pages use [`Passwords`].
pub fn hash(password: &str, memory_kib: u32) -> String {
    let hash: PasswordHash = argon2(memory_kib)
        .hash_password(normalize(password).as_bytes())
        .expect("the system has a random number generator");
    hash.to_string()
}

fn verify(password: &str, expected: Option<&str>, memory_kib: u32) -> bool {
    if password.chars().count() > MAX_PASSWORD_CHARS {
        return false;
    }
    let Some(expected) = expected.and_then(|expected| PasswordHash::new(expected).ok()) else {
        // The same work as for a known account, so timing does not reveal which usernames exist.
        let _ = hash(password, memory_kib);
        return false;
    };
    // With the memory that the hash names.
    argon2(memory_kib).verify_password(normalize(password).as_bytes(), &expected).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The default.
    const MEMORY_KIB: u32 = 19 * 1024;

    #[tokio::test]
    async fn only_the_exact_password_verifies() {
        let passwords = Passwords::new(MEMORY_KIB);
        let hashed = passwords.hash("correct horse", "ada").await.unwrap().unwrap();
        assert!(hashed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hashed}");
        assert_ne!(hashed, hash("correct horse", MEMORY_KIB), "each hash has its own salt");
        assert!(passwords.hash("password123", "ada").await.unwrap().is_err());
        for (password, expected, verifies) in [
            ("correct horse", Some(hashed.clone()), true),
            ("correct horse", Some(hash("correct horse", 64)), true),
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
        let passwords = Passwords::new(MEMORY_KIB);
        let tries = (0..200).map(|_| passwords.verify("x", None));
        let outcomes = futures_util::future::join_all(tries).await;
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), CONCURRENT + QUEUED);
        assert_eq!(passwords.verify("x", None).await, Ok(false), "the queue is free again");
    }
}
