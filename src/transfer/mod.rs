//! Import and export of the store as text: one NDJSON file per resource, the same on both engines. `docs/DATA.md`
//! describes every field. The SQL is in `rollcall_store::transfer`.

mod accounts;
mod checks;
mod context;
mod export;
mod export_file;
mod import;
mod import_file;
mod keys;
mod ndjson;
mod outages;
mod pictures;
mod player_stats;
mod players;
mod references;
mod resource;
mod resource_transfer;
mod reviews;
mod samples;
mod servers;
mod sessions;
mod slugs;
mod textures;
mod unique;
mod update_posts;
mod votes;

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use context::ImportContext;
use pictures::DefaultPicture;
use rollcall_store::Conn;
use rollcall_store::transfer::{StagedRow, StagedTable};

pub use export::{ExportReport, export};
pub use import::{ImportOptions, import, import_line};
pub use resource::Resource;
pub use servers::server_line;

/// How many lines of each resource were written or read, in the order of [`Resource::ALL`].
pub type LineCounts = Vec<(Resource, u64)>;

/// One line of a file. Required fields have their plain type. Optional fields are `Option`: an export always writes
/// them, an import may omit them.
trait NdjsonLine: Serialize + DeserializeOwned {
    fn table(resource: Resource) -> &'static StagedTable;

    /// Values that must be unique within a file.
    fn key(&self) -> String;

    /// Reads the whole resource. The order is the same on both engines.
    fn for_each(conn: &mut Conn, resource: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()>;

    /// Paths of the pictures that the line refers to.
    fn pictures(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The row to import, or what is wrong with the line.
    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError>;
}

/// Why a line cannot be imported.
#[derive(Debug)]
enum LineError {
    /// The line is invalid.
    Invalid(String),
    Store(rollcall_store::Error),
}

impl From<String> for LineError {
    fn from(reason: String) -> Self {
        Self::Invalid(reason)
    }
}

impl From<rollcall_store::Error> for LineError {
    fn from(error: rollcall_store::Error) -> Self {
        Self::Store(error)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{file} line {line}: {reason}")]
    Line { file: String, line: u64, reason: String },
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
