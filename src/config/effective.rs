//! The settings in force, for people and programs. Secrets are hidden.

use std::fmt;

use toml::{Table, Value};

use super::Config;
use super::sources::Source;

/// Settings whose whole value is secret. A test compares them with the fields of type `Secret`.
pub(super) const SECRETS: [&str; 4] =
    ["accounts.second_factor_key", "media.secret_access_key", "media.session_token", "playground.secret_key"];
/// Stands for a secret.
const HIDDEN: &str = "(hidden)";

/// A setting in force.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveSetting {
    /// With its section: `limits.per_minute`.
    pub name: String,
    /// Without secrets.
    pub value: Value,
    pub source: Source,
}

/// The merged values, secrets included. The debug form shows none of them.
#[derive(Clone, Default)]
pub(super) struct MergedSettings(pub Table);

impl fmt::Debug for MergedSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl MergedSettings {
    /// Full names and values, in alphabetical order.
    fn flat(&self) -> Vec<(String, &Value)> {
        let mut flat = Vec::new();
        for (name, value) in &self.0 {
            match value {
                Value::Table(section) => {
                    flat.extend(section.iter().map(|(key, value)| (format!("{name}.{key}"), value)));
                }
                value => flat.push((name.clone(), value)),
            }
        }
        flat
    }
}

impl Config {
    /// Every setting with its value and where that comes from.
    pub fn effective(&self) -> Vec<EffectiveSetting> {
        let setting = |(name, value): (String, &Value)| EffectiveSetting {
            value: without_secrets(&name, value),
            source: self.sources.of(&name),
            name,
        };
        self.merged.flat().into_iter().map(setting).collect()
    }

    /// The names of the settings that have another value in `other`.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let (old, new) = (self.merged.flat(), other.merged.flat());
        old.into_iter().zip(new).filter(|(old, new)| old != new).map(|((name, _), _)| name).collect()
    }

    /// Notes that these settings have the value of `new` from now on, so that [`Config::differences`] tells what is left.
    pub fn adopt(&mut self, new: &Self, settings: &[&str]) {
        for setting in settings {
            let Some((section, key)) = setting.split_once('.') else { continue };
            if let (Some(Value::Table(old)), Some(Value::Table(new))) =
                (self.merged.0.get_mut(section), new.merged.0.get(section))
                && let Some(value) = new.get(key)
            {
                old.insert(key.to_owned(), value.clone());
            }
        }
    }
}

fn without_secrets(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if SECRETS.contains(&name) && !text.is_empty() => HIDDEN.into(),
        Value::String(text) => without_password(text).into(),
        Value::Array(values) => values.iter().map(|value| without_secrets(name, value)).collect::<Vec<_>>().into(),
        value => value.clone(),
    }
}

/// A URL without the password in front of its host and without the one in its query. Any setting may hold such a URL.
fn without_password(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    // The last @ ends the password, whatever is in it.
    let (user, rest) = match rest.rsplit_once('@') {
        Some((credentials, rest)) => match without_user_password(credentials) {
            Some(user) => (format!("{user}@"), rest),
            None => return format!("{scheme}://{HIDDEN}"),
        },
        None => (String::new(), rest),
    };
    let (address, query) = rest.split_once('?').map_or((rest, None), |(address, query)| (address, Some(query)));
    let query = query.map(|query| query.split('&').map(hide_parameter).collect::<Vec<_>>().join("&"));
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    format!("{scheme}://{user}{address}{query}")
}

/// What stands before the last @. `None` if that is not only a user name and a password: anything may be a secret then.
fn without_user_password(credentials: &str) -> Option<String> {
    let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
    match (user.contains(['/', '?', '@']), password.is_empty()) {
        (true, _) => None,
        (false, true) => Some(user.to_owned()),
        (false, false) => Some(format!("{user}:{HIDDEN}")),
    }
}

/// Shows parameters of PostgreSQL connections that are known to hold no secret.
fn hide_parameter(parameter: &str) -> String {
    const HARMLESS: [&str; 14] = [
        "application_name",
        "connect_timeout",
        "dbname",
        "host",
        "hostaddr",
        "load_balance_hosts",
        "options",
        "port",
        "sslcert",
        "sslkey",
        "sslmode",
        "sslrootcert",
        "target_session_attrs",
        "user",
    ];
    match parameter.split_once('=') {
        Some((name, _)) if HARMLESS.contains(&name) => parameter.to_owned(),
        Some((name, _)) => format!("{name}={HIDDEN}"),
        None => HIDDEN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_are_hidden() {
        for (url, shown) in [
            ("postgres://u:p%40ss@host:5432/db", "postgres://u:(hidden)@host:5432/db"),
            ("postgres://u:p:a/s@s@host/db", "postgres://u:(hidden)@host/db"),
            (
                "postgres://u@host/db?password=p&sslmode=disable",
                "postgres://u@host/db?password=(hidden)&sslmode=disable",
            ),
            ("postgres://host/db?pass%77ord=p", "postgres://host/db?pass%77ord=(hidden)"),
            ("postgres://u:p?s@host/db", "postgres://u:(hidden)@host/db"),
            ("postgres://host/db?password=p@ss", "postgres://(hidden)"),
            ("postgres://host/db?p", "postgres://host/db?(hidden)"),
            ("https://u:p@proxy.example.org/siteverify", "https://u:(hidden)@proxy.example.org/siteverify"),
            ("sqlite:data/rollcall.db", "sqlite:data/rollcall.db"),
            ("info,tokio_postgres=warn", "info,tokio_postgres=warn"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
