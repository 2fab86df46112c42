//! The checksum of a backup: the SHA-256 of all bytes. SQLite's own check finds broken pages, but not a changed
//! character or a cleanly truncated file. The checksum is stored inside the file, and its own bytes count as zeros.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{BackupProgress, Error};
use rollcall_store::Conn;
use rollcall_store::backup::{ChecksumPage, checksum_page};

const LENGTH: usize = 32;
/// Stored until the checksum is known. The text must not occur elsewhere in its page.
pub const PLACEHOLDER: &[u8; LENGTH] = b"the sum of all bytes is put here";
const BUFFER_BYTES: usize = 1 << 18;
/// SQLite's maximum.
const MAX_PAGE_SIZE: i64 = 1 << 16;

/// Writes the checksum into a finished backup.
pub fn write_checksum(path: &Path, progress: BackupProgress<'_>) -> Result<(), Error> {
    let missing = || Error::Refused(format!("{} has no field for its checksum", path.display()));
    let field = find_field(path)?.ok_or_else(missing)?;
    let checksum = compute(path, &field, "computing the checksum", progress).map_err(Error::file(path))?;
    let write = || {
        let mut file = File::options().write(true).open(path)?;
        file.seek(SeekFrom::Start(field.offset))?;
        file.write_all(&checksum)
    };
    write().map_err(Error::file(path))
}

/// Whether every byte is as it was when the checksum was written.
pub fn is_valid(path: &Path, progress: BackupProgress<'_>) -> Result<bool, Error> {
    let Some(field) = find_field(path)? else { return Ok(false) };
    Ok(compute(path, &field, "checking", progress).map_err(Error::file(path))? == field.stored)
}

/// Position of the checksum in the file, and its stored value.
struct ChecksumField {
    offset: u64,
    stored: [u8; LENGTH],
}

fn find_field(path: &Path) -> Result<Option<ChecksumField>, Error> {
    let mut conn = Conn::open_immutable(path)?;
    let Some(ChecksumPage { number, size, checksum }) = checksum_page(&mut conn)? else { return Ok(None) };
    let Ok(stored) = <[u8; LENGTH]>::try_from(checksum) else { return Ok(None) };
    if number < 1 || !(1..=MAX_PAGE_SIZE).contains(&size) {
        return Ok(None);
    }
    let page_offset = (number - 1).cast_unsigned() * size.cast_unsigned();
    let mut page = Vec::new();
    let mut read = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(page_offset))?;
        file.take(size.cast_unsigned()).read_to_end(&mut page)
    };
    read().map_err(Error::file(path))?;
    let offset = memchr::memmem::find(&page, &stored);
    Ok(offset.map(|offset| ChecksumField { offset: page_offset + offset as u64, stored }))
}

fn compute(
    path: &Path,
    field: &ChecksumField,
    step: &'static str,
    progress: BackupProgress<'_>,
) -> std::io::Result<[u8; LENGTH]> {
    let mut file = File::open(path)?;
    let total = file.metadata()?.len();
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut done: u64 = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hasher.finalize().into());
        }
        let bytes = &mut buffer[..read];
        let index = |offset: u64| offset.saturating_sub(done).min(read as u64) as usize;
        bytes[index(field.offset)..index(field.offset + LENGTH as u64)].fill(0);
        hasher.update(&*bytes);
        done += read as u64;
        progress(step, done, total);
    }
}
