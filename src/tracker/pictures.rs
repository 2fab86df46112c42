//! What a server's answer looks like: its icon and its message, drawn again only when they have changed.

use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use crate::media::{Media, paint, redraw_icon};
use crate::model::id;
use crate::model::time::{DAY, MINUTE};
use crate::store::tracking::Due;
use crate::store::{Pool, servers};

/// Pictures drawn at once: they must not take the time of those who serve.
const AT_ONCE: usize = 1;
/// Messages that never stand still are drawn no more often than this; the text itself follows at once.
const REST: i64 = 15 * MINUTE;
/// What servers once looked like is kept for so long after it was drawn: those who saw it may still show it.
const KEPT: i64 = 2 * DAY;

pub struct Painter {
    media: Media,
    places: Semaphore,
}

/// What was drawn anew: of what, and where it is kept. What is no picture has a hash and no path.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    pub icon: Option<String>,
    pub icon_hash: Option<String>,
    pub motd_image: Option<String>,
    pub motd_hash: Option<String>,
}

impl Painter {
    pub fn new(media: Media) -> Self {
        Self { media, places: Semaphore::new(AT_ONCE) }
    }

    /// Draws what differs from what was drawn last; trouble with a picture is no trouble with the server.
    pub async fn draw(&self, due: &Due, motd_raw: &str, icon: Option<Vec<u8>>, now: i64) -> Drawn {
        let icon = icon.map(|bytes| (hash(&bytes), bytes)).filter(|(hash, _)| *hash != due.icon_hash);
        let motd_hash = Some(hash(motd_raw.as_bytes())).filter(|hash| *hash != due.motd_hash);
        if icon.is_none() && motd_hash.is_none() || now - due.pictured_at < REST {
            return Drawn::default();
        }
        let Ok(_place) = self.places.acquire().await else { return Drawn::default() };
        let message = motd_hash.as_ref().map(|_| motd_raw.to_owned());
        let (icon_hash, bytes) = icon.unzip();
        let painted = tokio::task::spawn_blocking(move || {
            (message.map(|raw| paint::motd(&raw)), bytes.and_then(|bytes| redraw_icon(&bytes)))
        });
        let Ok((message, icon)) = painted.await else { return Drawn::default() };
        Drawn {
            motd_image: self.keep("motd", message).await,
            icon: self.keep("icon", icon).await,
            icon_hash,
            motd_hash,
        }
    }

    /// Removes what no server looks like any more.
    pub async fn sweep(&self, pool: &Pool, now: i64) {
        let swept = match pool.read(servers::pictures).await {
            Ok(named) => self.media.sweep(&["icon", "motd"], now - KEPT, |path| named.contains(path)).await,
            Err(error) => return tracing::warn!(%error, "old pictures could not be looked for"),
        };
        match swept {
            Ok(0) => {}
            Ok(swept) => tracing::info!(swept, "removed pictures that no server shows any more"),
            Err(error) => tracing::warn!(%error, "old pictures could not be removed"),
        }
    }

    async fn keep(&self, kind: &str, picture: Option<Vec<u8>>) -> Option<String> {
        let kept = self.media.put_png(kind, &picture?).await;
        kept.inspect_err(|error| tracing::warn!(%error, "a picture could not be kept")).ok()
    }
}

fn hash(bytes: &[u8]) -> String {
    id::hex(&Sha256::digest(bytes)[..16])
}
