//! Where each setting comes from, so that an error can name the file, variable or flag to change.

use std::collections::BTreeMap;

use toml::{Table, Value};

/// The source by the full name of a setting. Defaults have none: they are correct.
#[derive(Clone, Debug, Default)]
pub struct Sources(BTreeMap<String, String>);

impl Sources {
    pub fn set(&mut self, setting: &str, source: &str) {
        self.0.insert(setting.to_owned(), source.to_owned());
    }

    /// Every setting of a file.
    pub fn set_all(&mut self, table: &Table, path: &str, source: &str) {
        for (name, value) in table {
            let full = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match value {
                Value::Table(inner) => self.set_all(inner, &full, source),
                _ => self.set(&full, source),
            }
        }
    }

    /// Puts the source of the setting that a message names in front of it.
    pub fn add_to(&self, message: String) -> String {
        let named = self.0.iter().filter(|(setting, _)| contains_name(&message, setting));
        match named.max_by_key(|(setting, _)| setting.len()) {
            Some((_, source)) => format!("{source}: {message}"),
            None => message,
        }
    }
}

/// Whether a text contains a name that is no part of a longer one.
fn contains_name(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(|c: char| is_part(c) || c == '.') && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_of_the_named_setting_is_added() {
        let mut sources = Sources::default();
        sources.set("data", "--data");
        sources.set("database", "--database");
        sources.set("http.client_timeout", "a.toml");
        let added = |message: &str| sources.add_to(message.to_owned());
        assert_eq!(added("database: no host"), "--database: database: no host");
        assert_eq!(added("http.client_timeout must be 1"), "a.toml: http.client_timeout must be 1");
        assert_eq!(added("expected a string in `data`"), "--data: expected a string in `data`");
        assert_eq!(added("http.database_timeout is wrong"), "http.database_timeout is wrong");
    }
}
