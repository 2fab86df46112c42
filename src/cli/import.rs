use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;

use super::output::{OutputArgs, Spinner, counts_as_json, list_counts};
use super::{Failure, StoreArgs, load, store};
use crate::transfer::{self, ImportOptions, Resource};
use rollcall_model::clock::Clock;

#[derive(Args)]
pub struct ImportArgs {
    /// Files such as servers.ndjson or servers.ndjson.gz; the name gives the resource. See docs/DATA.md
    #[arg(required_unless_present = "stdin", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also read standard input, plain or gzip, which has lines of this resource
    #[arg(long, value_name = "RESOURCE", value_parser = resource_parser())]
    stdin: Option<Resource>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

fn resource_parser() -> impl TypedValueParser<Value = Resource> {
    let names = PossibleValuesParser::new(Resource::ALL.map(Resource::name));
    names.map(|name| Resource::named(&name).expect("one of the possible values"))
}

pub fn run(args: ImportArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let (mut conn, media) = store::open(&config)?;
    let spinner = Spinner::new("read");
    let import =
        ImportOptions { now: Clock::System.now(), media: &media, progress: &mut |what, rows| spinner.show(what, rows) };
    let counts = transfer::import(&mut conn, &args.files, args.stdin, import)?;
    spinner.finish();
    args.output.print(&format!("Imported {}.", list_counts(&counts)), &json!({"imported": counts_as_json(&counts)}))
}
