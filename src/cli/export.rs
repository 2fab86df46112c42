use std::path::PathBuf;

use clap::Args;

use super::output::{Spinner, print_error, print_line};
use super::{Failure, StoreArgs, load, store};
use crate::transfer::{self, ExportReport};

#[derive(Args)]
pub struct ExportArgs {
    /// Folder to write into; existing files are never overwritten
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: ExportArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let (mut conn, media) = store::open_for_reading(&config)?;
    let spinner = Spinner::new("written");
    let exported = transfer::export(&mut conn, &args.folder, &media, &mut |what, rows| spinner.show(what, rows));
    spinner.finish();
    let ExportReport { counts, missing } = exported?;
    for path in &missing {
        print_error(&format!("the picture {path} is missing, so the lines that used it have none"));
    }
    print_line(&format!("Exported {} into {}.", super::output::list_counts(&counts), args.folder.display()))
}
