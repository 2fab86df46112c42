//! Events of the last hours: the seed writes none, and older ones than 30 days would be deleted.

use rollcall_model::clock::Clock;
use rollcall_model::event::{EventFacts, EventKind, first_number};
use rollcall_model::time::{HOUR, MINUTE};
use rollcall_store::events::{self, NewEvent};
use rollcall_store::{Conn, Result, values};

use crate::data::{BenchStore, DataSize};
use crate::workloads::SplitMix64;

/// How long the oldest event was ago.
const SPAN: i64 = 12 * HOUR;
/// Events in one transaction, all of one time.
const BATCH: usize = 500;

/// Writes events unless an earlier run has written them lately.
pub fn fill(store: &BenchStore, size: DataSize) -> Result<()> {
    let (mut conn, now) = (Conn::open_existing(&store.database())?, Clock::System.now());
    let recent: i64 =
        conn.query_one("select count(*) from events where n > $1", values![first_number(now - 2 * SPAN)], |row| {
            row.get(0)
        })?;
    let wanted = size.events();
    if recent >= wanted as i64 {
        return Ok(());
    }
    conn.execute("delete from events", &[])?;
    let numbers = |conn: &mut Conn, sql: &str| conn.query(sql, &[], |row| row.get::<i64>(0));
    let servers = numbers(&mut conn, "select n from servers where visibility = 'PUBLIC' order by n")?;
    let players = numbers(&mut conn, "select n from players order by n limit 100000")?;
    let mut rng = SplitMix64::new(1);
    let batches = wanted.div_ceil(BATCH) as i64;
    for batch in 0..batches {
        // A minute ago at the latest: readers begin before the present second.
        let at = now - MINUTE - SPAN + batch * SPAN / batches;
        let events: Vec<NewEvent> = (0..BATCH)
            .map(|_| {
                let mut event = NewEvent::of_server(EventKind::PlayerJoined, at, servers[rng.below(servers.len())]);
                // Most events are joins and leaves.
                match rng.below(10) {
                    0 => {
                        event.kind = EventKind::ServerPeak;
                        event.facts = EventFacts { players: Some(40), previous_players: Some(39), ..event.facts };
                    }
                    1 => {
                        event.kind = EventKind::ServerOnline;
                        event.facts.since = Some(at - HOUR);
                    }
                    number => {
                        event.player_n = Some(players[rng.below(players.len())]);
                        if number % 2 == 0 {
                            event.kind = EventKind::PlayerLeft;
                            event.facts.since = Some(at - HOUR);
                        }
                    }
                }
                event
            })
            .collect();
        conn.transaction(|conn| events::write(conn, &events))?;
    }
    Ok(())
}
