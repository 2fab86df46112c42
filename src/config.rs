//! Settings: defaults < file < environment < flags. `config.default.toml` holds the defaults and documents them.
//! Nothing outside this file reads the environment.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use axum::http::{HeaderName, Uri};
use ipnet::IpNet;
use serde::Deserialize;
use toml::{Table, Value};

use rollcall_model::quota::Limits;
use rollcall_model::secret::Secret;
use rollcall_store::Database;

mod linking;
mod moderation;
mod parse;
mod playground;
mod sources;
mod tiers;
mod tracker;

pub use linking::Linking;
pub use moderation::Moderation;
pub use playground::{Check, Playground};
use sources::Sources;
pub use tiers::Tiers;
pub use tracker::Tracker;

pub const DEFAULTS: &str = include_str!("../config.default.toml");
/// Read if it exists and no other file is given.
const DEFAULT_FILE: &str = "rollcall.toml";
const PREFIX: &str = "ROLLCALL_";
/// Names the file itself, so it is not a setting.
const FILE_VARIABLE: &str = "ROLLCALL_CONFIG";
/// Larger values are typos, and overflow some timers.
const MAX_COUNT: u64 = 1_000_000;
const MAX_SECONDS: u64 = 3600;
/// Ten years.
const MAX_LOG_DAYS: u32 = 3650;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    #[serde(deserialize_with = "parse::address")]
    pub listen: SocketAddr,
    pub data: PathBuf,
    database: Secret,
    pub public_url: String,
    pub site: Site,
    pub log: Log,
    pub metrics: Metrics,
    pub limits: Limits,
    pub auth: Auth,
    pub accounts: Accounts,
    pub tls: Tls,
    pub http: Http,
    pub cache: Cache,
    pub playground: Playground,
    pub voting: Voting,
    pub listing: Listing,
    pub linking: Linking,
    pub tiers: Tiers,
    pub moderation: Moderation,
    pub tracker: Tracker,
    #[serde(skip)]
    sources: Sources,
}

/// Links in the footer of every page; an empty one is hidden.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    terms: String,
    privacy: String,
    contact: String,
}

impl Site {
    /// Other schemes, such as javascript:, would run in the reader's session.
    fn check(&self) -> Result<(), String> {
        for (name, url) in [("terms", &self.terms), ("privacy", &self.privacy), ("contact", &self.contact)] {
            let is_link = ["https://", "http://", "mailto:", "/"].iter().any(|scheme| url.starts_with(scheme));
            if !url.is_empty() && !is_link {
                return Err(format!("site.{name} must be a URL that begins with https:// or mailto:, not \"{url}\""));
            }
        }
        Ok(())
    }

    pub fn terms_url(&self) -> Option<&str> {
        Some(self.terms.as_str()).filter(|url| !url.is_empty())
    }

    pub fn privacy_url(&self) -> Option<&str> {
        Some(self.privacy.as_str()).filter(|url| !url.is_empty())
    }

    pub fn contact_url(&self) -> Option<&str> {
        Some(self.contact.as_str()).filter(|url| !url.is_empty())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    pub filter: String,
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Auto,
    Text,
    Json,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// `None`: off.
    #[serde(deserialize_with = "parse::optional_address")]
    pub listen: Option<SocketAddr>,
}

/// Both empty: plain HTTP.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    pub wrong_keys_per_minute: u32,
}

/// Rules for the people who hold keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accounts {
    pub sign_up: SignUp,
    pub sign_ups_per_day: u32,
    pub max_keys: u32,
    pub new_keys_per_day: u32,
    pub wrong_passwords_per_minute: u32,
    pub sign_up_check: HumanCheck,
    pub sign_up_tries_per_minute: u32,
    pub operators_need_second_factor: bool,
    /// 64 hexadecimal digits.
    pub second_factor_key: Secret,
    pub second_factor_key_file: PathBuf,
    pub deleted_log_days: u32,
}

/// Votes for servers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voting {
    pub human_check: HumanCheck,
}

/// Servers that people submit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    pub max_per_account: u32,
}

/// The human check of a form.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum HumanCheck {
    Altcha,
    Off,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum SignUp {
    Open,
    Invitation,
    Closed,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    pub max_requests: usize,
    pub max_uploads: usize,
    pub client_timeout: u64,
    pub request_timeout: u64,
    pub drain_timeout: u64,
    #[serde(deserialize_with = "parse::host_names")]
    pub allowed_hosts: Vec<String>,
    #[serde(deserialize_with = "parse::networks")]
    pub trusted_proxies: Vec<IpNet>,
    #[serde(deserialize_with = "parse::header_name")]
    pub client_address_header: HeaderName,
    pub hsts_include_subdomains: bool,
    pub pictures_per_minute: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    pub responses_mib: u64,
}

/// Settings from the command line; `None` leaves a setting as it is.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    pub config: Option<PathBuf>,
    pub listen: Option<String>,
    pub data: Option<PathBuf>,
    pub database: Option<String>,
    pub public_url: Option<String>,
    pub ping_interval: Option<String>,
    pub allow_private_addresses: bool,
}

impl Config {
    /// Every error is one sentence for the operator.
    pub fn load(flags: &Flags) -> Result<Self, String> {
        #[expect(clippy::disallowed_methods, reason = "the only place that reads settings from the environment")]
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with(PREFIX))
            .collect();
        Self::merge(flags, environment)
    }

    fn merge(flags: &Flags, mut environment: Vec<(String, String)>) -> Result<Self, String> {
        let mut sources = Sources::default();
        let mut settings: Table = DEFAULTS.parse().expect("the built-in defaults are valid TOML");
        let named = environment.iter().position(|(name, _)| name == FILE_VARIABLE).map(|i| environment.remove(i).1);
        if let Some(file) = file_to_read(flags.config.clone().or(named.map(PathBuf::from))) {
            let text = std::fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
            let table: Table = text.parse().map_err(|e| not_toml(&file, &text, &e))?;
            sources.set_all(&table, "", &file.display().to_string());
            merge_tables(&mut settings, table, "").map_err(|e| format!("{}: {e}", file.display()))?;
        }
        environment.sort();
        for (name, value) in environment {
            let setting = set_from_environment(&mut settings, &name, &value)?;
            sources.set(&setting, &format!("environment variable {name}"));
        }
        let flag_values = [
            ("listen", "--listen", flags.listen.clone()),
            ("data", "--data", flags.data.as_ref().map(|p| p.display().to_string())),
            ("database", "--database", flags.database.clone()),
            ("public_url", "--public-url", flags.public_url.clone()),
        ];
        for (name, flag, value) in flag_values {
            if let Some(value) = value {
                settings.insert(name.into(), Value::String(value));
                sources.set(name, flag);
            }
        }
        if let Some(Value::Table(tracker)) = settings.get_mut("tracker") {
            if let Some(interval) = &flags.ping_interval {
                tracker.insert("ping_interval".into(), Value::String(interval.clone()));
                sources.set("tracker.ping_interval", "--ping-interval");
            }
            if flags.allow_private_addresses {
                tracker.insert("allow_private_addresses".into(), Value::Boolean(true));
            }
        }
        let config: Result<Self, toml::de::Error> = settings.try_into();
        let config = config.map_err(|e| sources.add_to(one_line(&e.to_string())))?;
        let config = Self { sources, ..config };
        config.check().map_err(|e| config.with_source(e))?;
        Ok(config)
    }

    /// A message about a setting, with the file, variable or flag that it comes from.
    pub fn with_source(&self, message: String) -> String {
        self.sources.add_to(message)
    }

    fn check(&self) -> Result<(), String> {
        self.site.check()?;
        self.database().map_err(|e| format!("database: {e}"))?;
        if !self.public_url.is_empty() {
            let rest = self.public_url.strip_prefix("https://").or_else(|| self.public_url.strip_prefix("http://"));
            let sound = |rest: &str| {
                !rest.is_empty()
                    && rest
                        .bytes()
                        .all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\' | b'<' | b'>' | b'?' | b'#' | b'/'))
            };
            if !rest.is_some_and(sound) {
                return Err(format!(
                    "public_url must be a URL such as https://stats.example.org, without a path or trailing slash, not \"{}\"",
                    self.public_url
                ));
            }
        }
        let (limits, accounts) = (&self.limits, &self.accounts);
        for (name, value) in [
            ("limits.per_minute", limits.per_minute),
            ("limits.per_day", limits.per_day),
            ("limits.per_month", limits.per_month),
            ("accounts.sign_ups_per_day", accounts.sign_ups_per_day),
            ("accounts.max_keys", accounts.max_keys),
            ("accounts.new_keys_per_day", accounts.new_keys_per_day),
            ("accounts.wrong_passwords_per_minute", accounts.wrong_passwords_per_minute),
            ("accounts.sign_up_tries_per_minute", accounts.sign_up_tries_per_minute),
        ] {
            if value == 0 {
                return Err(format!("{name} must be at least 1"));
            }
        }
        if accounts.deleted_log_days > MAX_LOG_DAYS {
            let days = accounts.deleted_log_days;
            return Err(format!("accounts.deleted_log_days must be from 0 to {MAX_LOG_DAYS}, not {days}"));
        }
        if self.tls.certificate.as_os_str().is_empty() != self.tls.key.as_os_str().is_empty() {
            return Err("tls.certificate and tls.key belong together: set both, or neither for plain HTTP".into());
        }
        let http = &self.http;
        for (name, value, least, most) in [
            ("max_connections", http.max_connections as u64, 1, MAX_COUNT),
            ("max_connections_per_address", http.max_connections_per_address as u64, 1, MAX_COUNT),
            ("max_requests", http.max_requests as u64, 1, MAX_COUNT),
            ("max_uploads", http.max_uploads as u64, 1, MAX_COUNT),
            ("client_timeout", http.client_timeout, 1, MAX_SECONDS),
            ("request_timeout", http.request_timeout, 1, MAX_SECONDS),
            ("drain_timeout", http.drain_timeout, 0, MAX_SECONDS),
            ("pictures_per_minute", http.pictures_per_minute.into(), 1, MAX_COUNT),
        ] {
            if !(least..=most).contains(&value) {
                return Err(format!("http.{name} must be from {least} to {most}, not {value}"));
            }
        }
        self.playground.check()?;
        self.linking.check()?;
        self.tiers.check()?;
        self.moderation.check()?;
        self.tracker.check()
    }

    /// Names and addresses of this service, which the tracker must not ping.
    pub fn own_hosts(&self) -> Vec<String> {
        let public_host = self.public_url.parse::<Uri>().ok().and_then(|url| url.host().map(str::to_owned));
        let listen = Some(self.listen.ip()).filter(|address| !address.is_unspecified());
        let addresses = listen.iter().chain(&self.tracker.own_addresses).map(IpAddr::to_string);
        // A URL has brackets around an IPv6 address.
        public_host.map(|host| host.trim_matches(['[', ']']).to_owned()).into_iter().chain(addresses).collect()
    }

    /// The settings that only serving needs. Responses are cached for all clients, so the URLs in them cannot follow the host
    /// of a request.
    pub fn check_serving(&self) -> Result<(), String> {
        match self.public_url.is_empty() && self.listen.ip().to_canonical().is_unspecified() {
            true => Err(format!(
                "{} means every address of this machine: set public_url (--public-url, ROLLCALL_PUBLIC_URL) to the URL that \
                 clients use, such as https://stats.example.org",
                self.listen
            )),
            false => Ok(()),
        }
    }

    pub fn database(&self) -> Result<Database, String> {
        if self.database.is_empty() {
            return Ok(Database::sqlite(self.data.join("rollcall.db")));
        }
        self.database.reveal().parse()
    }
}

fn file_to_read(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| Path::new(DEFAULT_FILE).exists().then(|| DEFAULT_FILE.into()))
}

fn merge_tables(into: &mut Table, from: Table, path: &str) -> Result<(), String> {
    for (name, value) in from {
        let full = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match (into.get_mut(&name), value) {
            (None, _) => return Err(format!("unknown setting \"{full}\"")),
            (Some(Value::Table(inner)), Value::Table(table)) => merge_tables(inner, table, &full)?,
            (Some(Value::Table(_)), _) => return Err(format!("\"{full}\" is a section, not a value")),
            (Some(slot), value) => *slot = value,
        }
    }
    Ok(())
}

/// `ROLLCALL_LIMITS_PER_MINUTE` is `limits.per_minute`: the part before the first `_` is the section. Returns the setting.
fn set_from_environment(settings: &mut Table, name: &str, value: &str) -> Result<String, String> {
    let path = name[PREFIX.len()..].to_ascii_lowercase();
    let (setting, slot) = if settings.get(&path).is_some_and(|v| !v.is_table()) {
        (path.clone(), settings.get_mut(&path))
    } else {
        let slot = path.split_once('_');
        let slot = slot.and_then(|(section, key)| settings.get_mut(section)?.as_table_mut()?.get_mut(key));
        (path.replacen('_', ".", 1), slot)
    };
    let slot = slot.ok_or_else(|| format!("environment variable {name}: no such setting"))?;
    *slot = match slot {
        Value::Integer(_) => Value::Integer(
            value
                .parse()
                .map_err(|_| format!("environment variable {name} must be a whole number, not \"{value}\""))?,
        ),
        Value::Boolean(_) => Value::Boolean(match value {
            "true" | "1" => true,
            "false" | "0" => false,
            _ => return Err(format!("environment variable {name} must be true or false, not \"{value}\"")),
        }),
        Value::Array(_) => {
            Value::Array(value.split(',').map(str::trim).filter(|text| !text.is_empty()).map(Value::from).collect())
        }
        _ => Value::String(value.into()),
    };
    Ok(setting)
}

/// Gives the line, but not its text, which may hold a password.
fn not_toml(file: &Path, text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("{} is not valid TOML: line {line}: {}", file.display(), one_line(error.message()))
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
