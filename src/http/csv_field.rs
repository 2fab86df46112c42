//! Fields of CSV files (RFC 4180).

use std::borrow::Cow;

/// A text that came from outside.
pub fn text(text: &str) -> String {
    quote(&escape_formula(text)).into_owned()
}

/// CSV injection: spreadsheets run cells that start like a formula. A leading apostrophe makes them text.
fn escape_formula(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}").into() } else { text.into() }
}

pub fn quote(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}
