//! The size of all pictures. Walking the files takes seconds when there are many, so the last result is kept for a while.

use tokio::sync::Mutex;

use rollcall_model::time::MINUTE;
use rollcall_store::media::{Error, Media, PictureUsage};

const KEPT: i64 = 10 * MINUTE;

#[derive(Default)]
pub struct PictureMeter {
    /// When it was measured, and what was found. Locked while it is measured: concurrent readers wait for one walk.
    last: Mutex<Option<(i64, PictureUsage)>>,
}

impl PictureMeter {
    pub async fn measure(&self, media: &Media, now: i64) -> Result<PictureUsage, Error> {
        let mut last = self.last.lock().await;
        if let Some((at, usage)) = *last
            && (at..at + KEPT).contains(&now)
        {
            return Ok(usage);
        }
        let usage = media.usage().await?;
        *last = Some((now, usage));
        Ok(usage)
    }
}
