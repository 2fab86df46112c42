use std::path::PathBuf;

use clap::Args;

use super::output::{Bar, list, print_line};
use super::{Failure, StoreArgs, load, store};
use crate::backup::{self, RestoreOptions};
use rollcall_model::time;
use rollcall_store::Database;

#[derive(Args)]
pub struct RestoreArgs {
    /// Backup file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace an existing store; it is kept as …-before-restore
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: RestoreArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let place = store::media_place(&config)?;
    let Database::Sqlite(database) = store::database(&config)? else {
        return Err(Failure::Usage(format!(
            "restore a PostgreSQL store with pg_restore, and copy the pictures to {place} (`rollcall media copy --from`)"
        )));
    };
    let bar = Bar::new();
    let progress = |what, done, whole| bar.show(what, done, whole);
    let to = RestoreOptions { database: &database, media: &place, replace: args.replace, progress: &progress };
    let restored = backup::restore(&args.file, to);
    bar.finish();
    let restored = restored?;
    let kept = match &restored.previous {
        Some(kept) => format!("; the previous store is kept as {}", kept.display()),
        None => String::new(),
    };
    let (what, when) = (list(restored.contents), time::iso(restored.made_at));
    print_line(&format!("Restored {what} as of {when} into {}{kept}.", database.display()))
}
