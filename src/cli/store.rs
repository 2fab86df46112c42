//! Opening the store for a command.

use std::sync::OnceLock;

use super::Failure;
use crate::backup::{self, Presence, is_unfinished};
use crate::config::Config;
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::media::Media;
use rollcall_store::{Conn, Database, Pool, keys, migrate, migrate_ledger};

/// The migration that makes a store of an empty database.
const FIRST: i64 = 1;

/// A connection to a store that has the newest schema and the built-in skins.
pub fn open(config: &Config) -> Result<(Conn, Media), Failure> {
    let database = database(config)?;
    let mut conn = connect(&database)?;
    if migrate(&mut conn)?.contains(&FIRST) {
        // A store begins with its ledger: one that is missing later is worth a word.
        open_ledger(config)?;
    }
    let media = Media::in_folder(&config.data.join("media"))?;
    let pictures = BuiltinPictures::keep(&media)?;
    ensure_builtin(&mut conn, &pictures)?;
    Ok((conn, media))
}

/// The same for a command that has no use for an empty store: a mistyped folder is not made.
pub fn open_existing(config: &Config) -> Result<(Conn, Media), Failure> {
    existing(config)?;
    open(config)
}

/// The database of a store that is there; whether PostgreSQL has one is seen when it is opened.
pub fn existing(config: &Config) -> Result<Database, Failure> {
    match database(config)? {
        Database::Sqlite(path) if !path.exists() && !is_unfinished(&path) => Err(Failure::Failed(format!(
            "there is no store at {}; `rollcall key create` or `rollcall serve` makes one",
            path.display()
        ))),
        database => Ok(database),
    }
}

/// A connection to what the gate counts, with the newest schema.
pub fn open_ledger(config: &Config) -> Result<Conn, Failure> {
    let ledger = database(config)?.ledger();
    let mut conn = connect(&ledger)?;
    migrate_ledger(&mut conn).map_err(|error| cannot_open(&ledger, &error))?;
    Ok(conn)
}

/// The pools that a server works with. A ledger that is made anew under keys that may have been used is worth a word.
pub fn open_pools(config: &Config) -> Result<(Pool, Pool), Failure> {
    let database = database(config)?;
    let ledger = database.ledger();
    let gone = matches!(&ledger, Database::Sqlite(path) if !path.exists());
    let pool = Pool::open(&database).map_err(|error| cannot_open(&database, &error))?;
    if gone && !keys::all(&mut connect(&database)?)?.is_empty() {
        tracing::warn!("{ledger} is not there and is made anew: whatever keys have used of their limits is forgotten");
    }
    let ledger = Pool::open_ledger(&database).map_err(|error| cannot_open(&ledger, &error))?;
    Ok((pool, ledger))
}

pub fn database(config: &Config) -> Result<Database, Failure> {
    config.database().map_err(Failure::Usage)
}

/// Says which database it was that could not be opened.
pub fn connect(database: &Database) -> Result<Conn, Failure> {
    attend(database)?;
    Conn::open(database).map_err(|error| cannot_open(database, &error))
}

/// Whether another process is at a SQLite store; to be asked before this one opens it.
pub fn is_in_use(database: &Database) -> bool {
    matches!(database, Database::Sqlite(path) if Presence::alone(path).is_err())
}

fn cannot_open(database: &Database, error: &rollcall_store::Error) -> Failure {
    Failure::Failed(format!("cannot open {database}: {error}"))
}

/// No restore begins before this process has ended, and none is under way. A command has one store and begins with its
/// database; the ledger beside it needs no lock of its own.
fn attend(database: &Database) -> Result<(), Failure> {
    static PRESENT: OnceLock<Presence> = OnceLock::new();
    if let (Database::Sqlite(path), None) = (database, PRESENT.get()) {
        let present = Presence::among(path).map_err(|error| match error {
            backup::Error::Refused(why) => Failure::Failed(why),
            other => Failure::Failed(format!("cannot open {database}: {other}")),
        })?;
        let _ = PRESENT.set(present);
    }
    Ok(())
}
