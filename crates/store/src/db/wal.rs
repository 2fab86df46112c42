//! Bounds the WAL of SQLite. It is reset when all of it is in the database and no reader uses it. With continuous
//! readers that never happens, and it would grow until the disk is full.

use std::path::Path;
use std::time::Duration;

use super::pooled::REQUEST_LOCK_TIMEOUT;
use super::{Conn, Driver};
use crate::Result;

/// Bytes that the file may keep. More than a usual transaction writes.
pub(super) const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Pages after which SQLite moves the WAL into the database: 16 MiB. Polls change the same pages again, which are moved once.
pub(super) const CHECKPOINT_PAGES: u32 = 4_096;
/// How long the writer waits for readers of the WAL. Writes wait meanwhile.
const WAIT: Duration = Duration::from_secs(1);

impl Conn {
    /// Moves the WAL into the database and truncates it, if it is too large. Readers that go on for long prevent it; the next call
    /// tries again. Returns whether it is within its bounds.
    pub(crate) fn limit_wal(&mut self) -> Result<bool> {
        let Driver::Sqlite { conn, .. } = &mut self.driver else { return Ok(true) };
        let size =
            conn.path().map_or(0, |path| Path::new(&format!("{path}-wal")).metadata().map_or(0, |file| file.len()));
        if size <= MAX_BYTES {
            return Ok(true);
        }
        conn.busy_timeout(WAIT)?;
        let is_busy = conn.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get::<_, i64>(0));
        conn.busy_timeout(REQUEST_LOCK_TIMEOUT)?;
        Ok(is_busy? == 0)
    }
}
