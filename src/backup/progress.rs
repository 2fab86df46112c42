//! How far a file has grown, while a statement writes it that tells nothing by itself.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::Progress;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Does the work, and tells how much of `whole` the file has meanwhile.
pub fn growing<T>(file: &Path, what: &'static str, whole: u64, progress: Progress<'_>, work: impl FnOnce() -> T) -> T {
    progress(what, 0, whole);
    let (working, end) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while end.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                let size = file.metadata().map_or(0, |file| file.len());
                progress(what, size.min(whole), whole);
            }
        });
        let done = work();
        drop(working);
        done
    })
}
