//! The store into files: one moment of it, in an order that does not depend on the engine.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::{Counts, Error, Record, Resource, Words, pictures};
use rollcall_store::Conn;
use rollcall_store::media::Media;

const BUFFER: usize = 1 << 18;
/// Lines between two calls of the progress callback.
const PROGRESS_STEP: u64 = 10_000;

/// Writes every resource into `folder`, and the pictures they name beside them. Files appear under their names only
/// when all are complete; files of an earlier export are never overwritten.
pub fn export(
    conn: &mut Conn,
    folder: &Path,
    media: &Media,
    progress: &mut dyn FnMut(&str, u64),
) -> Result<Counts, Error> {
    std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    if let Some(resource) = Resource::ALL.into_iter().find(|resource| folder.join(resource.file_name()).exists()) {
        return Err(Error::Refused(format!(
            "{} holds {} already; export into an empty folder",
            folder.display(),
            resource.file_name()
        )));
    }
    let mut out = Out { folder, pictures: BTreeSet::new(), progress };
    let written = write_all(conn, &mut out).and_then(|counts| {
        pictures::save(folder, &out.pictures, media)?;
        for resource in Resource::ALL {
            std::fs::rename(part(folder, resource), folder.join(resource.file_name())).map_err(Error::file(folder))?;
        }
        Ok(counts)
    });
    if written.is_err() {
        for resource in Resource::ALL {
            let _ = std::fs::remove_file(part(folder, resource));
        }
    }
    written
}

pub(super) struct Out<'a> {
    folder: &'a Path,
    pictures: BTreeSet<String>,
    progress: &'a mut dyn FnMut(&str, u64),
}

fn write_all(conn: &mut Conn, out: &mut Out) -> Result<Counts, Error> {
    conn.snapshot(|conn| {
        Ok(Resource::ALL
            .into_iter()
            .map(|resource| Ok((resource, (resource.room().write)(out, conn, resource)?)))
            .collect::<Result<Counts, Error>>())
    })?
}

/// Writes one file under its temporary name.
pub(super) fn write<R: Record>(out: &mut Out<'_>, conn: &mut Conn, resource: Resource) -> Result<u64, Error> {
    let path = part(out.folder, resource);
    let mut file = BufWriter::with_capacity(BUFFER, create(&path).map_err(Error::file(&path))?);
    let mut count = 0;
    let mut failed = None;
    for sql in R::select(resource, &Words::of(conn)) {
        conn.for_each(&sql, &[], |row| {
            if failed.is_some() {
                return;
            }
            let record = R::read(row);
            for picture in record.pictures() {
                if !out.pictures.contains(picture) {
                    out.pictures.insert(picture.to_owned());
                }
            }
            let line = serde_json::to_writer(&mut file, &record).map_err(std::io::Error::from);
            failed = line.and_then(|()| file.write_all(b"\n")).err();
            count += 1;
            if count % PROGRESS_STEP == 0 {
                (out.progress)(resource.name(), count);
            }
        })?;
    }
    match failed {
        Some(error) => return Err(Error::file(&path)(error)),
        None => file
            .into_inner()
            .map_err(|e| e.into_error())
            .and_then(|file| file.sync_all())
            .map_err(Error::file(&path))?,
    }
    (out.progress)(resource.name(), count);
    Ok(count)
}

fn part(folder: &Path, resource: Resource) -> PathBuf {
    folder.join(format!(".{}.part", resource.file_name()))
}

/// For its owner alone: names of accounts and hashes of keys stand in some.
fn create(path: &Path) -> std::io::Result<File> {
    File::options().write(true).create(true).truncate(true).mode(0o600).open(path)
}
