//! Imports NDJSON files in one transaction.

use std::path::{Path, PathBuf};

use super::context::ImportContext;
use super::ndjson::NdjsonSource;
use super::pictures::PictureImporter;
use super::resource_transfer::ResourceTransfer;
use super::{Error, LineCounts, Resource};
use rollcall_store::media::Media;
use rollcall_store::totals::{self, RecomputeScope};
use rollcall_store::transfer::enlarge_cache;
use rollcall_store::{Conn, player_erasure, revision, server_stats};

pub struct ImportOptions<'a> {
    pub now: i64,
    pub media: &'a Media,
    /// Called with a resource's name and the number of its lines read so far.
    pub progress: &'a mut dyn FnMut(&str, u64),
}

/// Imports files, and the lines of one resource from standard input, in the order of their dependencies. The first error rolls
/// everything back.
pub fn import(
    conn: &mut Conn,
    files: &[PathBuf],
    stdin: Option<Resource>,
    options: ImportOptions,
) -> Result<LineCounts, Error> {
    enlarge_cache(conn)?;
    import_sources(conn, &by_resource(files, stdin)?, options)
}

/// Imports one line that a command generated, with the same checks as a file.
pub fn import_line(conn: &mut Conn, resource: Resource, line: String, options: ImportOptions) -> Result<(), Error> {
    match import_sources(conn, &[(resource, NdjsonSource::Text(line))], options) {
        Err(Error::Line { reason, .. }) => Err(Error::Refused(reason)),
        outcome => outcome.map(drop),
    }
}

fn import_sources(
    conn: &mut Conn,
    sources: &[(Resource, NdjsonSource)],
    options: ImportOptions,
) -> Result<LineCounts, Error> {
    let ImportOptions { now, media, progress } = options;
    conn.transaction(|conn| {
        // First, because it locks out other writers: rows must not change while they are renumbered.
        revision::bump(conn)?;
        let paths: Vec<PathBuf> = sources.iter().filter_map(|(_, source)| source.path().map(Path::to_owned)).collect();
        let mut context = ImportContext::new(conn, now, PictureImporter::new(media, &paths)?, progress);
        let mut counts = LineCounts::new();
        for (resource, source) in sources {
            context.resource = *resource;
            counts.push((*resource, (ResourceTransfer::of(*resource).import)(&mut context, *resource, source)?));
        }
        let ImportContext { touched, pictures, .. } = context;
        // After all files: rows of the same import may refer to these players.
        if counts.iter().any(|(resource, lines)| *resource == Resource::Players && *lines > 0) {
            player_erasure::erase_imported(conn, now)?;
        }
        let scope = touched.into_scope();
        totals::recompute(conn, &scope)?;
        bump_epochs(conn, &counts)?;
        match &scope {
            RecomputeScope::Touched(touched) if paths.is_empty() => {
                touched.servers.iter().try_for_each(|n| server_stats::refresh(conn, *n, *n, now))?;
            }
            _ => server_stats::refresh_all(conn, now)?,
        }
        // Last: whatever fails before leaves no pictures behind.
        pictures.publish()?;
        Ok(counts)
    })
}

fn by_resource(files: &[PathBuf], stdin: Option<Resource>) -> Result<Vec<(Resource, NdjsonSource)>, Error> {
    let mut sources: Vec<(Resource, NdjsonSource)> = Vec::new();
    sources.extend(stdin.map(|resource| (resource, NdjsonSource::StandardInput)));
    for path in files {
        let resource = Resource::of_file(path)?;
        if sources.iter().any(|(known, _)| *known == resource) {
            return Err(Error::Refused(format!("{} was given twice", resource.file_name())));
        }
        sources.push((resource, NdjsonSource::File(path.clone())));
    }
    sources.sort_by_key(|(resource, _)| *resource);
    Ok(sources)
}

/// Accounts and keys have no place in the totals, so `totals::recompute` does not announce their changes.
fn bump_epochs(conn: &mut Conn, counts: &LineCounts) -> rollcall_store::Result<()> {
    let has_changed = |resource| counts.iter().any(|(imported, lines)| *imported == resource && *lines > 0);
    if has_changed(Resource::Accounts) {
        revision::bump_epoch(conn)?;
    }
    if has_changed(Resource::Keys) {
        revision::bump_key_epoch(conn)?;
    }
    Ok(())
}
