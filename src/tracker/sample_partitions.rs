//! Adds and drops the partitions of samples on PostgreSQL.

use std::time::Duration;

use rollcall_model::clock::Clock;
use rollcall_store::sample_partitions::{self, STEPS};
use rollcall_store::{Pool, Result};

/// Between two looks. After a lock that others held, the next one tries again.
const INTERVAL: Duration = Duration::from_secs(60);

/// Keeps the partitions until the tracker stops.
pub async fn run(pool: &Pool, clock: &Clock) {
    // To validate a constraint takes as long as a table is large.
    let pool = pool.with_long_timeout();
    loop {
        match keep(&pool, clock.now()).await {
            Err(error) if sample_partitions::is_busy(&error) => {
                tracing::debug!(%error, "partitions of samples are changed later");
            }
            Err(error) => tracing::warn!(%error, "cannot change the partitions of samples"),
            Ok(()) => {}
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

async fn keep(pool: &Pool, now: i64) -> Result<()> {
    let plan = pool.read(move |conn| sample_partitions::plan(conn, now)).await?;
    for day in plan.missing {
        for step in STEPS {
            pool.write(move |conn| step(conn, day)).await?;
        }
    }
    for day in plan.expired {
        pool.write(move |conn| sample_partitions::drop_partition(conn, day)).await?;
    }
    Ok(())
}
