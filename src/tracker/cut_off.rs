//! Whether we ourselves are cut off. When everybody who was there a moment ago is silent at once, it may be our own network
//! that failed, and then it is nobody's outage.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::ping::Names;

/// Servers that were online and fall silent one after the other before we doubt ourselves.
const SUSPICIOUS: u32 = 16;
/// How long the answer to that doubt is good.
const GOOD_FOR: Duration = Duration::from_secs(10);

#[derive(Default)]
pub struct CutOff {
    doubt: Mutex<Doubt>,
}

#[derive(Default)]
struct Doubt {
    silent: u32,
    asked: Option<(Instant, bool)>,
}

impl CutOff {
    /// Somebody was heard: he answered, or refused.
    pub async fn heard(&self) {
        let mut doubt = self.doubt.lock().await;
        if doubt.asked.is_some_and(|(_, cut_off)| cut_off) {
            tracing::info!("servers are heard again");
        }
        *doubt = Doubt::default();
    }

    /// A server that was online is silent. Gives whether that is our own fault.
    pub async fn silent(&self, names: &Names) -> bool {
        let mut doubt = self.doubt.lock().await;
        doubt.silent = doubt.silent.saturating_add(1);
        if doubt.silent < SUSPICIOUS {
            return false;
        }
        let before = doubt.asked;
        if let Some((at, cut_off)) = before
            && at.elapsed() < GOOD_FOR
        {
            return cut_off;
        }
        let cut_off = !names.are_heard().await;
        doubt.asked = Some((Instant::now(), cut_off));
        if cut_off && !before.is_some_and(|(_, cut_off)| cut_off) {
            tracing::warn!(
                "nobody is heard any more, not even name servers: we are cut off, and count it as no outage"
            );
        }
        cut_off
    }
}
