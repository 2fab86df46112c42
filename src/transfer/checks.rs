//! Checks of single fields. An error names the field, its value and what is accepted.

use std::collections::HashSet;
use std::fmt::Display;

use rollcall_model::text::is_control_or_bidi;
use rollcall_model::{country, time};

type Checked<T> = Result<T, String>;

/// Generated ids have 20 characters.
const MAX_ID_LENGTH: usize = 64;

/// Ids are used in URLs without escaping.
pub(super) fn id(id: &str) -> Checked<()> {
    let is_valid = (1..=MAX_ID_LENGTH).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if is_valid { Ok(()) } else { Err(format!("id must be 1 to {MAX_ID_LENGTH} letters, digits, - or _, not {id:?}")) }
}

pub(super) fn time(field: &str, text: &str) -> Checked<i64> {
    time::parse_iso(text)
        .ok_or_else(|| format!("{field} must be a time such as 2026-01-31T09:30:00.000Z, not {text:?}"))
}

pub(super) fn time_or_none(field: &str, text: Option<&String>) -> Checked<Option<i64>> {
    text.map(|text| time(field, text)).transpose()
}

/// Above any real count, and low enough that sums over all rows do not overflow.
pub(super) const MAX_COUNT: i64 = i32::MAX as i64;

pub(super) fn count(field: &str, number: i64) -> Checked<i64> {
    in_range(field, number, 0, MAX_COUNT)
}

pub(super) fn in_range(field: &str, number: i64, min: i64, max: i64) -> Checked<i64> {
    if (min..=max).contains(&number) {
        Ok(number)
    } else {
        Err(format!("{field} must be a whole number from {min} to {max}, not {number}"))
    }
}

pub(super) fn not_negative(field: &str, number: Option<f64>) -> Checked<Option<f64>> {
    match number {
        Some(number) if number < 0.0 => Err(format!("{field} must be 0 or more, not {number}")),
        number => Ok(number),
    }
}

/// Characters of names, by what they name. A server without a name is called by its address.
pub(super) const MAX_SERVER_NAME: usize = 300;
pub(super) const MAX_NAME: usize = 100;
/// Characters of a line of text: a description, a title.
pub(super) const MAX_LINE: usize = 500;
/// Characters of text with line ends: a review, a post, a MOTD.
pub(super) const MAX_TEXT: usize = 20_000;
/// Names that a player has had.
pub(super) const MAX_NICKNAMES: usize = 1_000;
const MAX_TAGS: usize = 50;
const MAX_URL: usize = 2_048;

pub(super) fn not_blank(field: &str, text: &str) -> Checked<()> {
    if text.trim().is_empty() { Err(format!("{field} must not be empty")) } else { Ok(()) }
}

/// A name, which stands on one line next to others: it must not change how they look.
pub(super) fn name(field: &str, text: &str, max: usize) -> Checked<()> {
    not_blank(field, text)?;
    line(field, text, max)
}

pub(super) fn name_or_none(field: &str, text: Option<&String>, max: usize) -> Checked<()> {
    text.map_or(Ok(()), |text| name(field, text, max))
}

/// One line of text; it may be empty.
pub(super) fn line(field: &str, text: &str, max: usize) -> Checked<()> {
    at_most(field, text, max)?;
    match text.chars().find(|c| is_control_or_bidi(*c)) {
        Some(c) => Err(format!("{field} must not contain the control or direction character U+{:04X}", c as u32)),
        None => Ok(()),
    }
}

pub(super) fn line_or_none(field: &str, text: Option<&String>, max: usize) -> Checked<()> {
    text.map_or(Ok(()), |text| line(field, text, max))
}

/// Text with line ends and tabs, but without other control characters.
pub(super) fn text(field: &str, text: Option<&String>) -> Checked<()> {
    let Some(text) = text else { return Ok(()) };
    at_most(field, text, MAX_TEXT)?;
    match text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        Some(c) => Err(format!("{field} must not contain the control character U+{:04X}", c as u32)),
        None => Ok(()),
    }
}

fn at_most(field: &str, text: &str, max: usize) -> Checked<()> {
    // Counts characters only if there may be too many.
    let length = if text.len() > max { text.chars().count() } else { 0 };
    if length > max { Err(format!("{field} must have at most {max} characters, not {length}")) } else { Ok(()) }
}

pub(super) fn tags(tags: &[String]) -> Checked<()> {
    if tags.len() > MAX_TAGS {
        return Err(format!("tags must have at most {MAX_TAGS} entries, not {}", tags.len()));
    }
    tags.iter().try_for_each(|tag| name("tags", tag, MAX_NAME))?;
    distinct("tags", tags)
}

pub(super) fn one_of(field: &str, text: &str, accepted: &[&str]) -> Checked<()> {
    if accepted.contains(&text) {
        Ok(())
    } else {
        Err(format!("{field} must be {}, not {text:?}", accepted.join(" or ")))
    }
}

/// A URL that pages link to. Other schemes, such as `javascript:`, would allow XSS.
pub(super) fn http_url(field: &str, url: Option<&String>) -> Checked<()> {
    match url {
        Some(url) if !(url.starts_with("https://") || url.starts_with("http://")) => {
            Err(format!("{field} must begin with https:// or http://, not {:?}", shortened(url)))
        }
        Some(url) if url.chars().any(|c| c.is_whitespace() || is_control_or_bidi(c)) => {
            Err(format!("{field} must not contain spaces, control or direction characters"))
        }
        Some(url) => at_most(field, url, MAX_URL),
        None => Ok(()),
    }
}

/// The beginning of a text that is repeated in a message.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(MAX_NAME).map_or(text, |(end, _)| &text[..end])
}

/// Items must not be blank and must differ from each other.
pub(super) fn distinct<T: AsRef<str> + Display>(field: &str, items: &[T]) -> Checked<()> {
    let mut seen = HashSet::new();
    for item in items {
        not_blank(field, item.as_ref())?;
        if !seen.insert(item.as_ref()) {
            return Err(format!("{field} contains {:?} twice", item.as_ref()));
        }
    }
    Ok(())
}

/// Normalises a country name or code to the name. An unknown one does not change.
pub(super) fn country(name: &str) -> String {
    let known = country::by_name(name).or_else(|| country::by_code(name));
    known.map_or(name.to_owned(), |country| country.name.to_owned())
}
