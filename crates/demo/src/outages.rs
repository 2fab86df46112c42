//! Outages of servers, as their samples show them.

use std::net::Ipv4Addr;

use super::servers::{self, DemoServer};
use rollcall_minecraft::PingError;
use rollcall_store::bulk_load::{self, BulkOutage};
use rollcall_store::{Conn, Result};

pub fn insert(conn: &mut Conn, servers: &[DemoServer]) -> Result<()> {
    bulk_load::insert_rows::<BulkOutage>(conn, |insert| {
        for (index, server) in servers.iter().enumerate() {
            for (began_at, ended_at) in server.curve.past_outages() {
                let reason = reason(began_at);
                insert(BulkOutage { server_n: servers::row_n(index), began_at, ended_at, reason })?;
            }
        }
        Ok(())
    })
}

/// Most servers that fail do not answer in time.
fn reason(began_at: i64) -> &'static str {
    match began_at.rem_euclid(5) {
        0 => PingError::Closed.reason(),
        1 => PingError::Refused(Ipv4Addr::LOCALHOST.into()).reason(),
        _ => PingError::TimedOut.reason(),
    }
}
