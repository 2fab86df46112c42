//! Texts of an uploaded skin or cape.

use crate::moderation::text;
use rollcall_model::message::{Message, translatable};
use rollcall_model::text::is_control_or_bidi;
use rollcall_model::visibility::Visibility;
use rollcall_store::texture_uploads::UploadTexts;

pub const MAX_NAME_CHARS: usize = 60;
pub const MAX_DESCRIPTION_CHARS: usize = 1_000;
pub const MAX_TAGS: usize = 10;
const MAX_TAG_CHARS: usize = 30;

/// The fields of the form as they were entered.
#[derive(Clone, Debug, Default)]
pub struct EnteredUpload {
    pub kind: String,
    /// Empty: as the picture suggests.
    pub model: String,
    pub name: String,
    pub description: String,
    pub tags: String,
    pub visibility: String,
    pub based_on: String,
    /// The address of a skin or cape of this site, in place of a file.
    pub address: String,
    /// The name of a player whose skin is copied, in place of a file.
    pub player: String,
}

impl EnteredUpload {
    pub fn is_skin(&self) -> Result<bool, Message> {
        match self.kind.as_str() {
            "skin" => Ok(true),
            "cape" => Ok(false),
            _ => Err(translatable("Choose whether it is a skin or a cape.").into()),
        }
    }

    /// The model is `None` if it was left to the picture.
    pub fn texts(&self, is_skin: bool) -> Result<UploadTexts, Message> {
        let name = self.name.trim();
        if name.is_empty() {
            return Err(translatable("Enter a name.").into());
        }
        if name.chars().count() > MAX_NAME_CHARS {
            return Err(Message::new("The name must have at most {} characters.", &[&MAX_NAME_CHARS]));
        }
        if name.chars().any(is_control_or_bidi) {
            return Err(translatable("The name must not contain control or direction characters.").into());
        }
        let description = text::normalized(&self.description);
        text::check(&description, 0, MAX_DESCRIPTION_CHARS)?;
        let model = match self.model.as_str() {
            "classic" | "slim" if is_skin => Some(self.model.clone()),
            "" => None,
            _ if !is_skin => None,
            _ => return Err(translatable("Choose classic or slim arms.").into()),
        };
        let visibility = Visibility::parse(&self.visibility)
            .ok_or_else(|| Message::from(translatable("Choose who sees it: public, unlisted or hidden.")))?;
        Ok(UploadTexts { name: name.to_owned(), description, tags: tags(&self.tags)?, model, visibility })
    }
}

/// Tags are lower case, so that one tag is one tag.
fn tags(entered: &str) -> Result<Vec<String>, Message> {
    let mut tags: Vec<String> = Vec::new();
    for tag in entered.split(',') {
        let tag = tag.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        if tag.chars().count() > MAX_TAG_CHARS || tag.chars().any(is_control_or_bidi) {
            return Err(Message::new(
                "A tag has at most {} characters, without control or direction characters.",
                &[&MAX_TAG_CHARS],
            ));
        }
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if tags.len() > MAX_TAGS {
        return Err(Message::new("At most {} tags are accepted, not {}.", &[&MAX_TAGS, &tags.len()]));
    }
    Ok(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entered() -> EnteredUpload {
        EnteredUpload { name: " Red  fox ".into(), visibility: "PUBLIC".into(), ..EnteredUpload::default() }
    }

    #[test]
    fn texts_are_cleaned_and_bounded() {
        let tags = " Fox, red ,FOX,, Two   words".to_owned();
        let texts = EnteredUpload { tags, model: "slim".into(), ..entered() }.texts(true).unwrap();
        assert_eq!((texts.name.as_str(), texts.model.as_deref()), ("Red  fox", Some("slim")));
        assert_eq!(texts.tags, ["fox", "red", "two words"]);
        assert_eq!(EnteredUpload { model: "slim".into(), ..entered() }.texts(false).unwrap().model, None);
        for wrong in [
            EnteredUpload { name: " ".into(), ..entered() },
            EnteredUpload { name: "x".repeat(61), ..entered() },
            EnteredUpload { name: "a\u{202e}b".into(), ..entered() },
            EnteredUpload { description: "x".repeat(1_001), ..entered() },
            EnteredUpload { tags: "x".repeat(31), ..entered() },
            EnteredUpload { tags: (0..11).map(|n| format!("t{n},")).collect(), ..entered() },
            EnteredUpload { model: "wide".into(), ..entered() },
            EnteredUpload { visibility: "SECRET".into(), ..entered() },
        ] {
            assert!(wrong.texts(true).is_err(), "{wrong:?}");
        }
        assert!(entered().is_skin().is_err());
    }
}
