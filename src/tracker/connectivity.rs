//! Whether we ourselves are cut off. When everybody who was there a moment ago is silent at once, it may be our own network
//! that failed, and then it is nobody's outage.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rollcall_ping::Names;

/// Servers that were online and fall silent one after the other before we doubt ourselves.
const SUSPICIOUS: u32 = 16;
/// How long the answer to that doubt is good.
const GOOD_FOR: Duration = Duration::from_secs(10);

#[derive(Default)]
pub struct CutOff {
    doubt: Mutex<Doubt>,
    /// One asks, and all others who doubt wait for his answer; whoever was heard does not.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Doubt {
    silent: u32,
    asked: Option<(Instant, bool)>,
}

impl CutOff {
    /// Somebody was heard: he answered, or refused.
    pub fn heard(&self) {
        let before = std::mem::take(&mut *self.doubt());
        if before.asked.is_some_and(|(_, cut_off)| cut_off) {
            tracing::info!("servers are heard again");
        }
    }

    /// A server that was online is silent. Gives whether that is our own fault.
    pub async fn silent(&self, names: &Names) -> bool {
        if self.count() < SUSPICIOUS {
            return false;
        }
        let _asking = self.asking.lock().await;
        let before = self.doubt().asked;
        if let Some((at, cut_off)) = before
            && at.elapsed() < GOOD_FOR
        {
            return cut_off;
        }
        let cut_off = !names.are_heard().await;
        self.doubt().asked = Some((Instant::now(), cut_off));
        if cut_off && !before.is_some_and(|(_, cut_off)| cut_off) {
            tracing::warn!(
                "nobody is heard any more, not even name servers: we are cut off, and count it as no outage"
            );
        }
        cut_off
    }

    fn count(&self) -> u32 {
        let mut doubt = self.doubt();
        doubt.silent = doubt.silent.saturating_add(1);
        doubt.silent
    }

    fn doubt(&self) -> MutexGuard<'_, Doubt> {
        self.doubt.lock().expect("nothing panics under this lock")
    }
}
