//! Keeps the WAL files of SQLite small while the service runs.

use std::time::Duration;

use rollcall_store::Pool;

/// A busy service writes some megabytes in this time.
const INTERVAL: Duration = Duration::from_secs(5);
/// Attempts in a row that readers prevented before the log says so.
const LOG_AFTER: u32 = 12;

/// Runs until the service stops.
pub async fn limit_wal_forever(store: Pool, ledger: Pool) {
    let mut prevented = 0_u32;
    loop {
        tokio::time::sleep(INTERVAL).await;
        match (store.limit_wal().await, ledger.limit_wal().await) {
            (Ok(true), Ok(true)) => prevented = 0,
            (Err(error), _) | (_, Err(error)) => tracing::debug!(%error, "cannot truncate the WAL"),
            _ => prevented = prevented.saturating_add(1),
        }
        if prevented == LOG_AFTER {
            tracing::warn!("the WAL of the store grows: another process has been reading for a minute or longer");
        }
    }
}
