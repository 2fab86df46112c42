//! Settings: defaults < file < credentials < environment < flags. `config.default.toml` holds the defaults and documents them.
//! Nothing outside this file reads the environment.

use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use axum::http::Uri;
use serde::Deserialize;

use rollcall_model::quota::Limits;
use rollcall_model::secret::Secret;
use rollcall_store::media::MediaPlace;
use rollcall_store::{Connections, Database};

mod backup;
mod effective;
mod events;
mod http;
mod linking;
mod media;
mod merge;
mod moderation;
mod parse;
mod playground;
mod roles;
mod site;
mod sources;
mod tiers;
mod tracker;
mod value_files;
mod webhooks;

pub use backup::Backup;
pub use effective::EffectiveSetting;
use effective::MergedSettings;
pub use events::Events;
pub use http::Http;
pub use linking::Linking;
pub use media::MediaSettings;
pub use moderation::Moderation;
pub use playground::{Check, Playground};
pub use roles::Roles;
pub use site::Site;
use sources::Sources;
pub use tiers::Tiers;
pub use tracker::Tracker;
pub use webhooks::Webhooks;

pub const DEFAULTS: &str = include_str!("../config.default.toml");
const PREFIX: &str = "ROLLCALL_";
/// Variables that programs for S3 share.
const AWS_PREFIX: &str = "AWS_";
/// Set by systemd for a service with credentials.
const CREDENTIALS_VARIABLE: &str = "CREDENTIALS_DIRECTORY";
/// Memory of a password hash: what OWASP recommends at least, and 1 GiB.
const PASSWORD_MEMORY_KIB: RangeInclusive<u32> = 19 * 1024..=1024 * 1024;
/// Each is a thread of ours and a process of PostgreSQL.
const DATABASE_CONNECTIONS: RangeInclusive<usize> = Connections::MIN..=1000;
/// Each has half as many connections of a node as the primary, and each read asks them in turn.
const MAX_REPLICAS: usize = 8;
/// Ten years.
const MAX_LOG_DAYS: u32 = 3650;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    #[serde(deserialize_with = "parse::address")]
    pub listen: SocketAddr,
    pub roles: Roles,
    pub data: PathBuf,
    database: Secret,
    pub database_wait: u64,
    pub database_connections: usize,
    database_replicas: Vec<Secret>,
    pub public_url: String,
    pub site: Site,
    pub log: Log,
    pub metrics: Metrics,
    pub media: MediaSettings,
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
    pub events: Events,
    pub webhooks: Webhooks,
    pub backup: Backup,
    #[serde(skip)]
    sources: Sources,
    #[serde(skip)]
    merged: MergedSettings,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    pub filter: String,
    pub format: LogFormat,
    /// One line per request.
    pub access: bool,
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
    pub password_memory_kib: u32,
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
pub struct Cache {
    pub responses_mib: u64,
}

/// Settings from the command line; `None` leaves a setting as it is.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    pub config: Option<PathBuf>,
    pub listen: Option<String>,
    /// Empty leaves them as they are.
    pub roles: Vec<String>,
    pub data: Option<PathBuf>,
    pub database: Option<String>,
    pub public_url: Option<String>,
    pub ping_interval: Option<String>,
    pub allow_private_addresses: bool,
}

/// Settings from the environment.
#[derive(Clone, Debug, Default)]
struct Environment {
    variables: Vec<(String, String)>,
    /// The folder of systemd credentials.
    credentials: Option<PathBuf>,
}

impl Environment {
    fn read() -> Self {
        let mut environment = Self::default();
        #[expect(clippy::disallowed_methods, reason = "the only place that reads settings from the environment")]
        for (name, value) in std::env::vars_os() {
            match (name.into_string(), value.into_string()) {
                (Ok(name), Ok(value)) if name.starts_with(PREFIX) || name.starts_with(AWS_PREFIX) => {
                    environment.variables.push((name, value));
                }
                (Ok(name), Ok(value)) if name == CREDENTIALS_VARIABLE && !value.is_empty() => {
                    environment.credentials = Some(value.into());
                }
                _ => {}
            }
        }
        environment
    }
}

impl Config {
    /// Every error is one sentence for the operator.
    pub fn load(flags: &Flags) -> Result<Self, String> {
        Self::from_sources(flags, Environment::read())
    }

    fn from_sources(flags: &Flags, environment: Environment) -> Result<Self, String> {
        let (settings, sources) = merge::merge(flags, environment)?;
        let config: Result<Self, toml::de::Error> = settings.clone().try_into();
        let config = config.map_err(|e| sources.add_to(merge::one_line(&e.to_string())))?;
        let config = Self { sources, merged: MergedSettings(settings), ..config };
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
        if !DATABASE_CONNECTIONS.contains(&self.database_connections) {
            let (min, max) = (DATABASE_CONNECTIONS.start(), DATABASE_CONNECTIONS.end());
            return Err(format!("database_connections must be from {min} to {max}, not {}", self.database_connections));
        }
        self.replicas().map_err(|error| format!("database_replicas: {error}"))?;
        self.check_public_url()?;
        self.check_limits_and_accounts()?;
        if self.tls.certificate.as_os_str().is_empty() != self.tls.key.as_os_str().is_empty() {
            return Err("tls.certificate and tls.key belong together: set both, or neither for plain HTTP".into());
        }
        self.media.check()?;
        self.http.check()?;
        self.playground.check()?;
        self.linking.check()?;
        self.tiers.check()?;
        self.moderation.check()?;
        self.events.check()?;
        self.webhooks.check()?;
        self.backup.check(self)?;
        self.tracker.check()
    }

    fn check_public_url(&self) -> Result<(), String> {
        let sound = |rest: &str| {
            !rest.is_empty()
                && rest
                    .bytes()
                    .all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\' | b'<' | b'>' | b'?' | b'#' | b'/'))
        };
        let rest = self.public_url.strip_prefix("https://").or_else(|| self.public_url.strip_prefix("http://"));
        if self.public_url.is_empty() || rest.is_some_and(sound) {
            return Ok(());
        }
        Err(format!(
            "public_url must be a URL such as https://stats.example.org, without a path or trailing slash, not \"{}\"",
            self.public_url
        ))
    }

    fn check_limits_and_accounts(&self) -> Result<(), String> {
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
        let memory = accounts.password_memory_kib;
        if !PASSWORD_MEMORY_KIB.contains(&memory) {
            let (least, most) = (PASSWORD_MEMORY_KIB.start(), PASSWORD_MEMORY_KIB.end());
            return Err(format!("accounts.password_memory_kib must be from {least} to {most}, not {memory}"));
        }
        if accounts.deleted_log_days > MAX_LOG_DAYS {
            let days = accounts.deleted_log_days;
            return Err(format!("accounts.deleted_log_days must be from 0 to {MAX_LOG_DAYS}, not {days}"));
        }
        Ok(())
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
        let needs_url = self.public_url.is_empty() && self.roles.serve_clients();
        match needs_url && self.listen.ip().to_canonical().is_unspecified() {
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

    /// Replicas of the database, for reads.
    pub fn replicas(&self) -> Result<Vec<Database>, String> {
        if self.database_replicas.len() > MAX_REPLICAS {
            return Err(format!("there may be at most {MAX_REPLICAS}, not {}", self.database_replicas.len()));
        }
        if !self.database_replicas.is_empty() && matches!(self.database()?, Database::Sqlite(_)) {
            return Err("only PostgreSQL has replicas, and the database is SQLite".into());
        }
        self.database_replicas.iter().map(|url| Database::replica(url.reveal())).collect()
    }

    /// Location of the pictures.
    pub fn media_place(&self) -> Result<MediaPlace, String> {
        self.media.place(&self.data)
    }
}

#[cfg(test)]
mod tests;
