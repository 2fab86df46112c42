//! Opens the store for a command.

use std::sync::OnceLock;

use super::Failure;
use crate::backup::{self, StoreLock, is_restore_unfinished};
use crate::config::Config;
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::media::Media;
use rollcall_store::{Conn, Database, Pool, keys, migrate, migrate_ledger};

/// The migration that turns an empty database into a store.
const FIRST: i64 = 1;

/// Opens the store, creating or migrating it first, with the built-in skins.
pub fn open(config: &Config) -> Result<(Conn, Media), Failure> {
    let database = database(config)?;
    let mut conn = connect(&database)?;
    if migrate(&mut conn)?.contains(&FIRST) {
        // A new store gets its ledger at once; one that is missing later is worth a warning.
        open_ledger(config)?;
    }
    let media = Media::in_folder(&config.data.join("media"))?;
    let pictures = BuiltinPictures::save(&media)?;
    ensure_builtin(&mut conn, &pictures)?;
    Ok((conn, media))
}

/// The same for a command that needs an existing store: a mistyped folder is not created.
pub fn open_existing(config: &Config) -> Result<(Conn, Media), Failure> {
    existing(config)?;
    open(config)
}

/// The database of an existing store. Whether PostgreSQL has one shows when it is opened.
pub fn existing(config: &Config) -> Result<Database, Failure> {
    match database(config)? {
        Database::Sqlite(path) if !path.exists() && !is_restore_unfinished(&path) => Err(Failure::Failed(format!(
            "no store at {}; `rollcall key create` or `rollcall serve` creates one",
            path.display()
        ))),
        database => Ok(database),
    }
}

/// Opens the ledger (quota, usage, sessions), migrating it first.
pub fn open_ledger(config: &Config) -> Result<Conn, Failure> {
    let ledger = database(config)?.ledger();
    let mut conn = connect(&ledger)?;
    migrate_ledger(&mut conn).map_err(|error| cannot_open(&ledger, &error))?;
    Ok(conn)
}

/// The connection pools of the service. Warns if the ledger is missing although there are keys.
pub fn open_pools(config: &Config) -> Result<(Pool, Pool), Failure> {
    let database = database(config)?;
    let ledger = database.ledger();
    let is_missing = matches!(&ledger, Database::Sqlite(path) if !path.exists());
    let pool = Pool::open(&database).map_err(|error| cannot_open(&database, &error))?;
    if is_missing && !keys::all(&mut connect(&database)?)?.is_empty() {
        tracing::warn!("{ledger} is missing and will be created: the used quota of all keys is lost");
    }
    let ledger = Pool::open_ledger(&database).map_err(|error| cannot_open(&ledger, &error))?;
    Ok((pool, ledger))
}

pub fn database(config: &Config) -> Result<Database, Failure> {
    config.database().map_err(Failure::Usage)
}

/// The error names the database.
pub fn connect(database: &Database) -> Result<Conn, Failure> {
    lock(database)?;
    Conn::open(database).map_err(|error| cannot_open(database, &error))
}

/// Whether another process uses the SQLite store. Call it before this process opens the store.
pub fn is_in_use(database: &Database) -> bool {
    matches!(database, Database::Sqlite(path) if StoreLock::exclusive(path).is_err())
}

fn cannot_open(database: &Database, error: &rollcall_store::Error) -> Failure {
    Failure::Failed(format!("cannot open {database}: {error}"))
}

/// Takes the shared lock, so that no restore starts while this process runs. The ledger needs no lock of its own.
fn lock(database: &Database) -> Result<(), Failure> {
    static LOCK: OnceLock<StoreLock> = OnceLock::new();
    if let (Database::Sqlite(path), None) = (database, LOCK.get()) {
        let lock = StoreLock::shared(path).map_err(|error| match error {
            backup::Error::Refused(why) => Failure::Failed(why),
            other => Failure::Failed(format!("cannot open {database}: {other}")),
        })?;
        let _ = LOCK.set(lock);
    }
    Ok(())
}
