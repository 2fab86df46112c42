//! A file that claims to be a backup, looked at before anything is done with it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{APPLICATION, Contents, Error, FORMAT, Progress, checksum, contents, rows};
use rollcall_store::Conn;
use rollcall_store::media::fits;

/// SQLite's header: a signature, and numbers at fixed places.
const HEADER: usize = 100;
const SIGNATURE: &[u8] = b"SQLite format 3\0";
const USER_VERSION: usize = 60;
const APPLICATION_ID: usize = 68;

/// A backup by its header. Nothing else of it is believed yet.
pub struct Claimed {
    path: PathBuf,
}

/// A backup that is sound, whole and not newer than this program.
pub struct Checked {
    pub path: PathBuf,
    pub migrations: Vec<i64>,
    pub made_at: i64,
    pub contents: Contents,
}

impl Claimed {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let mut header = Vec::new();
        let path = std::path::absolute(path).map_err(Error::file(path))?;
        let file = File::open(&path).map_err(Error::file(&path))?;
        file.take(HEADER as u64).read_to_end(&mut header).map_err(Error::file(&path))?;
        let number = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().expect("four bytes"));
        if header.len() < HEADER || !header.starts_with(SIGNATURE) || number(APPLICATION_ID) != APPLICATION {
            return Err(Error::Refused(format!("{} is no backup that `rollcall backup` made", path.display())));
        }
        if number(USER_VERSION) > FORMAT {
            return Err(Error::Refused(format!(
                "{} is a backup of a newer rollcall than this one ({}); use that one",
                path.display(),
                env!("CARGO_PKG_VERSION")
            )));
        }
        Ok(Self { path })
    }

    /// Whatever SQLite cannot read here is damage.
    pub fn check(self, progress: Progress<'_>) -> Result<Checked, Error> {
        let damaged = |what: &str| Error::Refused(format!("{} is damaged: {what}", self.path.display()));
        self.look(progress).map_err(|error| match error {
            Error::Store(error) => damaged(&error.to_string()),
            other => other,
        })
    }

    fn look(&self, progress: Progress<'_>) -> Result<Checked, Error> {
        let shown = self.path.display();
        if !checksum::is_whole(&self.path, progress)? {
            return Err(Error::Refused(format!("{shown} is damaged: it is not as it was written")));
        }
        let mut conn = Conn::open_finished(&self.path)?;
        let migrations = rows::migrations(&mut conn, "main")?;
        rows::check_known(&migrations, &format!("the store in {shown}"))?;
        progress("checking", 0, 0);
        if let Some(fault) = conn.fault()? {
            return Err(Error::Refused(format!("{shown} is damaged: {fault}")));
        }
        // Views, triggers and virtual tables would do what their maker wants when they are read.
        let strange: i64 = conn.one(
            "select count(*) from sqlite_master where type not in ('table', 'index') or rootpage = 0",
            &[],
            |row| row.get(0),
        )?;
        if strange > 0 || migrations.is_empty() {
            return Err(Error::Refused(format!("{shown} holds no store as `rollcall backup` writes it")));
        }
        let contents = contents(&mut conn)?;
        let made_at =
            conn.one("select coalesce(max(cast(made_at as integer)), 0) from backup", &[], |row| row.get(0))?;
        Ok(Checked { path: self.path.clone(), migrations, made_at, contents })
    }
}

impl Checked {
    /// Hands out each picture under the path that it was checked to have. The first that is not what it says ends it.
    pub fn each_picture(&self, mut take: impl FnMut(&str, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let mut conn = Conn::open_finished(&self.path)?;
        let mut outcome = Ok(());
        conn.for_each("select cast(name as blob), cast(bytes as blob) from pictures", &[], |row| {
            if outcome.is_err() {
                return;
            }
            let (name, bytes): (Option<Vec<u8>>, Option<Vec<u8>>) = (row.get(0), row.get(1));
            let (name, bytes) = (name.unwrap_or_default(), bytes.unwrap_or_default());
            outcome = match str::from_utf8(&name) {
                Ok(path) if fits(path, &bytes) => take(path, &bytes),
                _ => Err(Error::Refused(format!(
                    "{} holds a picture {:?} that is not what its name says, so nothing was restored",
                    self.path.display(),
                    String::from_utf8_lossy(&name)
                ))),
            };
        })?;
        outcome
    }
}
