//! Renders a server's icon and MOTD as pictures, only when they have changed.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use super::draw_limit::DrawLimit;
use rollcall_model::id;
use rollcall_model::time::{HOUR, MINUTE, SECOND};
use rollcall_paint::sanitize_icon;
use rollcall_store::media::{self, Media};
use rollcall_store::tracking::ClaimedPoll;

/// Concurrent renderings. One, so that they do not take CPU time from requests.
const MAX_CONCURRENT: usize = 1;
/// Polls that may wait for rendering. Beyond that the picture is rendered after a later poll, so that thousands of new
/// pictures do not delay player counts.
const MAX_WAITING: usize = 64;
/// Rendered MOTDs in the cache; many servers have the same one.
const MOTD_CACHE_CAPACITY: usize = 4096;
/// After that a picture is stored again: one that no server shows may be swept meanwhile.
const MOTD_CACHE_TTL: i64 = HOUR;
/// After a picture could not be stored, none is drawn for this long: each attempt would delay a poll by seconds.
const RETRY_INTERVAL: i64 = 30 * SECOND;
/// While pictures are on another machine, this long passes until a server's pictures are looked for again.
const PRESENCE_TTL: i64 = 10 * MINUTE;
const POISON: &str = "no panic while this lock is held";

pub struct PictureRenderer {
    media: Media,
    rendering: Semaphore,
    waiting: Semaphore,
    /// Paths of MOTD pictures by the hash of the MOTD, and when they were stored.
    motd_cache: Mutex<HashMap<String, (String, i64)>>,
    draw_limit: DrawLimit,
    /// When the pictures of each server were last looked for.
    looked_for: Mutex<HashMap<i64, i64>>,
    /// No picture is drawn before.
    retry_at: AtomicI64,
}

/// New pictures and the hashes of their sources. An icon that is not a valid PNG has a hash but no path.
#[derive(Clone, Debug, Default)]
pub struct RenderedPictures {
    pub icon: Option<String>,
    pub icon_hash: Option<String>,
    pub motd_image: Option<String>,
    pub motd_hash: Option<String>,
    /// Whether a picture was drawn, and not only found in the cache.
    pub is_drawn: bool,
}

impl PictureRenderer {
    pub fn new(media: Media) -> Self {
        Self {
            media,
            rendering: Semaphore::new(MAX_CONCURRENT),
            waiting: Semaphore::new(MAX_WAITING),
            motd_cache: Mutex::default(),
            draw_limit: DrawLimit::default(),
            looked_for: Mutex::default(),
            retry_at: AtomicI64::new(0),
        }
    }

    /// Renders what differs from the last rendering, and what the picture store has lost. Errors are logged; they do not fail the
    /// poll.
    pub async fn render_changed(
        &self,
        poll: &ClaimedPoll,
        motd_raw: &str,
        icon: Option<Vec<u8>>,
        now: i64,
    ) -> RenderedPictures {
        if now < self.retry_at.load(Ordering::Relaxed) {
            return RenderedPictures::default();
        }
        let (lost_icon, lost_motd) = self.find_lost(poll, now).await;
        let icon = icon.map(|bytes| (hash(&bytes), bytes)).filter(|(hash, _)| lost_icon || *hash != poll.icon_hash);
        let motd_hash = Some(hash(motd_raw.as_bytes())).filter(|hash| lost_motd || *hash != poll.motd_hash);
        let cached = motd_hash.as_ref().filter(|_| !lost_motd).and_then(|hash| self.cached_motd(hash, now));
        if icon.is_none() && (motd_hash.is_none() || cached.is_some()) {
            return RenderedPictures { motd_image: cached, motd_hash, ..RenderedPictures::default() };
        }
        let Ok(_waiting) = self.waiting.try_acquire() else { return RenderedPictures::default() };
        if !self.draw_limit.take(poll.server_n, poll.pictured_at, now) {
            return RenderedPictures::default();
        }
        let Ok(_rendering) = self.rendering.acquire().await else { return RenderedPictures::default() };
        let motd = motd_hash.as_ref().filter(|_| cached.is_none()).map(|_| motd_raw.to_owned());
        let (icon_hash, icon_bytes) = icon.unzip();
        let rendering = tokio::task::spawn_blocking(move || {
            (motd.map(|raw| rollcall_paint::motd(&raw)), icon_bytes.and_then(|bytes| sanitize_icon(&bytes)))
        });
        let Ok((motd, icon)) = rendering.await else { return RenderedPictures::default() };
        match self.save(motd, icon, now).await {
            Some((motd_image, icon)) => {
                if let (Some(hash), Some(path)) = (&motd_hash, &motd_image) {
                    self.cache_motd(hash, path, now);
                }
                RenderedPictures { motd_image: motd_image.or(cached), icon, icon_hash, motd_hash, is_drawn: true }
            }
            // With the old hashes, a later poll draws them again.
            None => RenderedPictures::default(),
        }
    }

    /// Whether the picture store lacks the server's icon and MOTD. A picture that cannot be looked for counts as present.
    async fn find_lost(&self, poll: &ClaimedPoll, now: i64) -> (bool, bool) {
        let Some(server) = &poll.server else { return (false, false) };
        if !self.media.is_local() {
            let mut looked_for = self.looked_for.lock().expect(POISON);
            if looked_for.get(&poll.server_n).is_some_and(|at| now - at < PRESENCE_TTL) {
                return (false, false);
            }
            looked_for.insert(poll.server_n, now);
        }
        let is_lost = async |path: &String| Ok(!path.is_empty() && !self.media.has(path).await?);
        let lost = async { Ok((is_lost(&server.icon).await?, is_lost(&server.motd_image).await?)) }.await;
        lost.inspect_err(|error: &media::Error| self.pause(error, now)).unwrap_or_default()
    }

    /// Stores both pictures and returns their paths; `None` if one cannot be stored.
    async fn save(
        &self,
        motd: Option<Vec<u8>>,
        icon: Option<Vec<u8>>,
        now: i64,
    ) -> Option<(Option<String>, Option<String>)> {
        let save = async |kind: &str, png: Option<Vec<u8>>| match png {
            Some(png) => self.media.put_png(kind, &png).await.map(Some),
            None => Ok(None),
        };
        let saved = async { Ok((save("motd", motd).await?, save("icon", icon).await?)) }.await;
        saved.inspect_err(|error: &media::Error| self.pause(error, now)).ok()
    }

    fn pause(&self, error: &media::Error, now: i64) {
        // Many polls may wait for the picture store when it fails.
        if self.retry_at.swap(now + RETRY_INTERVAL, Ordering::Relaxed) <= now {
            tracing::warn!(%error, "cannot use the picture store; trying again in {} s", RETRY_INTERVAL / SECOND);
        }
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
}

fn hash(bytes: &[u8]) -> String {
    id::hex(&Sha256::digest(bytes)[..16])
}
