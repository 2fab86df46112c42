//! Reads the file of one resource into its table.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::context::ImportContext;
use super::ndjson::{NdjsonReader, NdjsonSource};
use super::{Error, LineError, NdjsonLine, Resource};
use rollcall_store::transfer::{StagedRow, Staging};

/// Lines between two progress reports. Few, because drawing missing pictures is slow.
const PROGRESS_STEP: u64 = 100;

/// Imports one file into its table.
pub(super) fn import_resource<L: NdjsonLine>(
    context: &mut ImportContext,
    resource: Resource,
    source: &NdjsonSource,
) -> Result<u64, Error> {
    let mut reader = NdjsonReader::open(source)?;
    let mut staging = Staging::open(context.conn, L::table(resource))?;
    let mut seen = SeenKeys::default();
    let mut count = 0;
    while let Some((number, line)) = reader.next::<L>()? {
        seen.add(&line.key(), number).map_err(|reason| reader.line_error(reason))?;
        let row = line.check(context).and_then(refuse_nul).map_err(|error| match error {
            LineError::Invalid(reason) => reader.line_error(reason),
            LineError::Store(error) => error.into(),
        })?;
        staging.push(number, row);
        count += 1;
        if staging.is_full() {
            staging.merge(context.conn, &mut context.touched, context.now)?;
        }
        if count % PROGRESS_STEP == 0 {
            (context.progress)(resource.name(), count);
        }
    }
    staging.merge(context.conn, &mut context.touched, context.now)?;
    staging.close(context.conn)?;
    (context.progress)(resource.name(), count);
    Ok(count)
}

fn refuse_nul(row: StagedRow) -> Result<StagedRow, LineError> {
    if row.contains_nul() {
        return Err("text must not contain the character U+0000".to_owned().into());
    }
    Ok(row)
}

/// The keys of a file with their line numbers. Stored as 128-bit hashes, so that millions fit into memory.
#[derive(Default)]
struct SeenKeys(HashMap<u128, u64>);

impl SeenKeys {
    fn add(&mut self, key: &str, line: u64) -> Result<(), String> {
        let hash_half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, key).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        match self.0.insert(hash_half(0) << 64 | hash_half(1), line) {
            Some(first) => Err(format!("{key} is already on line {first}")),
            None => Ok(()),
        }
    }
}
