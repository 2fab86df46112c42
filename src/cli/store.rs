//! Opens the store for a command.

use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::Failure;
use crate::backup::{self, StoreLock, is_restore_unfinished};
use crate::config::Config;
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::media::{Media, MediaPlace};
use rollcall_store::{
    Conn, Connections, Database, Pool, is_current, is_ledger_current, keys, migrate, migrate_ledger, private_files,
};

/// The migration that turns an empty database into a store.
const FIRST: i64 = 1;

/// Pause between two attempts to reach PostgreSQL.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Waits for PostgreSQL, which may start at the same time as this process. An error that does not go away by itself, such as a
/// wrong password, is left to [`open`].
pub fn wait_until_reachable(config: &Config) -> Result<(), Failure> {
    let database = database(config)?;
    if matches!(database, Database::Sqlite(_)) {
        return Ok(());
    }
    let (started, mut is_logged) = (Instant::now(), false);
    loop {
        let error = match Conn::open_existing(&database) {
            Err(error) if error.is_outage() => error,
            _ => return Ok(()),
        };
        if started.elapsed() >= Duration::from_secs(config.database_wait) {
            return Ok(());
        }
        if !is_logged {
            tracing::warn!(%error, "cannot reach {database}; trying for {} s", config.database_wait);
            is_logged = true;
        }
        #[expect(clippy::disallowed_methods, reason = "no runtime runs yet")]
        std::thread::sleep(RETRY_INTERVAL);
    }
}

/// Opens the store, creating or migrating it first, with the built-in skins.
pub fn open(config: &Config) -> Result<(Conn, Media), Failure> {
    let database = database(config)?;
    let mut conn = connect(&database)?;
    if run_migrations(&mut conn, &database)?.contains(&FIRST) {
        // A new store gets its ledger at once; one that is missing later is worth a warning.
        open_ledger(config)?;
    }
    let media = media(config)?;
    let pictures = match BuiltinPictures::save(&media) {
        // The service works without pictures, and stores these later.
        Err(error) if error.is_outage() => BuiltinPictures::paths(),
        saved => saved?,
    };
    ensure_builtin(&mut conn, &pictures)?;
    Ok((conn, media))
}

/// The pictures. Never call it on an async worker.
pub fn media(config: &Config) -> Result<Media, Failure> {
    Ok(media_place(config)?.open()?)
}

pub fn media_place(config: &Config) -> Result<MediaPlace, Failure> {
    config.media_place().map_err(Failure::Usage)
}

/// Warns if pictures are local files although the store looks like one that several machines share.
pub fn warn_of_local_pictures(config: &Config) -> Result<(), Failure> {
    let place = media_place(config)?;
    if place.is_folder() && database(config)?.is_on_another_machine() {
        tracing::warn!(
            "pictures are files of this machine ({place}), but the database is on another: if several machines share it, each \
             misses the pictures of the others. Set media.url to a bucket, or share the folder"
        );
    }
    Ok(())
}

/// The same for a command that needs an existing store: a mistyped folder is not created.
pub fn open_existing(config: &Config) -> Result<(Conn, Media), Failure> {
    existing(config)?;
    open(config)
}

/// The same for a command that only reads. It changes nothing if the schema is current, so it works on a read-only disk, for a
/// user who may only read, and on a PostgreSQL replica.
pub fn open_for_reading(config: &Config) -> Result<(Conn, Media), Failure> {
    let conn = open_database_for_reading(config)?;
    Ok((conn, media_place(config)?.open_existing()?))
}

/// The same without the pictures.
pub fn open_database_for_reading(config: &Config) -> Result<Conn, Failure> {
    let database = existing(config)?;
    let mut conn = connect_for_reading(&database)?;
    if !is_current(&mut conn).map_err(|error| cannot_use(&database, &error))? {
        if is_read_only(&database) {
            return Err(outdated(&database));
        }
        drop(conn);
        return Ok(open(config)?.0);
    }
    Ok(conn)
}

/// The ledger for a command that only reads. One that is missing and cannot be created is empty.
pub fn open_ledger_for_reading(config: &Config) -> Result<Conn, Failure> {
    let ledger = database(config)?.ledger();
    if !is_read_only(&ledger) {
        return open_ledger(config);
    }
    if matches!(&ledger, Database::Sqlite(path) if !path.exists()) {
        let mut empty = Conn::in_memory()?;
        migrate_ledger(&mut empty)?;
        return Ok(empty);
    }
    let mut conn = connect_for_reading(&ledger)?;
    match is_ledger_current(&mut conn).map_err(|error| cannot_use(&ledger, &error))? {
        true => Ok(conn),
        false => Err(outdated(&ledger)),
    }
}

/// The database of an existing store. Whether PostgreSQL has one shows when it is opened.
pub fn existing(config: &Config) -> Result<Database, Failure> {
    let database = database(config)?;
    if let Database::Sqlite(path) = &database {
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) if is_restore_unfinished(path) => {}
            Ok(false) => {
                return Err(Failure::Failed(format!(
                    "no store at {}; `rollcall key create` or `rollcall serve` creates one",
                    path.display()
                )));
            }
            Err(error) => return Err(cannot_open(&database, &error)),
        }
    }
    Ok(database)
}

fn outdated(database: &Database) -> Failure {
    Failure::Failed(format!(
        "{database} has the schema of an earlier version and cannot be written; run `rollcall migrate` as a user who may"
    ))
}

/// Opens the ledger (quota, usage, sessions), migrating it first.
pub fn open_ledger(config: &Config) -> Result<Conn, Failure> {
    let ledger = database(config)?.ledger();
    let mut conn = connect(&ledger)?;
    run_ledger_migrations(&mut conn, &ledger)?;
    Ok(conn)
}

/// The connection pools of the service. Warns if the ledger is missing although there are keys.
pub fn open_pools(config: &Config) -> Result<(Pool, Pool), Failure> {
    let database = database(config)?;
    let (ledger, connections) = (database.ledger(), Connections::of(config.database_connections));
    let is_missing = matches!(&ledger, Database::Sqlite(path) if !path.exists());
    // Nodes without clients read nothing that a replica may answer.
    let replicas = if config.roles.serve_clients() { config.replicas().map_err(Failure::Usage)? } else { Vec::new() };
    let pool =
        Pool::open_with_replicas(&database, &replicas, connections).map_err(|error| cannot_open(&database, &error))?;
    if is_missing && !keys::all(&mut connect(&database)?)?.is_empty() {
        tracing::warn!("{ledger} is missing and will be created: the used quota of all keys is lost");
    }
    let ledger = Pool::open_ledger(&database, connections).map_err(|error| cannot_use(&ledger, &error))?;
    Ok((pool, ledger))
}

pub fn database(config: &Config) -> Result<Database, Failure> {
    config.database().map_err(Failure::Usage)
}

/// The error names the database.
pub fn connect(database: &Database) -> Result<Conn, Failure> {
    lock(database, StoreLock::shared)?;
    Conn::open(database).map_err(|error| cannot_open(database, &error))
}

/// The same without creating or changing a file of the database.
pub fn connect_existing(database: &Database) -> Result<Conn, Failure> {
    lock(database, StoreLock::shared)?;
    Conn::open_existing(database).map_err(|error| cannot_open(database, &error))
}

/// Like [`connect`], but a SQLite file that cannot be written is opened for reading.
pub fn connect_for_reading(database: &Database) -> Result<Conn, Failure> {
    match database {
        Database::Sqlite(path) if is_read_only(database) => {
            lock(database, StoreLock::shared_for_reading)?;
            Conn::open_read_only(path).map_err(|error| cannot_open(database, &error))
        }
        _ => connect(database),
    }
}

fn is_read_only(database: &Database) -> bool {
    matches!(database, Database::Sqlite(path) if !private_files::is_writable(path))
}

/// Whether another process uses the SQLite store. Call it before this process opens the store.
pub fn is_in_use(database: &Database) -> bool {
    matches!(database, Database::Sqlite(path) if StoreLock::exclusive(path).is_err())
}

/// Runs the pending migrations and returns their numbers.
pub fn run_migrations(conn: &mut Conn, database: &Database) -> Result<Vec<i64>, Failure> {
    migrate(conn).map_err(|error| cannot_use(database, &error))
}

/// [`run_migrations`] for the ledger.
pub fn run_ledger_migrations(conn: &mut Conn, ledger: &Database) -> Result<Vec<i64>, Failure> {
    migrate_ledger(conn).map_err(|error| cannot_use(ledger, &error))
}

/// A store of a newer version is a wrong combination, like a wrong setting.
fn cannot_use(database: &Database, error: &rollcall_store::Error) -> Failure {
    match error {
        rollcall_store::Error::NewerSchema(_) => Failure::Usage(format!("{database}: {error}")),
        error => cannot_open(database, error),
    }
}

/// The usual reason is a store of another user, so that one is named.
fn cannot_open(database: &Database, error: &dyn std::fmt::Display) -> Failure {
    let owner = match database {
        Database::Sqlite(path) => private_files::describe_foreign_owner(path),
        Database::Postgres(_) => None,
    };
    let hint = owner.map_or_else(String::new, |owner| format!("; {owner}"));
    Failure::Failed(format!("cannot open {database}: {error}{hint}"))
}

/// Takes the shared lock, so that no restore starts while this process runs. The ledger needs no lock of its own.
fn lock(database: &Database, acquire: impl FnOnce(&Path) -> Result<StoreLock, backup::Error>) -> Result<(), Failure> {
    static LOCK: OnceLock<StoreLock> = OnceLock::new();
    if let (Database::Sqlite(path), None) = (database, LOCK.get()) {
        let lock = acquire(path).map_err(|error| match error {
            backup::Error::Refused(why) => Failure::Failed(why),
            other => cannot_open(database, &other),
        })?;
        let _ = LOCK.set(lock);
    }
    Ok(())
}
