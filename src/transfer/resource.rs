//! The resources that can be transferred, and their files.

use std::path::Path;

use super::Error;

/// Resources that a file may contain. Each refers only to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    Accounts,
    Keys,
    Servers,
    Samples,
    Samples5m,
    SamplesHour,
    SamplesDay,
    Outages,
    Skins,
    Capes,
    Players,
    Votes,
    Reviews,
    UpdatePosts,
    Sessions,
    PlayerStats,
}

impl Resource {
    pub const ALL: [Self; 16] = [
        Self::Accounts,
        Self::Keys,
        Self::Servers,
        Self::Samples,
        Self::Samples5m,
        Self::SamplesHour,
        Self::SamplesDay,
        Self::Outages,
        Self::Skins,
        Self::Capes,
        Self::Players,
        Self::Votes,
        Self::Reviews,
        Self::UpdatePosts,
        Self::Sessions,
        Self::PlayerStats,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Accounts => "accounts",
            Self::Keys => "keys",
            Self::Servers => "servers",
            Self::Samples => "samples",
            Self::Samples5m => "samples_5m",
            Self::SamplesHour => "samples_hour",
            Self::SamplesDay => "samples_day",
            Self::Outages => "outages",
            Self::Skins => "skins",
            Self::Capes => "capes",
            Self::Players => "players",
            Self::Votes => "votes",
            Self::Reviews => "reviews",
            Self::UpdatePosts => "update_posts",
            Self::Sessions => "sessions",
            Self::PlayerStats => "player_stats",
        }
    }

    pub fn file_name(self) -> String {
        format!("{}.ndjson", self.name())
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resource| resource.name() == name)
    }

    /// The resource that a file contains, by its name: `servers.ndjson` or `servers.ndjson.gz`.
    pub fn of_file(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            return Err(Error::Refused(format!("{0} is a directory; pass its files: {0}/*.ndjson", path.display())));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(".gz").unwrap_or(&name).strip_suffix(".ndjson");
        stem.and_then(Self::named).ok_or_else(|| {
            let known: Vec<String> = Self::ALL.into_iter().map(Self::file_name).collect();
            Error::Refused(format!(
                "{} cannot be imported; the file name must be one of {}, or the same with .gz",
                path.display(),
                known.join(", ")
            ))
        })
    }
}
