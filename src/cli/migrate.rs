use super::output::print_line;
use super::{Failure, StoreArgs, load, store};
use rollcall_store::{migrate, migrate_ledger};

pub fn run(args: StoreArgs) -> Result<(), Failure> {
    let config = load(&args.flags())?;
    let database = store::database(&config)?;
    let ran = migrate(&mut store::connect(&database)?)?.len()
        + migrate_ledger(&mut store::connect(&database.ledger())?)?.len();
    // The built-in skins too.
    store::open(&config)?;
    print_line(&match ran {
        0 => "The schema is up to date.".to_owned(),
        1 => "Ran 1 migration.".to_owned(),
        many => format!("Ran {many} migrations."),
    })
}
