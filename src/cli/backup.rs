use std::path::PathBuf;

use clap::Args;
use indicatif::HumanBytes;
use serde_json::json;

use super::output::{Bar, OutputArgs, list, numbers_as_json, print_error};
use super::{Failure, StoreArgs, load, store};
use crate::backup::{self, BackupOptions};
use rollcall_model::clock::Clock;
use rollcall_store::Database;

#[derive(Args)]
pub struct BackupArgs {
    /// File to create: a SQLite database with everything in it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: BackupArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let pictures = store::media_place(&config)?;
    let Database::Sqlite(database) = store::existing(&config)? else {
        return Err(Failure::Usage(format!(
            "back up a PostgreSQL store with pg_dump, then copy the pictures from {pictures} (`rollcall media copy DIR`)"
        )));
    };
    // Not migrated: a store should be backed up before an upgrade.
    let mut conn = store::connect_for_reading(&Database::Sqlite(database.clone()))?;
    let media = pictures.open_existing()?;
    let bar = Bar::new();
    let progress = |what, done, whole| bar.show(what, done, whole);
    let from = BackupOptions { database: &database, media: &media, now: Clock::System.now(), progress: &progress };
    let written = backup::backup(&mut conn, &args.file, from);
    bar.finish();
    let written = written?;
    if let Some(first) = written.damaged.first() {
        let count = written.damaged.len();
        print_error(&format!("left out damaged pictures ({count}), the first is {first}"));
    }
    let value = json!({
        "file": args.file,
        "bytes": written.size,
        "contents": numbers_as_json(&written.contents),
        "damagedPictures": written.damaged,
    });
    let (what, size) = (list(written.contents), HumanBytes(written.size));
    args.output.print(&format!("Backed up {what} into {} ({size}).", args.file.display()), &value)
}
