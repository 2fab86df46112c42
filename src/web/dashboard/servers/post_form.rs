//! The form of an update post: what was entered, and what is to be done with it.

use crate::moderation::text::{self, MAX_POST_CHARS, MAX_TITLE_CHARS};
use crate::moderation::{Rules, Verdict, markdown};
use crate::web::csrf_form::LongCsrfForm;
use crate::web::current_user::CurrentUser;
use rollcall_model::message::{Message, translatable};
use rollcall_model::time::{DAY, parse_iso};
use rollcall_store::post_drafts::NewDraft;
use rollcall_store::submitted_posts::PostText;

/// How far ahead a post can be scheduled.
const MAX_AHEAD: i64 = 365 * DAY;

/// Subject of the form.
#[derive(Clone, Debug, Default)]
pub enum PostTarget {
    #[default]
    New,
    Draft(String),
    Post(String),
}

impl PostTarget {
    pub fn id(&self) -> &str {
        match self {
            Self::New => "",
            Self::Draft(id) | Self::Post(id) => id,
        }
    }
}

/// The fields as they were entered.
#[derive(Clone, Debug, Default)]
pub struct EnteredPost {
    pub title: String,
    pub content: String,
    /// A minute in UTC, such as `2026-01-31T09:30`.
    pub publish_at: String,
}

/// Action for a checked text.
pub enum Action {
    Publish(PostText),
    /// Without its server and author.
    SaveDraft(NewDraft),
    Schedule(NewDraft),
}

impl EnteredPost {
    pub fn read(form: &LongCsrfForm<CurrentUser>) -> Self {
        Self {
            title: form.text("title").to_owned(),
            content: text::normalized(form.raw("content")),
            publish_at: form.text("publish_at").to_owned(),
        }
    }

    /// What the page shows again of a text that may be too long.
    pub fn bounded(&self) -> Self {
        Self {
            title: self.title.chars().take(MAX_TITLE_CHARS).collect(),
            content: self.bounded_content().to_owned(),
            publish_at: self.publish_at.chars().take(19).collect(),
        }
    }

    pub fn bounded_content(&self) -> &str {
        let end = self.content.char_indices().nth(MAX_POST_CHARS).map_or(self.content.len(), |(end, _)| end);
        &self.content[..end]
    }

    pub fn check(
        &self,
        action: &str,
        target: &PostTarget,
        rules: &Rules,
        website: Option<&str>,
        user: &CurrentUser,
    ) -> Result<Action, Message> {
        text::check_title(&self.title)?;
        text::check(&self.content, 1, MAX_POST_CHARS)?;
        let rendered = markdown::render(&self.content);
        let (parts, is_trusted) = ([self.title.as_str(), &self.content], user.account.skips_moderation());
        let held = match rules.check_post(&parts, &rendered.links, website, is_trusted) {
            Verdict::Shown => None,
            Verdict::Held(why) => Some(why),
            Verdict::Refused(error) => return Err(error),
        };
        match (action, target) {
            ("publish", _) => Ok(Action::Publish(PostText {
                title: self.title.clone(),
                content: self.content.clone(),
                html: rendered.html,
                held,
            })),
            ("draft", PostTarget::New | PostTarget::Draft(_)) => Ok(Action::SaveDraft(self.draft(target, None))),
            ("schedule", PostTarget::New | PostTarget::Draft(_)) => {
                let at = self.time(user.session.now)?;
                Ok(Action::Schedule(self.draft(target, Some(at))))
            }
            _ => Err(translatable("Choose whether to publish, schedule or save the post.").into()),
        }
    }

    fn draft(&self, target: &PostTarget, publish_at: Option<i64>) -> NewDraft {
        NewDraft {
            id: Some(target.id().to_owned()).filter(|id| !id.is_empty()),
            server_n: 0,
            account_n: 0,
            title: self.title.clone(),
            content: self.content.clone(),
            publish_at,
        }
    }

    /// When the post is to be published.
    fn time(&self, now: i64) -> Result<i64, Message> {
        if self.publish_at.is_empty() {
            return Err(translatable("Enter when to publish the post: a day and a time in UTC.").into());
        }
        // Browsers leave the seconds out if they are zero.
        let seconds = if self.publish_at.len() == 16 { ":00" } else { "" };
        let at = parse_iso(&format!("{}{seconds}.000Z", self.publish_at));
        let at = at.ok_or_else(|| {
            Message::new("Enter a day and a time in UTC, such as 2026-01-31T09:30, not “{}”.", &[&self.publish_at])
        })?;
        if (now + 1..=now + MAX_AHEAD).contains(&at) {
            Ok(at)
        } else {
            Err(translatable("The time must be in the future, at most a year from now.").into())
        }
    }
}
