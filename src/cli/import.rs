use std::path::PathBuf;

use clap::Args;

use super::output::{Spinner, print_line};
use super::{Failure, StoreArgs, load, store};
use crate::transfer::{self, ImportOptions};
use rollcall_model::clock::Clock;

#[derive(Args)]
pub struct ImportArgs {
    /// Files such as servers.ndjson; the name gives the resource. See docs/DATA.md
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: ImportArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let (mut conn, media) = store::open(&config)?;
    let spinner = Spinner::new("read");
    let import =
        ImportOptions { now: Clock::System.now(), media: &media, progress: &mut |what, rows| spinner.show(what, rows) };
    let counts = transfer::import(&mut conn, &args.files, import)?;
    spinner.finish();
    print_line(&format!("Imported {}.", super::output::list_counts(&counts)))
}
