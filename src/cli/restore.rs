use std::path::PathBuf;

use clap::Args;

use super::output::{Bar, list, say};
use super::{Failure, StoreArgs, load, store};
use crate::backup::{self, Restore};
use rollcall_model::time;
use rollcall_store::Database;

#[derive(Args)]
pub struct RestoreArgs {
    /// File that `rollcall backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Take the place of a store that is there already, which is kept aside as …-before-restore
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: RestoreArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let media = config.data.join("media");
    let Database::Sqlite(database) = store::database(&config)? else {
        return Err(Failure::Usage(format!(
            "a store in PostgreSQL is brought back with pg_restore from what pg_dump wrote, and the pictures by \
             copying them into the folder {}",
            media.display()
        )));
    };
    let bar = Bar::new();
    let progress = |what, done, whole| bar.show(what, done, whole);
    let to = Restore { database: &database, media: &media, replace: args.replace, progress: &progress };
    let restored = backup::restore(&args.file, to);
    bar.finish();
    let restored = restored?;
    let kept = match &restored.kept {
        Some(kept) => format!("; the store before is kept as {}", kept.display()),
        None => String::new(),
    };
    let (what, when) = (list(restored.contents), time::iso(restored.made_at));
    say(&format!("Restored {what} as of {when} into {}{kept}.", database.display()))
}
