//! A backup into the place of a store.

use std::path::{Path, PathBuf};

use super::read::{Checked, Claimed};
use super::swap::{self, Aside};
use super::{Contents, Error, Presence, Progress, ledger_of, progress, rows, sync_file};
use rollcall_store::media::Media;
use rollcall_store::{Conn, Reading, migrate, migrate_ledger, migrate_ledger_like, migrate_like};

/// Where a backup goes.
pub struct Restore<'a> {
    pub database: &'a Path,
    /// The folder of the pictures.
    pub media: &'a Path,
    /// Whether a store that is there already gives way.
    pub replace: bool,
    pub progress: Progress<'a>,
}

#[derive(Debug)]
pub struct Restored {
    pub contents: Contents,
    pub made_at: i64,
    /// The database of the store that gave way.
    pub kept: Option<PathBuf>,
}

/// Brings back everything or nothing. Pictures are added before the store that names them, and stay if that fails: one
/// that nobody refers to harms nobody.
pub fn restore(file: &Path, to: Restore<'_>) -> Result<Restored, Error> {
    let claimed = Claimed::open(file)?;
    let database = swap::resolve(to.database);
    let _alone = Presence::alone(&database)?;
    let taken = database.exists() || ledger_of(&database).exists();
    if taken && !to.replace {
        return Err(Error::Refused(format!(
            "there is a store at {} already; --replace puts the backup in its place and keeps it aside",
            to.database.display()
        )));
    }
    let backup = claimed.check(to.progress)?;
    // Looked at before the first is written.
    backup.each_picture(|_, _| Ok(()))?;
    let aside = Aside::new(&database)?;
    for (path, schema) in [(aside.database(), STORE), (aside.ledger(), LEDGER)] {
        build(&backup, &path, &schema, to.progress).map_err(Error::while_writing(&path))?;
    }
    put_pictures(&backup, &to)?;
    let kept = aside.put_in_place()?;
    Ok(Restored { contents: backup.contents, made_at: backup.made_at, kept: taken.then_some(kept) })
}

/// How one of the two databases gets its schema: first that of the backup, then the newest.
struct Schema {
    what: &'static str,
    like: fn(&mut Conn, &[i64]) -> rollcall_store::Result<()>,
    newest: fn(&mut Conn) -> rollcall_store::Result<Vec<i64>>,
}

const STORE: Schema = Schema { what: "restoring the store", like: migrate_like, newest: migrate };
const LEDGER: Schema = Schema { what: "restoring the ledger", like: migrate_ledger_like, newest: migrate_ledger };

/// Makes a database of our own and takes over the rows: of what else a file may hold, nothing gets in.
fn build(backup: &Checked, path: &Path, schema: &Schema, progress: Progress<'_>) -> Result<(), Error> {
    let mut conn = Conn::open_aside(path)?;
    (schema.like)(&mut conn, &backup.migrations)?;
    conn.attach(&backup.path, "backup", Reading::Finished)?;
    let size = backup.path.metadata().map_err(Error::file(&backup.path))?.len();
    progress::growing(path, schema.what, size, progress, || {
        conn.fill(|conn| {
            for table in rows::tables(conn, "main")? {
                rows::copy(conn, "backup", &table)?;
            }
            continue_numbers(conn)
        })
    })?;
    conn.detach("backup")?;
    (schema.newest)(&mut conn)?;
    drop(conn);
    sync_file(path)
}

/// Numbers that were once given are not given again, though their rows be gone.
fn continue_numbers(conn: &mut Conn) -> Result<(), Error> {
    let there = "select count(*) from main.sqlite_master where name = 'sqlite_sequence'";
    if conn.one(there, &[], |row| row.get::<i64>(0))? > 0 {
        conn.batch(
            "delete from main.sqlite_sequence;
             insert into main.sqlite_sequence (name, seq)
             select name, seq from backup.sqlite_sequence where name in (select name from main.sqlite_master)",
        )?;
    }
    Ok(())
}

fn put_pictures(backup: &Checked, to: &Restore<'_>) -> Result<(), Error> {
    let media = Media::lasting(to.media)?;
    let whole = backup.contents.iter().find(|(name, _)| *name == "pictures").map_or(0, |(_, count)| *count);
    let mut done = 0;
    backup.each_picture(|path, bytes| {
        (to.progress)("restoring pictures", done, whole);
        done += 1;
        media.mend_blocking(path, bytes)?;
        Ok(())
    })
}
