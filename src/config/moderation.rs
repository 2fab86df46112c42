//! Rules for user texts.

use serde::Deserialize;

use super::parse;

/// Ten years of play.
const MAX_MINUTES: u32 = 5_256_000;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moderation {
    pub held_words: Vec<String>,
    pub refused_words: Vec<String>,
    pub max_links: u32,
    #[serde(deserialize_with = "parse::link_hosts")]
    pub allowed_link_hosts: Vec<String>,
    pub hold_everything: bool,
    pub review_play_minutes: u32,
    pub reviews_per_day: u32,
    pub posts_per_day: u32,
    pub hold_uploads: bool,
    pub uploads_per_day: u32,
    pub uploads_per_account: u32,
}

impl Moderation {
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, words) in [("held_words", &self.held_words), ("refused_words", &self.refused_words)] {
            if let Some(word) = words.iter().find(|word| !is_word(word)) {
                return Err(format!(
                    "moderation.{name} must be words of letters and digits, with * only at the end, not \"{word}\""
                ));
            }
        }
        if self.review_play_minutes > MAX_MINUTES {
            let minutes = self.review_play_minutes;
            return Err(format!("moderation.review_play_minutes must be from 0 to {MAX_MINUTES}, not {minutes}"));
        }
        for (name, value) in [
            ("reviews_per_day", self.reviews_per_day),
            ("posts_per_day", self.posts_per_day),
            ("uploads_per_day", self.uploads_per_day),
            ("uploads_per_account", self.uploads_per_account),
        ] {
            if value == 0 {
                return Err(format!("moderation.{name} must be at least 1"));
            }
        }
        Ok(())
    }
}

fn is_word(word: &str) -> bool {
    let letters = word.strip_suffix('*').unwrap_or(word);
    !letters.is_empty() && letters.chars().all(char::is_alphanumeric)
}
