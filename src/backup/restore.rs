//! Restores a store from a backup.

use std::path::{Path, PathBuf};

use super::swap::{self, PendingStore};
use super::validate::{CheckedBackup, UncheckedBackup};
use super::{BackupContents, BackupProgress, Error, StoreLock, ledger_of, progress, sync_file};
use crate::moderation::markdown::render;
use rollcall_store::backup::{clean_names, copy_from_backup, rename_pictures, render_posts};
use rollcall_store::media::{MediaPlace, path_of};
use rollcall_store::{Conn, migrate, migrate_ledger, migrate_ledger_like, migrate_like};

pub struct RestoreOptions<'a> {
    pub database: &'a Path,
    /// Target of the pictures.
    pub media: &'a MediaPlace,
    /// Whether to replace an existing store.
    pub replace: bool,
    pub progress: BackupProgress<'a>,
}

#[derive(Debug)]
pub struct RestoreSummary {
    pub contents: BackupContents,
    pub made_at: i64,
    /// New location of the replaced database.
    pub previous: Option<PathBuf>,
}

/// Restores everything or nothing. Pictures are added before the store that refers to them. They stay if the restore
/// fails later: unreferenced pictures are harmless.
pub fn restore(file: &Path, options: RestoreOptions<'_>) -> Result<RestoreSummary, Error> {
    let backup = UncheckedBackup::open(file)?;
    let database = swap::resolve(options.database);
    let _lock = StoreLock::exclusive(&database)?;
    let exists = database.exists() || ledger_of(&database).exists();
    if exists && !options.replace {
        return Err(Error::Refused(format!(
            "there is already a store at {}; --replace replaces it and keeps the old one under another name",
            options.database.display()
        )));
    }
    let backup = backup.check(options.progress)?;
    // Validates all pictures before the first one is written.
    let renamed = backup.check_pictures()?;
    let pending = PendingStore::new(&database)?;
    for (path, schema) in [(pending.database(), STORE), (pending.ledger(), LEDGER)] {
        build_database(&backup, &path, &schema, options.progress).map_err(Error::while_writing(&path))?;
    }
    clean(&pending.database(), &renamed).map_err(Error::while_writing(&pending.database()))?;
    restore_pictures(&backup, &options)?;
    let previous = pending.swap_in()?;
    Ok(RestoreSummary { contents: backup.contents, made_at: backup.made_at, previous: exists.then_some(previous) })
}

/// How a database gets its schema: first that of the backup, then the newest.
struct SchemaSteps {
    step: &'static str,
    migrate_like: fn(&mut Conn, &[i64]) -> rollcall_store::Result<()>,
    migrate: fn(&mut Conn) -> rollcall_store::Result<Vec<i64>>,
}

const STORE: SchemaSteps = SchemaSteps { step: "restoring the store", migrate_like, migrate };
const LEDGER: SchemaSteps =
    SchemaSteps { step: "restoring the ledger", migrate_like: migrate_ledger_like, migrate: migrate_ledger };

/// Creates a database with our own schema and copies only the rows of the backup into it.
fn build_database(
    backup: &CheckedBackup,
    path: &Path,
    schema: &SchemaSteps,
    progress: BackupProgress<'_>,
) -> Result<(), Error> {
    let mut conn = Conn::open_unsynced(path)?;
    (schema.migrate_like)(&mut conn, &backup.migrations)?;
    let size = backup.path.metadata().map_err(Error::file(&backup.path))?.len();
    progress::report_file_growth(path, schema.step, size, progress, || copy_from_backup(&mut conn, &backup.path))
        .map_err(Error::copying(&backup.path.display().to_string()))?;
    (schema.migrate)(&mut conn)?;
    drop(conn);
    sync_file(path)
}

/// Valid content that must be sanitized before it gets in.
fn clean(database: &Path, renamed_pictures: &[(String, String)]) -> Result<(), Error> {
    let mut conn = Conn::open_unsynced(database)?;
    clean_names(&mut conn)?;
    render_posts(&mut conn, |markdown| render(markdown).html)?;
    rename_pictures(&mut conn, renamed_pictures)?;
    drop(conn);
    sync_file(database)
}

fn restore_pictures(backup: &CheckedBackup, options: &RestoreOptions<'_>) -> Result<(), Error> {
    let media = options.media.open_durable()?;
    let total = backup.contents.iter().find(|(name, _)| *name == "pictures").map_or(0, |(_, count)| *count);
    let mut done = 0;
    backup.for_each_picture(|path, bytes| {
        (options.progress)("restoring pictures", done, total);
        done += 1;
        media.repair_blocking(&path_of(path, bytes), bytes)?;
        Ok(())
    })
}
