//! Writes the file of one resource.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::pictures::PictureIndex;
use super::{Error, NdjsonLine, Resource};
use rollcall_store::{Conn, private_files};

const BUFFER_BYTES: usize = 1 << 18;
/// Lines between two progress reports.
const PROGRESS_STEP: u64 = 10_000;

pub(super) struct ExportWriter<'a> {
    pub folder: &'a Path,
    /// Paths of all pictures that exported lines refer to.
    pub pictures: BTreeSet<String>,
    pub index: PictureIndex<'a>,
    pub progress: &'a mut dyn FnMut(&str, u64),
}

/// Writes one file under its temporary name.
pub(super) fn export_resource<L: NdjsonLine>(
    writer: &mut ExportWriter<'_>,
    conn: &mut Conn,
    resource: Resource,
) -> Result<u64, Error> {
    let path = temporary_path(writer.folder, resource);
    let mut file = BufWriter::with_capacity(BUFFER_BYTES, create_private(&path).map_err(Error::file(&path))?);
    let mut count = 0;
    let mut failed = None;
    L::for_each(conn, resource, &mut |line| {
        if failed.is_some() {
            return;
        }
        failed = write_line(writer, &line, &mut file).map_err(|error| error.in_file(&path)).err();
        count += 1;
        if count % PROGRESS_STEP == 0 {
            (writer.progress)(resource.name(), count);
        }
    })?;
    match failed {
        Some(error) => return Err(error),
        None => file
            .into_inner()
            .map_err(|e| e.into_error())
            .and_then(|file| file.sync_all())
            .map_err(Error::file(&path))?,
    }
    (writer.progress)(resource.name(), count);
    Ok(count)
}

enum WriteError {
    Line(std::io::Error),
    Pictures(Error),
}

impl WriteError {
    fn in_file(self, path: &Path) -> Error {
        match self {
            Self::Line(error) => Error::file(path)(error),
            Self::Pictures(error) => error,
        }
    }
}

impl From<std::io::Error> for WriteError {
    fn from(error: std::io::Error) -> Self {
        Self::Line(error)
    }
}

/// Writes a line without the pictures that are missing.
fn write_line<L: NdjsonLine>(writer: &mut ExportWriter<'_>, line: &L, file: &mut impl Write) -> Result<(), WriteError> {
    let mut missing = Vec::new();
    for picture in line.pictures() {
        if writer.index.is_missing(picture).map_err(WriteError::Pictures)? {
            missing.push(picture);
        } else if !writer.pictures.contains(picture) {
            writer.pictures.insert(picture.to_owned());
        }
    }
    if missing.is_empty() {
        serde_json::to_writer(&mut *file, line).map_err(std::io::Error::from)?;
    } else {
        let mut json = serde_json::to_value(line).map_err(std::io::Error::from)?;
        for value in json.as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
            if value.as_str().is_some_and(|text| missing.contains(&text)) {
                *value = Value::Null;
            }
        }
        serde_json::to_writer(&mut *file, &json).map_err(std::io::Error::from)?;
    }
    Ok(file.write_all(b"\n")?)
}

/// Where a file is written until all are complete.
pub(super) fn temporary_path(folder: &Path, resource: Resource) -> PathBuf {
    folder.join(format!(".{}.part", resource.file_name()))
}

/// Readable by the owner only: some files contain account names and hashes of keys. Replaces what an interrupted export left.
fn create_private(path: &Path) -> std::io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => private_files::create_new(path),
    }
}
