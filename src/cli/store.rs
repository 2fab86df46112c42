//! Opening the store for a command.

use super::Failure;
use crate::config::Config;
use crate::media::Media;
use crate::media::builtin::{BuiltinPictures, ensure_builtin};
use crate::store::{Conn, Database, migrate, migrate_ledger};

/// A connection to a store that has the newest schema and the built-in skins.
pub fn open(config: &Config) -> Result<(Conn, Media), Failure> {
    let database = database(config)?;
    let mut conn = connect(&database)?;
    migrate(&mut conn)?;
    let media = Media::in_folder(&config.data.join("media"))?;
    let pictures = BuiltinPictures::keep(&media)?;
    ensure_builtin(&mut conn, &pictures)?;
    Ok((conn, media))
}

/// The same for a command that has no use for an empty store: a mistyped folder is not made.
pub fn open_existing(config: &Config) -> Result<(Conn, Media), Failure> {
    match database(config)? {
        Database::Sqlite(path) if !path.exists() => Err(Failure::Failed(format!(
            "there is no store at {}; `rollcall key create` or `rollcall serve` makes one",
            path.display()
        ))),
        _ => open(config),
    }
}

/// A connection to what the gate counts, with the newest schema.
pub fn open_ledger(config: &Config) -> Result<Conn, Failure> {
    let mut conn = connect(&database(config)?.ledger())?;
    migrate_ledger(&mut conn)?;
    Ok(conn)
}

pub fn database(config: &Config) -> Result<Database, Failure> {
    config.database().map_err(Failure::Usage)
}

/// Says which database it was that could not be opened.
pub fn connect(database: &Database) -> Result<Conn, Failure> {
    Conn::open(database).map_err(|error| Failure::Failed(format!("cannot open {database}: {error}")))
}
