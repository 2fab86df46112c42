//! Publishes scheduled posts when they are due. Taking the draft is part of the transaction, so that of several nodes one
//! publishes it.

use std::sync::Arc;
use std::time::Duration;

use super::markdown::render;
use super::rules::HELD_ALWAYS;
use super::{Moderation, Rules, Verdict};
use rollcall_store::audit::Author;
use rollcall_store::post_drafts::{self, DueDraft};
use rollcall_store::submitted_posts::{self, PostText};
use rollcall_store::{Conn, Result, revision, servers};

const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// Posts that are published in one transaction.
const BATCH: i64 = 20;

impl Moderation {
    /// Publishes scheduled posts until the service stops.
    pub async fn publish_scheduled_posts(self: Arc<Self>) {
        let mut failed = false;
        loop {
            tokio::time::sleep(LOOK_INTERVAL).await;
            match self.publish_due().await {
                Ok(()) => failed = false,
                Err(error) if !failed => {
                    failed = true;
                    tracing::warn!(%error, "cannot publish scheduled posts");
                }
                Err(_) => {}
            }
        }
    }

    async fn publish_due(self: &Arc<Self>) -> Result<()> {
        let now = self.clock.now();
        // Most of the time there is nothing to write.
        if self.pool.read(move |conn| post_drafts::due(conn, now, 1)).await?.is_empty() {
            return Ok(());
        }
        let moderation = self.clone();
        self.pool
            .write(move |conn| {
                // First: the draft cannot change from here on.
                revision::bump(conn)?;
                let due = post_drafts::due(conn, now, BATCH)?;
                due.iter().try_for_each(|due| publish(conn, &moderation.rules, due, now))
            })
            .await
    }
}

fn publish(conn: &mut Conn, rules: &Rules, due: &DueDraft, now: i64) -> Result<()> {
    if !due.may_publish {
        return post_drafts::unschedule(conn, &due.draft.id);
    }
    let rendered = render(&due.draft.content);
    let website = servers::by_number(conn, due.draft.server_n)?.and_then(|server| server.website);
    let parts = [due.draft.title.as_str(), &due.draft.content];
    let verdict = rules.check_post(&parts, &rendered.links, website.as_deref(), due.skips_moderation);
    let text = PostText {
        title: due.draft.title.clone(),
        content: due.draft.content.clone(),
        html: rendered.html,
        held: match verdict {
            Verdict::Shown => None,
            Verdict::Held(why) => Some(why),
            // The rules have changed since it was scheduled.
            Verdict::Refused(_) => Some(HELD_ALWAYS.to_owned()),
        },
    };
    let author = Author { name: due.username.clone(), address: None, at: now };
    submitted_posts::publish_draft(conn, &due.draft.id, Some(now), &text, &author).map(drop)
}
