use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::output::{OutputArgs, Spinner, counts_as_json, list_counts, print_error};
use super::{Failure, StoreArgs, load, store};
use crate::transfer::{self, ExportReport};

#[derive(Args)]
pub struct ExportArgs {
    /// Folder to write into; existing files are never overwritten
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
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
    let text = format!("Exported {} into {}.", list_counts(&counts), args.folder.display());
    let value = json!({"exported": counts_as_json(&counts), "folder": args.folder, "missingPictures": missing});
    args.output.print(&text, &value)
}
