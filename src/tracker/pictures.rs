//! Renders a server's icon and MOTD as pictures, only when they have changed.

use std::collections::HashMap;
use std::sync::Mutex;

use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use rollcall_model::id;
use rollcall_model::time::{HOUR, MINUTE};
use rollcall_paint::sanitize_icon;
use rollcall_store::media::Media;
use rollcall_store::tracking::ClaimedPoll;

/// Concurrent renderings. One, so that they do not take CPU time from requests.
const MAX_CONCURRENT: usize = 1;
/// Polls that may wait for rendering. Beyond that the picture is rendered after a later poll, so that thousands of new
/// pictures do not delay player counts.
const MAX_WAITING: usize = 64;
/// Rendered MOTDs in the cache; many servers have the same one.
const MOTD_CACHE_CAPACITY: usize = 4096;
/// Animated MOTDs are rendered no more often than this. The stored text is always current.
const MIN_RENDER_INTERVAL: i64 = MINUTE;
/// After that a picture is stored again: one that no server shows may be swept meanwhile.
const MOTD_CACHE_TTL: i64 = HOUR;
const POISON: &str = "no panic while this lock is held";

pub struct PictureRenderer {
    media: Media,
    rendering: Semaphore,
    waiting: Semaphore,
    /// Paths of MOTD pictures by the hash of the MOTD, and when they were stored.
    motd_cache: Mutex<HashMap<String, (String, i64)>>,
}

/// New pictures and the hashes of their sources. An icon that is not a valid PNG has a hash but no path.
#[derive(Clone, Debug, Default)]
pub struct RenderedPictures {
    pub icon: Option<String>,
    pub icon_hash: Option<String>,
    pub motd_image: Option<String>,
    pub motd_hash: Option<String>,
}

impl PictureRenderer {
    pub fn new(media: Media) -> Self {
        Self {
            media,
            rendering: Semaphore::new(MAX_CONCURRENT),
            waiting: Semaphore::new(MAX_WAITING),
            motd_cache: Mutex::default(),
        }
    }

    /// Renders what differs from the last rendering. Errors are logged; they do not fail the poll.
    pub async fn render_changed(
        &self,
        poll: &ClaimedPoll,
        motd_raw: &str,
        icon: Option<Vec<u8>>,
        now: i64,
    ) -> RenderedPictures {
        let icon = icon.map(|bytes| (hash(&bytes), bytes)).filter(|(hash, _)| *hash != poll.icon_hash);
        let motd_hash = Some(hash(motd_raw.as_bytes())).filter(|hash| *hash != poll.motd_hash);
        if icon.is_none() && motd_hash.is_none() || now - poll.pictured_at < MIN_RENDER_INTERVAL {
            return RenderedPictures::default();
        }
        let mut motd_image = motd_hash.as_ref().and_then(|hash| self.cached_motd(hash, now));
        if icon.is_none() && motd_image.is_some() {
            return RenderedPictures { motd_image, motd_hash, ..RenderedPictures::default() };
        }
        let Ok(_waiting) = self.waiting.try_acquire() else { return RenderedPictures::default() };
        let Ok(_rendering) = self.rendering.acquire().await else { return RenderedPictures::default() };
        let motd = motd_hash.as_ref().filter(|_| motd_image.is_none()).map(|_| motd_raw.to_owned());
        let (icon_hash, icon_bytes) = icon.unzip();
        let rendering = tokio::task::spawn_blocking(move || {
            (motd.map(|raw| rollcall_paint::motd(&raw)), icon_bytes.and_then(|bytes| sanitize_icon(&bytes)))
        });
        let Ok((motd, icon)) = rendering.await else { return RenderedPictures::default() };
        if motd.is_some() {
            motd_image = self.save("motd", motd).await;
            if let (Some(hash), Some(path)) = (&motd_hash, &motd_image) {
                self.cache_motd(hash, path, now);
            }
        }
        RenderedPictures { motd_image, icon: self.save("icon", icon).await, icon_hash, motd_hash }
    }

    fn cached_motd(&self, hash: &str, now: i64) -> Option<String> {
        let cache = self.motd_cache.lock().expect(POISON);
        cache.get(hash).filter(|(_, stored_at)| now - stored_at < MOTD_CACHE_TTL).map(|(path, _)| path.clone())
    }

    fn cache_motd(&self, hash: &str, path: &str, now: i64) {
        let mut cache = self.motd_cache.lock().expect(POISON);
        if cache.len() >= MOTD_CACHE_CAPACITY {
            cache.clear();
        }
        cache.insert(hash.to_owned(), (path.to_owned(), now));
    }

    async fn save(&self, kind: &str, png: Option<Vec<u8>>) -> Option<String> {
        let saved = self.media.put_png(kind, &png?).await;
        saved.inspect_err(|error| tracing::warn!(%error, kind, "cannot save a picture")).ok()
    }
}

fn hash(bytes: &[u8]) -> String {
    id::hex(&Sha256::digest(bytes)[..16])
}
