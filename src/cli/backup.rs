use std::path::PathBuf;

use clap::Args;
use indicatif::HumanBytes;

use super::output::{Bar, complain, list, say};
use super::{Failure, StoreArgs, load, store};
use crate::backup::{self, Backup};
use rollcall_model::clock::Clock;
use rollcall_store::Database;
use rollcall_store::media::Media;

#[derive(Args)]
pub struct BackupArgs {
    /// File to write, which must not be there yet: a SQLite database that holds everything
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: BackupArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let pictures = config.data.join("media");
    let Database::Sqlite(database) = store::existing(&config)? else {
        return Err(Failure::Usage(format!(
            "a store in PostgreSQL is backed up with pg_dump, and the pictures by copying the folder {} after it",
            pictures.display()
        )));
    };
    // Neither migrated nor touched: a store is best backed up before the new version begins with it.
    let mut conn = store::connect(&Database::Sqlite(database.clone()))?;
    let media = Media::in_folder(&pictures)?;
    let bar = Bar::new();
    let progress = |what, done, whole| bar.show(what, done, whole);
    let from = Backup { database: &database, media: &media, now: Clock::System.now(), progress: &progress };
    let written = backup::backup(&mut conn, &args.file, from);
    bar.finish();
    let written = written?;
    if let Some(first) = written.damaged.first() {
        let count = written.damaged.len();
        complain(&format!("pictures that are not what their names say were left out ({count}), the first is {first}"));
    }
    let (what, size) = (list(written.contents), HumanBytes(written.size));
    say(&format!("Backed up {what} into {} ({size}).", args.file.display()))
}
