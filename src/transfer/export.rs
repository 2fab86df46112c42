//! Exports one snapshot of the store into NDJSON files. The order of lines does not depend on the engine.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::pictures::{self, PictureIndex};
use super::{Error, LineCounts, NdjsonLine, Resource};
use rollcall_store::Conn;
use rollcall_store::media::Media;
use rollcall_store::{private_files, samples};

const BUFFER_BYTES: usize = 1 << 18;
/// Lines between two progress reports.
const PROGRESS_STEP: u64 = 10_000;

/// Result of an export.
pub struct ExportReport {
    pub counts: LineCounts,
    /// Pictures that the picture store has lost, sorted. Lines leave them out, so that an import draws default ones.
    pub missing: Vec<String>,
}

/// Writes every resource into `folder`, and the pictures they refer to into its subdirectory. Files get their names
/// only when all are complete. Existing files are never overwritten.
pub fn export(
    conn: &mut Conn,
    folder: &Path,
    media: &Media,
    progress: &mut dyn FnMut(&str, u64),
) -> Result<ExportReport, Error> {
    private_files::create_folder(folder).map_err(Error::file(folder))?;
    if let Some(resource) = Resource::ALL.into_iter().find(|resource| folder.join(resource.file_name()).exists()) {
        return Err(Error::Refused(format!(
            "{} already contains {}; export into an empty directory",
            folder.display(),
            resource.file_name()
        )));
    }
    let mut writer = ExportWriter { folder, pictures: BTreeSet::new(), index: PictureIndex::new(media)?, progress };
    let written = export_all(conn, &mut writer).and_then(|counts| {
        let ExportWriter { pictures, index, progress, .. } = &mut writer;
        pictures::export_pictures(folder, pictures, index, |done| progress("pictures", done))?;
        for resource in Resource::ALL {
            let file = folder.join(resource.file_name());
            std::fs::rename(temporary_path(folder, resource), file).map_err(Error::file(folder))?;
        }
        Ok(ExportReport { counts, missing: writer.index.missing.into_iter().collect() })
    });
    if written.is_err() {
        for resource in Resource::ALL {
            let _ = std::fs::remove_file(temporary_path(folder, resource));
        }
    }
    written
}

pub(super) struct ExportWriter<'a> {
    folder: &'a Path,
    /// Paths of all pictures that exported lines refer to.
    pictures: BTreeSet<String>,
    index: PictureIndex<'a>,
    progress: &'a mut dyn FnMut(&str, u64),
}

fn export_all(conn: &mut Conn, writer: &mut ExportWriter) -> Result<LineCounts, Error> {
    // The files hold the rows of tables.
    samples::write_pending(conn)?;
    conn.snapshot(|conn| {
        Ok(Resource::ALL
            .into_iter()
            .map(|resource| Ok((resource, (resource.transfer().export)(writer, conn, resource)?)))
            .collect::<Result<LineCounts, Error>>())
    })?
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

fn temporary_path(folder: &Path, resource: Resource) -> PathBuf {
    folder.join(format!(".{}.part", resource.file_name()))
}

/// Readable by the owner only: some files contain account names and hashes of keys. Replaces what an interrupted export left.
fn create_private(path: &Path) -> std::io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => private_files::create_new(path),
    }
}
