//! Upkeep of account data: encryption of TOTP secrets at the start, and the ends of log entries while the service runs.

use std::sync::Arc;
use std::time::Duration;

use super::App;
use crate::accounts::{Accounts, secret_cipher};
use rollcall_model::time::HOUR;
use rollcall_store::{Error, Pool, Result, audit, credentials};

/// How often suppressed security events are reported.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
/// How often expired log entries are looked for, in milliseconds.
const PURGE_INTERVAL: i64 = HOUR;

/// Fails if a stored TOTP secret cannot be read with the configured key: users with a second factor would be locked out.
/// Encrypts secrets that are still in plain text.
pub async fn encrypt_second_factors(accounts: &Accounts, pool: &Pool) -> Result<()> {
    let stored = pool.read(credentials::second_factors).await?;
    let plain = secret_cipher::check_stored(accounts.secret_cipher.as_deref(), stored).map_err(Error::Unavailable)?;
    if plain.is_empty() {
        return Ok(());
    }
    let count = plain.len();
    pool.write(move |conn| {
        conn.transaction(|conn| {
            let replace = |secret: &secret_cipher::Reencrypted| {
                credentials::replace_second_factor(conn, secret.account_n, &secret.before, &secret.after)
            };
            plain.iter().try_for_each(replace)
        })
    })
    .await?;
    tracing::info!(count, "encrypted the second factors of accounts");
    Ok(())
}

impl App {
    /// Runs until the service stops.
    pub(super) async fn keep_account_logs(self: Arc<Self>) {
        let mut purge_at = i64::MIN;
        loop {
            tokio::time::sleep(UPKEEP_INTERVAL).await;
            let now = self.clock.now();
            self.security_log.report_suppressed(now);
            if now >= purge_at {
                match self.delete_expired_log_entries(now).await {
                    Ok(()) => purge_at = now + PURGE_INTERVAL,
                    Err(error) => tracing::debug!(%error, "cannot delete expired log entries"),
                }
            }
        }
    }

    async fn delete_expired_log_entries(&self, now: i64) -> Result<()> {
        // Most of the time there is nothing to write.
        if self.pool.read(move |conn| audit::has_expired(conn, now)).await? {
            self.pool.write(move |conn| audit::delete_expired(conn, now)).await?;
        }
        Ok(())
    }
}
