//! What a server says of itself, and how the hosts come by it.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tokio::time::Instant;

use super::java;
use rollcall_ping::codec::{Json, flatten};

/// An answer, whatever protocol it goes out by.
#[derive(Clone, Debug, Default)]
pub struct Says {
    pub version: String,
    pub protocol: i64,
    pub players: i64,
    pub max_players: i64,
    /// Names and UUIDs. Query tells all of them; Java tells them as they are, so it is the source that bounds them.
    pub sample: Vec<(String, String)>,
    /// A text with `§` codes, or a text component.
    pub motd: Value,
    /// The bytes of a PNG.
    pub icon: Option<Arc<[u8]>>,
    /// How long an answer is held back, since no wire on loopback is as long as those of the world.
    pub delay: Duration,
}

impl Says {
    /// As protocols tell it that know no components.
    pub(super) fn motd_with_codes(&self) -> String {
        flatten(&Json::from(&self.motd))
    }
}

/// Asked again and again; `None` is a server that is down.
pub type Source = Arc<dyn Fn() -> Option<Says> + Send + Sync>;

/// How long what a source said is repeated. Sources may be asked thousands of times a second.
const FRESH: Duration = Duration::from_millis(500);

/// A source that is asked no more often than it takes to notice a change.
pub(super) struct Telling {
    source: Source,
    last: Mutex<Option<(Instant, Option<Arc<Told>>)>>,
}

impl Telling {
    pub(super) fn new(source: Source) -> Self {
        Self { source, last: Mutex::new(None) }
    }

    pub(super) fn now(&self) -> Option<Arc<Told>> {
        const SOUND: &str = "nothing panics under this lock";
        let now = Instant::now();
        if let Some((at, told)) = &*self.last.lock().expect(SOUND)
            && now.duration_since(*at) < FRESH
        {
            return told.clone();
        }
        let told = (self.source)().map(|says| Arc::new(Told { says, status: OnceLock::new() }));
        *self.last.lock().expect(SOUND) = Some((now, told.clone()));
        told
    }
}

/// What was said, and its longest form as bytes once somebody has asked for it.
pub(super) struct Told {
    pub says: Says,
    status: OnceLock<Bytes>,
}

impl Told {
    /// The whole message of Java's status.
    pub(super) fn status(&self) -> &[u8] {
        self.status.get_or_init(|| java::status(&self.says).into())
    }
}
