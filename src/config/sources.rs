//! The source of each setting, so that an error can name the file, variable or flag to change.

use std::collections::BTreeMap;
use std::fmt;

use toml::{Table, Value};

/// The source of a value. The text names the file, variable, credential or flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Default,
    File(String),
    Credential(String),
    Environment(String),
    Flag(&'static str),
}

impl Source {
    /// One word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File(_) => "file",
            Self::Credential(_) => "credential",
            Self::Environment(_) => "environment",
            Self::Flag(_) => "flag",
        }
    }

    /// The file, variable, credential or flag; `None` for a default.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Default => None,
            Self::File(name) | Self::Credential(name) | Self::Environment(name) => Some(name),
            Self::Flag(name) => Some(name),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => f.write_str(path),
            Self::Credential(name) => write!(f, "credential {name}"),
            Self::Environment(name) => write!(f, "environment variable {name}"),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// The source by the full name of a setting. Defaults have none: they are correct.
#[derive(Clone, Debug, Default)]
pub struct Sources(BTreeMap<String, Source>);

impl Sources {
    pub fn set(&mut self, setting: &str, source: Source) {
        self.0.insert(setting.to_owned(), source);
    }

    pub fn of(&self, setting: &str) -> Source {
        self.0.get(setting).cloned().unwrap_or(Source::Default)
    }

    /// Every setting of a file.
    pub fn set_all(&mut self, table: &Table, path: &str, source: &Source) {
        for (name, value) in table {
            let full = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match value {
                Value::Table(inner) => self.set_all(inner, &full, source),
                _ => self.set(&full, source.clone()),
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
        sources.set("data", Source::Flag("--data"));
        sources.set("database", Source::Flag("--database"));
        sources.set("http.client_timeout", Source::File("a.toml".into()));
        let added = |message: &str| sources.add_to(message.to_owned());
        assert_eq!(added("database: no host"), "--database: database: no host");
        assert_eq!(added("http.client_timeout must be 1"), "a.toml: http.client_timeout must be 1");
        assert_eq!(added("expected a string in `data`"), "--data: expected a string in `data`");
        assert_eq!(added("http.database_timeout is wrong"), "http.database_timeout is wrong");
    }
}
