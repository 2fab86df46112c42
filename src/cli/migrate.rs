use clap::Args;
use serde_json::json;

use super::output::OutputArgs;
use super::{Failure, StoreArgs, load, store};

#[derive(Args)]
pub struct MigrateArgs {
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: &MigrateArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let database = store::database(&config)?;
    let ledger = database.ledger();
    let ran = store::run_migrations(&mut store::connect(&database)?, &database)?.len()
        + store::run_ledger_migrations(&mut store::connect(&ledger)?, &ledger)?.len();
    // The built-in skins too.
    store::open(&config)?;
    let text = match ran {
        0 => "The schema is up to date.".to_owned(),
        1 => "Ran 1 migration.".to_owned(),
        many => format!("Ran {many} migrations."),
    };
    args.output.print(&text, &json!({"migrations": ran}))
}
