use super::output::print_line;
use super::{Failure, StoreArgs, load, store};

pub fn run(args: StoreArgs) -> Result<(), Failure> {
    let config = load(&args.flags())?;
    let database = store::database(&config)?;
    let ledger = database.ledger();
    let ran = store::run_migrations(&mut store::connect(&database)?, &database)?.len()
        + store::run_ledger_migrations(&mut store::connect(&ledger)?, &ledger)?.len();
    // The built-in skins too.
    store::open(&config)?;
    print_line(&match ran {
        0 => "The schema is up to date.".to_owned(),
        1 => "Ran 1 migration.".to_owned(),
        many => format!("Ran {many} migrations."),
    })
}
