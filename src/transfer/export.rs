//! Exports one snapshot of the store into NDJSON files. The order of lines does not depend on the engine.

use std::collections::BTreeSet;
use std::path::Path;

use super::export_file::{ExportWriter, temporary_path};
use super::pictures::{self, PictureIndex};
use super::resource_transfer::ResourceTransfer;
use super::{Error, LineCounts, Resource};
use rollcall_store::Conn;
use rollcall_store::media::Media;
use rollcall_store::{private_files, samples};

/// What an export wrote.
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

fn export_all(conn: &mut Conn, writer: &mut ExportWriter) -> Result<LineCounts, Error> {
    // The files hold the rows of tables.
    samples::write_pending(conn)?;
    conn.snapshot(|conn| {
        Ok(Resource::ALL
            .into_iter()
            .map(|resource| Ok((resource, (ResourceTransfer::of(resource).export)(writer, conn, resource)?)))
            .collect::<Result<LineCounts, Error>>())
    })?
}
