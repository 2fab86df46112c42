//! Validates a backup file before anything is restored from it. The file is untrusted input.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{BackupContents, BackupProgress, Error, checksum, newer_version};
use rollcall_store::Conn;
use rollcall_store::backup;
use rollcall_store::backup_schema::{SchemaCheck, check_schema, first_invalid};
use rollcall_store::media::{matches_content, path_of};

/// SQLite's header: a signature, and numbers at fixed offsets.
const HEADER_BYTES: usize = 100;
const SIGNATURE: &[u8] = b"SQLite format 3\0";
const USER_VERSION_OFFSET: usize = 60;
const APPLICATION_ID_OFFSET: usize = 68;

/// A file with the header of a backup. Its content is not validated yet.
pub struct UncheckedBackup {
    path: PathBuf,
}

/// A valid backup that this version can read.
pub struct CheckedBackup {
    pub path: PathBuf,
    pub migrations: Vec<i64>,
    pub made_at: i64,
    pub contents: BackupContents,
}

impl UncheckedBackup {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let mut header = Vec::new();
        let path = std::path::absolute(path).map_err(Error::file(path))?;
        let file = File::open(&path).map_err(Error::file(&path))?;
        file.take(HEADER_BYTES as u64).read_to_end(&mut header).map_err(Error::file(&path))?;
        let number = |offset: usize| u32::from_be_bytes(header[offset..offset + 4].try_into().expect("four bytes"));
        if header.len() < HEADER_BYTES
            || !header.starts_with(SIGNATURE)
            || number(APPLICATION_ID_OFFSET) != backup::APPLICATION_ID
        {
            return Err(Error::Refused(format!("{} is not a backup made by `rollcall backup`", path.display())));
        }
        if number(USER_VERSION_OFFSET) > backup::FORMAT_VERSION {
            return Err(Error::Refused(format!(
                "{} is a backup of a newer version of rollcall than this one ({}); use the newer version",
                path.display(),
                env!("CARGO_PKG_VERSION")
            )));
        }
        Ok(Self { path })
    }

    pub fn check(self, progress: BackupProgress<'_>) -> Result<CheckedBackup, Error> {
        self.check_content(progress).map_err(|error| match error {
            // A value that SQLite cannot read means a damaged backup.
            Error::Store(error) => self.damaged(&error.to_string()),
            other => other,
        })
    }

    /// The schema comes first: the other checks read tables, and with another schema they would run what a stranger wrote.
    fn check_content(&self, progress: BackupProgress<'_>) -> Result<CheckedBackup, Error> {
        let mut conn = Conn::open_immutable(&self.path)?;
        let migrations = match check_schema(&mut conn)? {
            SchemaCheck::Ours(migrations) => migrations,
            SchemaCheck::Newer(number) => {
                return Err(newer_version(&format!("the store in {}", self.path.display()), number));
            }
            SchemaCheck::Foreign(reason) => return Err(self.damaged(&reason)),
        };
        if !checksum::is_valid(&self.path, progress)? {
            return Err(self.damaged("the checksum does not match"));
        }
        progress("checking", 0, 0);
        if let Some(fault) = conn.quick_check()? {
            return Err(self.damaged(&fault));
        }
        if let Some(fault) = first_invalid(&mut conn, &migrations)? {
            return Err(self.damaged(&fault));
        }
        if let Some(link) = backup::foreign_link(&mut conn)? {
            return Err(self.damaged(&format!("a server has the link {link:?}, which is not a web address")));
        }
        let contents = backup::contents(&mut conn)?;
        let made_at = backup::made_at(&mut conn)?;
        Ok(CheckedBackup { path: self.path.clone(), migrations, made_at, contents })
    }

    fn damaged(&self, reason: &str) -> Error {
        Error::Refused(format!("{} is damaged: {reason}", self.path.display()))
    }
}

impl CheckedBackup {
    /// Decodes every picture and returns the old and new path of those that have other bytes when they are encoded again.
    pub fn check_pictures(&self) -> Result<Vec<(String, String)>, Error> {
        let mut renamed = Vec::new();
        self.for_each_picture(|path, bytes| {
            let new = path_of(path, bytes);
            if new != path {
                renamed.push((path.to_owned(), new));
            }
            Ok(())
        })?;
        Ok(renamed)
    }

    /// Calls `read` with the path of each picture and with its bytes, which are encoded again: nothing but pixels gets in.
    /// Stops at the first one whose path does not match its bytes, or that is no picture.
    pub fn for_each_picture(&self, mut read: impl FnMut(&str, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let mut conn = Conn::open_immutable(&self.path)?;
        let mut outcome = Ok(());
        backup::for_each_picture(&mut conn, |name, bytes| {
            if outcome.is_err() {
                return;
            }
            outcome = match str::from_utf8(name) {
                Ok(path) if matches_content(path, bytes) => match rollcall_paint::sanitize_png(bytes) {
                    Some(clean) => read(path, &clean),
                    None => Err(Error::Refused(format!(
                        "{} contains a picture {path:?} that cannot be decoded; nothing was restored",
                        self.path.display()
                    ))),
                },
                _ => Err(Error::Refused(format!(
                    "{} contains a picture {:?} that does not match the hash in its name; nothing was restored",
                    self.path.display(),
                    String::from_utf8_lossy(name)
                ))),
            };
        })?;
        outcome
    }
}
