//! Rules for user texts, their Markdown, and the publication of scheduled posts.

mod links;
pub mod markdown;
mod publication;
mod rules;
pub mod text;

use std::sync::Arc;

pub use rules::{PICTURES_HELD_ALWAYS, Rules, Verdict, explain};

use crate::config;
use rollcall_model::clock::Clock;
use rollcall_model::time::{DAY, MINUTE};
use rollcall_store::Pool;
use rollcall_store::texture_uploads::UploadCaps;

/// Caps count what was written within this time.
pub const CAP_PERIOD: i64 = DAY;

pub struct Moderation {
    pub rules: Rules,
    /// Seconds that a player must have played on a server before they may review it.
    pub review_play_seconds: i64,
    pub reviews_per_day: i64,
    pub posts_per_day: i64,
    pub hold_uploads: bool,
    pub upload_caps: UploadCaps,
    pool: Pool,
    clock: Clock,
}

impl Moderation {
    pub fn new(settings: &config::Moderation, pool: Pool, clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            rules: Rules::new(settings),
            review_play_seconds: i64::from(settings.review_play_minutes) * MINUTE / 1000,
            reviews_per_day: settings.reviews_per_day.into(),
            posts_per_day: settings.posts_per_day.into(),
            hold_uploads: settings.hold_uploads,
            upload_caps: UploadCaps {
                per_day: settings.uploads_per_day.into(),
                per_account: settings.uploads_per_account.into(),
            },
            pool,
            clock,
        })
    }
}
