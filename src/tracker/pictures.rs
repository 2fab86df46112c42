//! What a server's answer looks like: its icon and its message, drawn again only when they have changed.

use std::collections::HashMap;
use std::sync::Mutex;

use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use rollcall_model::id;
use rollcall_model::time::{DAY, MINUTE};
use rollcall_paint::redraw_icon;
use rollcall_store::media::Media;
use rollcall_store::tracking::Due;
use rollcall_store::{Pool, servers};

/// Pictures drawn at once: they must not take the time of those who serve.
const AT_ONCE: usize = 1;
/// Rounds that wait for their pictures. What comes on top of them is drawn after a later round: nobody's players are counted late
/// because thousands have new pictures.
const WAITING: usize = 64;
/// Messages whose pictures are known without being drawn again: many servers say the same.
const REMEMBERED: usize = 4096;
const POISON: &str = "nothing panics under this lock";
/// Messages that never stand still are drawn no more often than this; the text itself follows at once.
const REST: i64 = MINUTE;
/// What servers once looked like is kept for so long after it was drawn: those who saw it may still show it.
const KEPT: i64 = DAY;

pub struct Painter {
    media: Media,
    places: Semaphore,
    waiting: Semaphore,
    /// Pictures of messages, by the messages' hashes.
    messages: Mutex<HashMap<String, String>>,
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
        Self { media, places: Semaphore::new(AT_ONCE), waiting: Semaphore::new(WAITING), messages: Mutex::default() }
    }

    /// Draws what differs from what was drawn last; trouble with a picture is no trouble with the server.
    pub async fn draw(&self, due: &Due, motd_raw: &str, icon: Option<Vec<u8>>, now: i64) -> Drawn {
        let icon = icon.map(|bytes| (hash(&bytes), bytes)).filter(|(hash, _)| *hash != due.icon_hash);
        let motd_hash = Some(hash(motd_raw.as_bytes())).filter(|hash| *hash != due.motd_hash);
        if icon.is_none() && motd_hash.is_none() || now - due.pictured_at < REST {
            return Drawn::default();
        }
        let mut motd_image = motd_hash.as_ref().and_then(|hash| self.known(hash));
        if icon.is_none() && motd_image.is_some() {
            return Drawn { motd_image, motd_hash, ..Drawn::default() };
        }
        let Ok(_waiting) = self.waiting.try_acquire() else { return Drawn::default() };
        let Ok(_place) = self.places.acquire().await else { return Drawn::default() };
        let message = motd_hash.as_ref().filter(|_| motd_image.is_none()).map(|_| motd_raw.to_owned());
        let (icon_hash, bytes) = icon.unzip();
        let painted = tokio::task::spawn_blocking(move || {
            (message.map(|raw| rollcall_paint::motd(&raw)), bytes.and_then(|bytes| redraw_icon(&bytes)))
        });
        let Ok((message, icon)) = painted.await else { return Drawn::default() };
        if message.is_some() {
            motd_image = self.keep("motd", message).await;
            if let (Some(hash), Some(path)) = (&motd_hash, &motd_image) {
                self.remember(hash, path);
            }
        }
        Drawn { motd_image, icon: self.keep("icon", icon).await, icon_hash, motd_hash }
    }

    fn known(&self, hash: &str) -> Option<String> {
        self.messages.lock().expect(POISON).get(hash).cloned()
    }

    fn remember(&self, hash: &str, path: &str) {
        let mut messages = self.messages.lock().expect(POISON);
        if messages.len() >= REMEMBERED {
            messages.clear();
        }
        messages.insert(hash.to_owned(), path.to_owned());
    }

    /// Removes what no server looks like any more.
    pub async fn sweep(&self, pool: &Pool, now: i64) {
        // What is remembered here may be named by nobody.
        self.messages.lock().expect(POISON).clear();
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
