use std::path::PathBuf;

use clap::Args;

use super::output::{Counting, say};
use super::{Failure, StoreArgs, load, store};
use crate::transfer::{self, Import};
use rollcall_model::clock::Clock;

#[derive(Args)]
pub struct ImportArgs {
    /// Files such as servers.ndjson; the name says what is inside. docs/DATA.md describes them all
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: ImportArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let (mut conn, media) = store::open(&config)?;
    let counting = Counting::new("read");
    let import =
        Import { now: Clock::System.now(), media: &media, progress: &mut |what, rows| counting.show(what, rows) };
    let counts = transfer::import(&mut conn, &args.files, import)?;
    counting.finish();
    say(&format!("Imported {}.", super::output::list_counts(&counts)))
}
