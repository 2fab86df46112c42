//! The whole store as text: one NDJSON file per resource, readable, writable by hand, and the same whichever engine
//! it comes from or goes to. `docs/DATA.md` describes every field.

mod accounts;
mod checks;
mod context;
mod dialect;
mod export;
mod import;
mod keys;
mod ndjson;
mod outages;
mod pictures;
mod player_stats;
mod players;
mod references;
mod reviews;
mod samples;
mod servers;
mod sessions;
mod slugs;
mod staging;
mod textures;
mod unique;
mod update_posts;
mod votes;

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use context::Context;
use dialect::Words;
use rollcall_store::{Row, Value};
use staging::Table;

pub use export::export;
pub use import::{Import, import, import_line};
use pictures::Missing;
pub use servers::line as server_line;

/// How many lines of each resource were written or read, in the order of [`Resource::ALL`].
pub type Counts = Vec<(Resource, u64)>;

/// What a file may hold. Each resource refers only to those before it.
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

    /// The resource a file holds, by its name alone.
    pub fn of_file(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            return Err(Error::Refused(format!("{0} is a folder; give its files: {0}/*.ndjson", path.display())));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Self::ALL.into_iter().find(|resource| resource.file_name() == name).ok_or_else(|| {
            let known: Vec<String> = Self::ALL.into_iter().map(Self::file_name).collect();
            Error::Refused(format!(
                "{} is none of the files that can be imported: {}",
                path.display(),
                known.join(", ")
            ))
        })
    }

    fn room(self) -> Room {
        match self {
            Self::Accounts => Room::of::<accounts::Account>(),
            Self::Keys => Room::of::<keys::Key>(),
            Self::Servers => Room::of::<servers::Server>(),
            Self::Samples => Room::of::<samples::Sample>(),
            Self::Samples5m | Self::SamplesHour | Self::SamplesDay => Room::of::<samples::Bucket>(),
            Self::Outages => Room::of::<outages::Outage>(),
            Self::Skins | Self::Capes => Room::of::<textures::Texture>(),
            Self::Players => Room::of::<players::Player>(),
            Self::Votes => Room::of::<votes::Vote>(),
            Self::Reviews => Room::of::<reviews::Review>(),
            Self::UpdatePosts => Room::of::<update_posts::UpdatePost>(),
            Self::Sessions => Room::of::<sessions::Session>(),
            Self::PlayerStats => Room::of::<player_stats::PlayerStats>(),
        }
    }
}

/// Those of the files that stand in a folder.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    Resource::ALL.into_iter().map(|resource| folder.join(resource.file_name())).filter(|path| path.is_file()).collect()
}

/// The two ways through which a resource goes.
struct Room {
    write: fn(&mut export::Out<'_>, &mut rollcall_store::Conn, Resource) -> Result<u64, Error>,
    load: fn(&mut Context<'_, '_>, Resource, &ndjson::Source) -> Result<u64, Error>,
}

impl Room {
    fn of<R: Record>() -> Self {
        Self { write: export::write::<R>, load: import::load::<R> }
    }
}

/// One line of a file. Required fields are plain; optional ones are `Option`, always written, `None` when the line
/// is silent.
trait Record: Serialize + DeserializeOwned {
    fn table(resource: Resource) -> &'static Table;

    /// What may stand only once in a file.
    fn key(&self) -> String;

    /// The queries whose rows, one after the other, are the file. Their order is the same on both engines.
    fn select(resource: Resource, words: &Words) -> Vec<String>;

    fn read(row: &Row) -> Self;

    /// Paths of the pictures that the line names.
    fn pictures(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The line as values of the table's columns, or what is wrong with it.
    fn check(self, context: &mut Context) -> Result<Staged, Wrong>;
}

/// A checked line: the values of its row, and those of the rows of each list.
struct Staged {
    values: Vec<Value>,
    lists: Vec<Vec<Vec<Value>>>,
}

impl From<&[Value]> for Staged {
    fn from(values: &[Value]) -> Self {
        Self { values: values.to_vec(), lists: Vec::new() }
    }
}

/// Why a line cannot be taken: its own fault, or the store's.
#[derive(Debug)]
enum Wrong {
    Line(String),
    Store(rollcall_store::Error),
}

impl From<String> for Wrong {
    fn from(what: String) -> Self {
        Self::Line(what)
    }
}

impl From<rollcall_store::Error> for Wrong {
    fn from(error: rollcall_store::Error) -> Self {
        Self::Store(error)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{file} line {line}: {what}")]
    Line { file: String, line: u64, what: String },
    #[error("{0}")]
    Refused(String),
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    #[error(transparent)]
    Store(#[from] rollcall_store::Error),
}

impl Error {
    fn file(path: &Path) -> impl Fn(std::io::Error) -> Self {
        let name = path.display().to_string();
        move |error| Self::File(name.clone(), error)
    }
}
