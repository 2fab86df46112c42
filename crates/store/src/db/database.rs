//! Database URLs.

use std::path::PathBuf;

/// `sqlite:PATH` or `postgres://…`. Neither output form shows the user and the password.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    Sqlite(PathBuf),
    Postgres(String),
}

/// More symbolic links than the kernel would follow.
const MAX_LINKS: usize = 40;

impl Database {
    /// Follows symbolic links, even if the target does not exist yet: the WAL, the lock and the ledger must be next to the
    /// real file, by whatever name it is opened.
    pub fn sqlite(path: PathBuf) -> Self {
        let mut path = path;
        for _ in 0..MAX_LINKS {
            match std::fs::read_link(&path) {
                Ok(target) => path = path.parent().map_or(target.clone(), |folder| folder.join(&target)),
                Err(_) => break,
            }
        }
        Self::Sqlite(path)
    }

    /// The database for quotas, usage and login sessions: a second SQLite file (`rollcall.db`, `rollcall-ledger.db`), or the
    /// same PostgreSQL database.
    pub fn ledger(&self) -> Self {
        match self {
            Self::Sqlite(path) => {
                let mut name = path.file_stem().unwrap_or_default().to_owned();
                name.push("-ledger");
                if let Some(extension) = path.extension() {
                    name.push(".");
                    name.push(extension);
                }
                Self::Sqlite(path.with_file_name(name))
            }
            Self::Postgres(url) => Self::Postgres(url.clone()),
        }
    }
}

impl std::str::FromStr for Database {
    type Err = String;

    fn from_str(url: &str) -> std::result::Result<Self, String> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() {
                return Err("the URL sqlite:PATH needs a path".into());
            }
            return Ok(Self::sqlite(path.into()));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            refuse_ambiguous(url)?;
            // The driver's message may contain the URL, and with it the password.
            return match url.parse::<tokio_postgres::Config>() {
                Ok(config) if config.get_hosts().is_empty() => Err("the PostgreSQL URL has no host".into()),
                Ok(_) => Ok(Self::Postgres(url.into())),
                Err(_) => Err("the PostgreSQL URL is not valid; use postgres://user:password@host:port/name".into()),
            };
        }
        Err("the URL must be sqlite:PATH or postgres://user:password@host:port/name".into())
    }
}

/// The driver ends the password at the first `@` and takes the rest for a host, which messages name. So a password with an `@`,
/// in front of the host or in a parameter, is refused before any part of it is taken for something else.
fn refuse_ambiguous(url: &str) -> std::result::Result<(), String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let Some((credentials, host)) = rest.split_once('@') else { return Ok(()) };
    let has_parameters = credentials.split_once('/').is_some_and(|(_, path)| path.contains('?'));
    if host.contains('@') || has_parameters {
        return Err("the PostgreSQL URL has an @ in its user name, password or parameters: write it as %40".into());
    }
    Ok(())
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Database {
    /// Leaves out the user and the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => {
                let config: tokio_postgres::Config = url.parse().map_err(|_| std::fmt::Error)?;
                let host = match config.get_hosts().first() {
                    Some(tokio_postgres::config::Host::Tcp(host)) => host.clone(),
                    #[cfg(unix)]
                    Some(tokio_postgres::config::Host::Unix(path)) => path.display().to_string(),
                    None => String::new(),
                };
                let port = config.get_ports().first().map(|port| format!(":{port}")).unwrap_or_default();
                write!(f, "postgres://{host}{port}/{}", config.get_dbname().unwrap_or_default())
            }
        }
    }
}
