//! What a field may hold. Each check gives the value or a sentence that names the field, what it got and what it takes.

use std::collections::HashSet;
use std::fmt::Display;

use rollcall_model::{country, time};

type Checked<T> = Result<T, String>;

/// Longest id accepted; ours have 20 characters.
const LONGEST_ID: usize = 64;

/// Ids stand in URLs as they are.
pub(super) fn id(id: &str) -> Checked<()> {
    let sound =
        (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if sound { Ok(()) } else { Err(format!("id must be 1 to {LONGEST_ID} letters, digits, - or _, not {id:?}")) }
}

pub(super) fn time(field: &str, text: &str) -> Checked<i64> {
    time::parse_iso(text)
        .ok_or_else(|| format!("{field} must be a time such as 2026-01-31T09:30:00.000Z, not {text:?}"))
}

pub(super) fn time_or_none(field: &str, text: Option<&String>) -> Checked<Option<i64>> {
    text.map(|text| time(field, text)).transpose()
}

/// More than anything here counts, and so little that sums over any number of rows stay whole.
pub(super) const LARGEST: i64 = i32::MAX as i64;

pub(super) fn count(field: &str, number: i64) -> Checked<i64> {
    within(field, number, 0, LARGEST)
}

pub(super) fn within(field: &str, number: i64, least: i64, most: i64) -> Checked<i64> {
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(format!("{field} must be a whole number from {least} to {most}, not {number}"))
    }
}

/// Ticks per second and the like: not negative.
pub(super) fn measure(field: &str, number: Option<f64>) -> Checked<Option<f64>> {
    match number {
        Some(number) if number < 0.0 => Err(format!("{field} must be a number from 0 up, not {number}")),
        number => Ok(number),
    }
}

pub(super) fn filled<'a>(field: &str, text: &'a str) -> Checked<&'a str> {
    if text.trim().is_empty() { Err(format!("{field} must not be empty")) } else { Ok(text) }
}

pub(super) fn one_of(field: &str, text: &str, words: &[&str]) -> Checked<()> {
    if words.contains(&text) { Ok(()) } else { Err(format!("{field} must be {}, not {text:?}", words.join(" or "))) }
}

/// Shown as a link: only the web's own schemes.
pub(super) fn link(field: &str, url: Option<&String>) -> Checked<()> {
    match url {
        Some(url) if !(url.starts_with("https://") || url.starts_with("http://")) => {
            Err(format!("{field} must begin with https:// or http://, not {url:?}"))
        }
        _ => Ok(()),
    }
}

/// Items that are not empty and differ from each other.
pub(super) fn distinct<'a, T: AsRef<str> + Display>(field: &str, items: &'a [T]) -> Checked<&'a [T]> {
    let mut seen = HashSet::new();
    for item in items {
        filled(field, item.as_ref())?;
        if !seen.insert(item.as_ref()) {
            return Err(format!("{field} holds {:?} twice", item.as_ref()));
        }
    }
    Ok(items)
}

/// A country by name or code becomes the name that everybody uses; an unknown one stays as it is.
pub(super) fn country(name: &str) -> String {
    let known = country::by_name(name).or_else(|| country::by_code(name));
    known.map_or(name.to_owned(), |country| country.name.to_owned())
}
