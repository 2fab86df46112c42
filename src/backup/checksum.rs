//! What all bytes of a backup add up to. SQLite's own check sees a broken page, but not a letter that became another
//! or an end that was cut off cleanly; the sum does. It is kept in the file itself, and counted as if zeros stood there.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{Error, Progress};
use rollcall_store::Conn;

const LENGTH: usize = 32;
/// Stands for the sum until it is known: a text that is found nowhere else in its page.
pub const PLACEHOLDER: &[u8; LENGTH] = b"the sum of all bytes is put here";
const BUFFER: usize = 1 << 18;
/// A page of SQLite is never larger.
const LARGEST_PAGE: i64 = 1 << 16;

/// Writes the sum into a finished backup.
pub fn seal(path: &Path, progress: Progress<'_>) -> Result<(), Error> {
    let missing = || Error::Refused(format!("{} has no place for its sum", path.display()));
    let place = find(path)?.ok_or_else(missing)?;
    let sum = sum(path, &place, "sealing", progress).map_err(Error::file(path))?;
    let write = || {
        let mut file = File::options().write(true).open(path)?;
        file.seek(SeekFrom::Start(place.at))?;
        file.write_all(&sum)
    };
    write().map_err(Error::file(path))
}

/// Whether every byte is as it was when the backup was sealed.
pub fn is_whole(path: &Path, progress: Progress<'_>) -> Result<bool, Error> {
    let Some(place) = find(path)? else { return Ok(false) };
    Ok(sum(path, &place, "checking", progress).map_err(Error::file(path))? == place.kept)
}

/// Where the sum is kept, and what stands there.
struct Place {
    at: u64,
    kept: [u8; LENGTH],
}

/// The one row of the table `backup` stands in the page at which that table begins.
fn find(path: &Path) -> Result<Option<Place>, Error> {
    let mut conn = Conn::open_finished(path)?;
    let found = conn.first(
        "select cast(m.rootpage as integer), p.page_size, cast(b.sum as blob)
         from backup b, pragma_page_size p, sqlite_master m where m.type = 'table' and m.name = 'backup'",
        &[],
        |row| (row.get::<i64>(0), row.get::<i64>(1), row.get::<Option<Vec<u8>>>(2)),
    )?;
    let Some((page, size, Some(kept))) = found else { return Ok(None) };
    let Ok(kept) = <[u8; LENGTH]>::try_from(kept) else { return Ok(None) };
    if page < 1 || !(1..=LARGEST_PAGE).contains(&size) {
        return Ok(None);
    }
    let begin = (page - 1).cast_unsigned() * size.cast_unsigned();
    let mut bytes = Vec::new();
    let mut read = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(begin))?;
        file.take(size.cast_unsigned()).read_to_end(&mut bytes)
    };
    read().map_err(Error::file(path))?;
    let at = memchr::memmem::find(&bytes, &kept);
    Ok(at.map(|at| Place { at: begin + at as u64, kept }))
}

fn sum(path: &Path, place: &Place, what: &'static str, progress: Progress<'_>) -> std::io::Result<[u8; LENGTH]> {
    let mut file = File::open(path)?;
    let whole = file.metadata()?.len();
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BUFFER];
    let mut done: u64 = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hasher.finalize().into());
        }
        let bytes = &mut buffer[..read];
        let within = |at: u64| at.saturating_sub(done).min(read as u64) as usize;
        bytes[within(place.at)..within(place.at + LENGTH as u64)].fill(0);
        hasher.update(&*bytes);
        done += read as u64;
        progress(what, done, whole);
    }
}
