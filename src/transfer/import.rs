//! Files into the store: everything or nothing.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use super::context::Context;
use super::ndjson::{Lines, Source};
use super::pictures::PictureBook;
use super::staging::Incoming;
use super::{Counts, Error, Record, Resource, Staged, Wrong};
use rollcall_store::media::Media;
use rollcall_store::totals::{self, Scope};
use rollcall_store::{Conn, Value, changes, server_stats};

/// Rows arrive in another order than most indexes keep them; with room for the pages they fall on, none is written
/// twice. SQLite takes the memory only as it fills.
const SQLITE_CACHE: &str = "pragma cache_size = -1048576";

/// Lines from one word about the progress to the next.
const TOLD_EVERY: u64 = 100;

/// What an import needs beside the store and the files.
pub struct Import<'a> {
    pub now: i64,
    pub media: &'a Media,
    /// Called with a resource's name and how many of its lines were read so far.
    pub progress: &'a mut dyn FnMut(&str, u64),
}

/// Reads the files, in the order in which they depend on each other. The first thing that is wrong stops it, and
/// then nothing has changed.
pub fn import(conn: &mut Conn, files: &[PathBuf], import: Import) -> Result<Counts, Error> {
    run(conn, &by_resource(files)?, import)
}

/// The same for one line that a command made: what is set there is checked and kept as it is here.
pub fn import_line(conn: &mut Conn, resource: Resource, line: String, import: Import) -> Result<(), Error> {
    match run(conn, &[(resource, Source::Text(line))], import) {
        Err(Error::Line { what, .. }) => Err(Error::Refused(what)),
        outcome => outcome.map(drop),
    }
}

fn run(conn: &mut Conn, sources: &[(Resource, Source)], import: Import) -> Result<Counts, Error> {
    let Import { now, media, progress } = import;
    if !conn.is_postgres() {
        conn.batch(SQLITE_CACHE)?;
    }
    conn.transaction(|conn| {
        // Taken first: other writers wait here, so that none of them changes what is being renumbered.
        changes::raise(conn)?;
        let paths: Vec<PathBuf> = sources.iter().filter_map(|(_, source)| source.path().cloned()).collect();
        let mut context = Context::new(conn, now, PictureBook::new(media, &paths), progress);
        let mut counts = Counts::new();
        for (resource, source) in sources {
            context.resource = *resource;
            counts.push((*resource, (resource.room().load)(&mut context, *resource, source)?));
        }
        let scope = context.marks.into_scope();
        totals::recompute(conn, &scope)?;
        tell(conn, &counts)?;
        match &scope {
            Scope::Touched(touched) if paths.is_empty() => {
                touched.servers.iter().try_for_each(|n| server_stats::refresh(conn, *n, *n, now).map(drop))?;
            }
            _ => server_stats::refresh_all(conn, now)?,
        }
        Ok(counts)
    })
}

/// Reads one file into its table.
pub(super) fn load<R: Record>(context: &mut Context, resource: Resource, source: &Source) -> Result<u64, Error> {
    let mut lines = Lines::open(source)?;
    let mut incoming = Incoming::open(context.conn, R::table(resource))?;
    let mut seen = Seen::default();
    let mut count = 0;
    while let Some((number, record)) = lines.next::<R>()? {
        seen.add(&record.key(), number).map_err(|what| lines.wrong(what))?;
        let staged = record.check(context).and_then(storable).map_err(|wrong| match wrong {
            Wrong::Line(what) => lines.wrong(what),
            Wrong::Store(error) => error.into(),
        })?;
        incoming.push(number, staged);
        count += 1;
        if incoming.is_full() {
            incoming.merge(context.conn, &mut context.marks, context.now)?;
        }
        // Where pictures are drawn, a few lines take a while.
        if count % TOLD_EVERY == 0 {
            (context.progress)(resource.name(), count);
        }
    }
    incoming.merge(context.conn, &mut context.marks, context.now)?;
    incoming.close(context.conn)?;
    if context.conn.is_postgres() {
        // The totals are computed in this transaction, before the engine would look at the new rows by itself.
        context.conn.batch(&format!("analyze {}", R::table(resource).name))?;
    }
    (context.progress)(resource.name(), count);
    Ok(count)
}

fn by_resource(files: &[PathBuf]) -> Result<Vec<(Resource, Source)>, Error> {
    let mut found: Vec<(Resource, Source)> = Vec::new();
    for path in files {
        let resource = Resource::of_file(path)?;
        if found.iter().any(|(known, _)| *known == resource) {
            return Err(Error::Refused(format!("{} is given twice", resource.file_name())));
        }
        found.push((resource, Source::File(path.clone())));
    }
    found.sort_by_key(|(resource, _)| *resource);
    Ok(found)
}

/// Accounts carry no `rev` but are shown with what they own; keys have a number of their own.
fn tell(conn: &mut Conn, counts: &Counts) -> rollcall_store::Result<()> {
    let changed = |resource| counts.iter().any(|(loaded, lines)| *loaded == resource && *lines > 0);
    if changed(Resource::Accounts) {
        changes::raise_epoch(conn)?;
    }
    if changed(Resource::Keys) {
        changes::raise_key_epoch(conn)?;
    }
    Ok(())
}

/// PostgreSQL keeps no text with the character U+0000, so SQLite does not get one either.
fn storable(staged: Staged) -> Result<Staged, Wrong> {
    let mut values = staged.values.iter().chain(staged.lists.iter().flatten().flatten());
    if values.any(|value| matches!(value, Value::Text(text) if text.contains('\0'))) {
        return Err("a text holds the character U+0000, which cannot be kept".to_owned().into());
    }
    Ok(staged)
}

/// The keys of a file and their lines, as 128-bit hashes: millions of them stay small.
#[derive(Default)]
struct Seen(HashMap<u128, u64>);

impl Seen {
    fn add(&mut self, key: &str, line: u64) -> Result<(), String> {
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, key).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        match self.0.insert(half(0) << 64 | half(1), line) {
            Some(first) => Err(format!("{key} stands on line {first} already")),
            None => Ok(()),
        }
    }
}
