//! Bounds of user texts.

use rollcall_model::message::Message;
use rollcall_model::text::is_control_or_bidi;

pub const MAX_REVIEW_CHARS: usize = 2_000;
pub const MIN_REVIEW_CHARS: usize = 10;
pub const MAX_TITLE_CHARS: usize = 120;
pub const MAX_POST_CHARS: usize = 8_000;
/// A reply, a reason, a report or an appeal.
pub const MAX_NOTE_CHARS: usize = 1_000;
/// A few letters tell a moderator nothing.
pub const MIN_APPEAL_CHARS: usize = 10;
/// Of a report of a skin or cape.
pub const MIN_TEXTURE_REPORT_CHARS: usize = 10;
/// Of a report of a review, whose text the moderator sees.
pub const MIN_REVIEW_REPORT_CHARS: usize = 5;

/// A line end of a form is CR LF; stored texts have LF.
pub fn normalized(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").trim().to_owned()
}

/// Text with line ends and tabs, but without other control characters and without characters that change the direction of what
/// stands around it.
pub fn check(text: &str, min: usize, max: usize) -> Result<(), Message> {
    // Counts characters only if there may be too few or too many.
    let length = if text.len() > 4 * max { text.len() / 4 } else { text.chars().count() };
    if length > max {
        return Err(Message::new("The text must have at most {} characters.", &[&max]));
    }
    if length < min {
        return Err(Message::new("The text must have at least {} characters.", &[&min]));
    }
    match text.chars().find(|c| is_control_or_bidi(*c) && !matches!(c, '\n' | '\t')) {
        Some(c) => Err(Message::new(
            "The text must not contain the control or direction character {}.",
            &[&format!("U+{:04X}", c as u32)],
        )),
        None => Ok(()),
    }
}

/// The same for a title, which has one line.
pub fn check_title(title: &str) -> Result<(), Message> {
    if title.is_empty() {
        return Err(Message::new("Enter a title.", &[]));
    }
    if title.len() > 4 * MAX_TITLE_CHARS || title.chars().count() > MAX_TITLE_CHARS {
        return Err(Message::new("The title must have at most {} characters.", &[&MAX_TITLE_CHARS]));
    }
    if title.chars().any(is_control_or_bidi) {
        return Err(Message::new("The title must not contain control or direction characters.", &[]));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_misleading_texts_are_refused() {
        assert!(check("ten letter", 10, 20).is_ok());
        assert!(check("Ünïcödé 漢字 👍\n\tline", 1, 20).is_ok());
        for text in [
            "short",
            &"x".repeat(21),
            &"漢".repeat(21),
            &"x".repeat(1 << 20),
            "a\u{202e}bcdefghijk",
            "nul\0 in the text",
        ] {
            assert!(check(text, 10, 20).is_err(), "{}", text.len());
        }
        assert!(check_title("A title").is_ok());
        for title in ["", "two\nlines", "a\u{202e}b", &"x".repeat(121)] {
            assert!(check_title(title).is_err());
        }
        assert_eq!(normalized(" a\r\nb\rc "), "a\nb\nc");
    }
}
