use std::path::PathBuf;

use clap::Args;

use super::output::{Counting, say};
use super::{Failure, StoreArgs, load, store};
use crate::transfer;

#[derive(Args)]
pub struct ExportArgs {
    /// Folder to write into; files that are there already are never overwritten
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: ExportArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let (mut conn, media) = store::open_existing(&config)?;
    let counting = Counting::new("written");
    let counts = transfer::export(&mut conn, &args.folder, &media, &mut |what, rows| counting.show(what, rows))?;
    counting.finish();
    say(&format!("Exported {} into {}.", super::output::list_counts(&counts), args.folder.display()))
}
