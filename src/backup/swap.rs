//! One store in the place of another, all of it or nothing, wherever the power goes.
//!
//! A store is two databases, and no system gives two files new names at once. So the new ones are made ready aside
//! (`rollcall.db.restoring`, `rollcall-ledger.db.restoring`), and then a note is put beside them
//! (`rollcall.db.restored`). Before the note, the old store is untouched, and what stands aside is rubbish that the next
//! restore removes. With the note, the new store is the one that counts: whoever comes next, holding the lock alone,
//! does the steps that are not done yet, each of which may be done twice:
//!
//! 1. the old database's log (`-wal`, with what it holds) and then the database get the names in the note;
//! 2. the new database gets its name, which no log of the old one stands beside any more;
//! 3. the same for the ledger;
//! 4. the note is removed.
//!
//! Nothing of the old store is deleted, and under its new name it is a store as before.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::{Error, ledger_of, sync_folder_of, with_ending};

/// The database that a link leads to: locks and logs stand beside that one.
pub fn resolve(database: &Path) -> PathBuf {
    database.canonicalize().unwrap_or_else(|_| database.to_owned())
}

/// Two new databases beside the places they are meant for; removed unless they get there.
pub struct Aside {
    database: PathBuf,
    ready: bool,
}

impl Aside {
    /// Begins with nothing: what a restore that was cut short has left is removed. For whoever is alone.
    pub fn new(database: &Path) -> Result<Self, Error> {
        let aside = Self { database: database.to_owned(), ready: false };
        for path in aside.rubbish() {
            remove(&path)?;
        }
        // Whoever may not read the old files may not read the new ones.
        for (old, new) in [(database.to_owned(), aside.database()), (ledger_of(database), aside.ledger())] {
            if let Ok(old) = old.metadata() {
                let create = || std::fs::File::create_new(&new)?.set_permissions(old.permissions());
                create().map_err(Error::file(&new))?;
            }
        }
        Ok(aside)
    }

    pub fn database(&self) -> PathBuf {
        aside(&self.database)
    }

    pub fn ledger(&self) -> PathBuf {
        aside(&ledger_of(&self.database))
    }

    /// From here on the new store counts. The files must be on the disk already. Gives the name of the store before.
    pub fn put_in_place(mut self) -> Result<PathBuf, Error> {
        let kept = free_name(&self.database);
        sync_folder_of(&self.database)?;
        let draft = with_ending(&self.database, ".restored.part");
        let write = || {
            let mut note = std::fs::File::create(&draft)?;
            note.write_all(kept.file_name().unwrap_or_default().as_bytes())?;
            note.sync_all()
        };
        write().map_err(Error::file(&draft))?;
        rename(&draft, &note(&self.database))?;
        self.ready = true;
        sync_folder_of(&self.database)?;
        finish(&self.database)?;
        Ok(kept)
    }

    fn rubbish(&self) -> [PathBuf; 3] {
        [self.database(), self.ledger(), with_ending(&self.database, ".restored.part")]
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.ready {
            for path in self.rubbish() {
                let _ = remove(&path);
            }
        }
    }
}

/// Whether a restore was cut short after its store began to count.
pub fn is_unfinished(database: &Path) -> bool {
    note(&resolve(database)).exists()
}

/// Does what the note says, from whichever step it got to. For whoever is alone.
pub fn finish(database: &Path) -> Result<(), Error> {
    let note = note(database);
    let kept = std::fs::read(&note).map_err(Error::file(&note))?;
    let kept = database.with_file_name(OsString::from_vec(kept));
    for (place, kept) in [(database.to_owned(), kept.clone()), (ledger_of(database), ledger_of(&kept))] {
        let new = aside(&place);
        if !new.exists() {
            continue;
        }
        for ending in ["-wal", "-journal", ""] {
            let old = with_ending(&place, ending);
            if old.exists() {
                rename(&old, &with_ending(&kept, ending))?;
            }
        }
        // Only an index into the log, made anew by whoever opens it.
        remove(&with_ending(&place, "-shm"))?;
        rename(&new, &place)?;
    }
    sync_folder_of(database)?;
    remove(&note)?;
    sync_folder_of(database)
}

/// `rollcall-before-restore.db`, or with a number behind: so named, its ledger is found beside it.
fn free_name(database: &Path) -> PathBuf {
    let name = |number: u32| {
        let mut name = database.file_stem().unwrap_or_default().to_owned();
        name.push("-before-restore");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        if let Some(extension) = database.extension() {
            name.push(".");
            name.push(extension);
        }
        database.with_file_name(name)
    };
    let free = |path: &PathBuf| !path.exists() && !ledger_of(path).exists();
    (1..).map(name).find(free).expect("some number is free")
}

fn aside(path: &Path) -> PathBuf {
    with_ending(path, ".restoring")
}

fn note(database: &Path) -> PathBuf {
    with_ending(database, ".restored")
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::rename(from, to).map_err(Error::file(from))
}

fn remove(path: &Path) -> Result<(), Error> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::file(path)(error)),
        _ => Ok(()),
    }
}
