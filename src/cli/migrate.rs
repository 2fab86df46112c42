use super::output::say;
use super::{Failure, StoreArgs, load, store};
use rollcall_store::{migrate, migrate_ledger};

pub fn run(args: StoreArgs) -> Result<(), Failure> {
    let config = load(&args.flags())?;
    let database = store::database(&config)?;
    let ran = migrate(&mut store::connect(&database)?)?.len()
        + migrate_ledger(&mut store::connect(&database.ledger())?)?.len();
    // The built-in skins too.
    store::open(&config)?;
    say(&match ran {
        0 => "The schema is up to date.".to_owned(),
        1 => "1 migration was run.".to_owned(),
        many => format!("{many} migrations were run."),
    })
}
