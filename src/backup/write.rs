//! Writes a backup while other processes use the store.

use std::path::Path;

use super::atomic_file::AtomicFile;
use super::{BackupContents, BackupProgress, Error, checksum, ledger_of, progress, refuse_newer};
use rollcall_store::Conn;
use rollcall_store::backup;
use rollcall_store::media::{Media, matches_content};

pub struct BackupOptions<'a> {
    pub database: &'a Path,
    pub media: &'a Media,
    pub now: i64,
    pub progress: BackupProgress<'a>,
}

#[derive(Debug)]
pub struct BackupSummary {
    pub contents: BackupContents,
    pub size: u64,
    /// Pictures left out because they do not match the hash in their name.
    pub damaged: Vec<String>,
}

/// Writes the complete file or nothing. `conn` is connected to the database. Its schema may be an older one, so that
/// a store can be backed up before it is migrated.
///
/// Pictures must be copied after the rows: a picture is stored before any row refers to it.
pub fn backup(conn: &mut Conn, file: &Path, options: BackupOptions<'_>) -> Result<BackupSummary, Error> {
    let migrations = backup::migrations(conn)?;
    if migrations.is_empty() {
        return Err(Error::Refused(format!("{} is not a rollcall store", options.database.display())));
    }
    refuse_newer(&migrations, &options.database.display().to_string())?;
    let file = AtomicFile::create(file)?;
    let path = file.temporary_path();
    let size = backup::database_size(conn)?;
    let copy = || Ok(conn.vacuum_into(path)?);
    let (contents, damaged) = progress::report_file_growth(path, "copying the store", size, options.progress, copy)
        .and_then(|()| add_ledger_and_pictures(path, &options))
        .map_err(Error::while_writing(path))?;
    checksum::write_checksum(path, options.progress)?;
    let size = path.metadata().map_err(Error::file(path))?.len();
    file.publish()?;
    Ok(BackupSummary { contents, size, damaged })
}

/// Adds what is not in the database, then checks the file.
fn add_ledger_and_pictures(path: &Path, options: &BackupOptions<'_>) -> Result<(BackupContents, Vec<String>), Error> {
    let mut copy = Conn::open_unsynced(path)?;
    let ledger = ledger_of(options.database);
    if ledger.exists() {
        backup::copy_ledger(&mut copy, &ledger).map_err(Error::copying(&ledger.display().to_string()))?;
    }
    let damaged = add_pictures(&mut copy, options)?;
    let made_by = concat!("rollcall ", env!("CARGO_PKG_VERSION"));
    backup::write_header(&mut copy, options.now, made_by, checksum::PLACEHOLDER)?;
    (options.progress)("checking the copy", 0, 0);
    if let Some(fault) = copy.quick_check()? {
        return Err(Error::Refused(format!("the store is damaged and cannot be backed up: {fault}")));
    }
    Ok((backup::contents(&mut copy)?, damaged))
}

/// Returns the paths of damaged pictures, which are left out.
fn add_pictures(copy: &mut Conn, options: &BackupOptions<'_>) -> Result<Vec<String>, Error> {
    let mut damaged = Vec::new();
    let paths = options.media.list_blocking()?;
    backup::add_pictures(copy, |copy| {
        for (path, done) in paths.iter().zip(0..) {
            (options.progress)("copying pictures", done, paths.len() as u64);
            match options.media.get_blocking(path)? {
                Some(bytes) if matches_content(path, &bytes) => backup::insert_picture(copy, path, &bytes)?,
                _ => damaged.push(path.clone()),
            }
        }
        Ok::<_, Error>(())
    })?;
    Ok(damaged)
}
