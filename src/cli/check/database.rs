//! The database: whether it can be reached, has a schema that fits and can be written, and whether the clocks agree.

use super::super::{Failure, store};
use super::{Check, Finding};
use crate::config::Config;
use rollcall_model::clock::Clock;
use rollcall_model::time::SECOND;
use rollcall_store::{
    Conn, Database, check_replica, clock_skew, pending_ledger_migrations, pending_migrations, write_check,
};

type CountPending = fn(&mut Conn) -> rollcall_store::Result<(usize, usize)>;

/// An unreachable database is one problem, and the checks that need it are left out.
pub fn checks(config: &Config) -> Result<Vec<Check>, Failure> {
    let database = store::database(config)?;
    let ledger = database.ledger();
    let mut checks = of_one("database", &database, pending_migrations);
    // On PostgreSQL both are one database.
    if ledger != database {
        checks.extend(of_one("ledger", &ledger, pending_ledger_migrations));
    }
    let replicas = config.replicas().map_err(Failure::Usage)?;
    checks.extend(replicas.iter().map(|replica| Check { name: "replica", finding: replica_state(&database, replica) }));
    Ok(checks)
}

fn of_one(name: &'static str, database: &Database, count_pending: CountPending) -> Vec<Check> {
    if matches!(database, Database::Sqlite(path) if !path.exists()) {
        return vec![Check {
            name,
            finding: Ok(format!("{database} does not exist yet; `rollcall serve` creates it")),
        }];
    }
    let mut conn = match store::connect_existing(database) {
        Ok(conn) => conn,
        Err(Failure::Failed(why) | Failure::Usage(why)) => return vec![Check { name, finding: Err(why) }],
    };
    let mut checks = vec![Check { name, finding: state(&mut conn, database, count_pending) }];
    if conn.is_postgres() {
        checks.push(Check { name: "clock", finding: clock(&mut conn) });
    }
    checks
}

fn state(conn: &mut Conn, database: &Database, count_pending: CountPending) -> Finding {
    let (pending, all) = count_pending(conn).map_err(|error| format!("{database}: {error}"))?;
    write_check::check(conn).map_err(|error| {
        format!("{database} cannot be written: {error}; check its disk, its owner and whether it is a replica")
    })?;
    Ok(match pending {
        0 => format!("{database} is reachable and writable, its schema is current"),
        pending if pending == all => format!("{database} is reachable, writable and empty"),
        pending => {
            format!(
                "{database} is reachable and writable; {pending} migrations are pending, `rollcall serve` runs them"
            )
        }
    })
}

fn replica_state(primary: &Database, replica: &Database) -> Finding {
    match check_replica(primary, replica) {
        Ok(()) => Ok(format!("{replica} is a replica of {primary}")),
        Err(error) => Err(format!("{replica} cannot be used: {error}")),
    }
}

fn clock(conn: &mut Conn) -> Finding {
    let skew = clock_skew::measure(conn, &Clock::System).map_err(|error| error.to_string())?;
    clock_skew::refuse(skew).map_err(|error| format!("{error}; synchronise both clocks (NTP)"))?;
    Ok(format!("within {:.1} s of the database's", skew.abs() as f64 / SECOND as f64))
}
