use super::output::say;
use super::{Failure, StoreArgs, load, store};
use crate::store::pending_migrations;

pub fn run(args: StoreArgs) -> Result<(), Failure> {
    let config = load(&args.flags())?;
    let pending = pending_migrations(&mut store::connect(&store::database(&config)?)?)?;
    store::open(&config)?;
    say(&match pending.len() {
        0 => "The schema is up to date.".to_owned(),
        1 => "1 migration was run.".to_owned(),
        many => format!("{many} migrations were run."),
    })
}
