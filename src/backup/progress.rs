//! Progress of a SQL statement that reports none itself: the size of the file it writes.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::BackupProgress;

const INTERVAL: Duration = Duration::from_millis(100);

/// Runs `work` and meanwhile reports the size of `file`, out of `total` bytes.
pub fn report_file_growth<T>(
    file: &Path,
    step: &'static str,
    total: u64,
    progress: BackupProgress<'_>,
    work: impl FnOnce() -> T,
) -> T {
    progress(step, 0, total);
    let (running, finished) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while finished.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let size = file.metadata().map_or(0, |file| file.len());
                progress(step, size.min(total), total);
            }
        });
        let outcome = work();
        drop(running);
        outcome
    })
}
