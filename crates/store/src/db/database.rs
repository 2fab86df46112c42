//! Database URLs.

use std::path::PathBuf;

use super::postgres_url::PostgresUrl;

/// `sqlite:PATH` or `postgres://…`. Neither output form shows the user and the password.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    Sqlite(PathBuf),
    Postgres(Box<PostgresUrl>),
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

    /// The URL of a replica leads to one server: what another one has is unknown.
    pub fn replica(url: &str) -> std::result::Result<Self, String> {
        match url.parse()? {
            Self::Postgres(url) if url.has_one_host() => Ok(Self::Postgres(url)),
            Self::Postgres(url) => Err(format!("{url} names several hosts: give each replica a URL of its own")),
            Self::Sqlite(_) => Err("the URL must be postgres://user:password@host:port/name".into()),
        }
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

    /// Whether it is a PostgreSQL server that this machine reaches over a network, as far as its URL says.
    pub fn is_on_another_machine(&self) -> bool {
        matches!(self, Self::Postgres(url) if !url.is_on_this_machine())
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
            return Ok(Self::Postgres(Box::new(url.parse()?)));
        }
        Err("the URL must be sqlite:PATH or postgres://user:password@host:port/name".into())
    }
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
            Self::Postgres(url) => url.fmt(f),
        }
    }
}
