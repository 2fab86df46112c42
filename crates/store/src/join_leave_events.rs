//! Publishes that players join and leave servers. The table `attendance` holds who joined and has not left, so that
//! each player joins and leaves in turn.

use std::collections::{HashMap, HashSet};

use crate::events::{self, NewEvent};
use crate::presence;
use crate::{Conn, Result, Value, pad_values, placeholders, values};
use rollcall_model::event::{EventFacts, EventKind};

/// The players of a server according to a poll or report.
#[derive(Clone, Debug)]
pub struct PlayerListUpdate {
    pub server_n: i64,
    pub at: i64,
    /// Events are published only for public servers.
    pub is_public: bool,
    /// Known players who are there.
    pub present: Vec<i64>,
    /// Known players who left.
    pub left: Vec<i64>,
    pub missing: MissingPlayers,
}

/// Knowledge about players who are not mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingPlayers {
    /// Nothing.
    Unknown,
    /// They left, if they were last seen longer ago than this: the list is a sample, or they may come back.
    LeftAfter(i64),
    /// They left: the list is complete, or the server is offline.
    Left,
}

/// Writes who joined and left. Call it in the transaction that stores the sessions.
pub fn record(conn: &mut Conn, updates: &[PlayerListUpdate]) -> Result<()> {
    let mut joined = load(conn, updates)?;
    let (mut events, mut added, mut removed) = (Vec::new(), Vec::new(), Vec::new());
    for update in updates {
        let before = joined.entry(update.server_n).or_default();
        if !update.is_public {
            removed.extend(before.drain().map(|player_n| (update.server_n, player_n)));
            continue;
        }
        for (player_n, since) in gone(conn, update, before)? {
            before.remove(&player_n);
            removed.push((update.server_n, player_n));
            events.push(NewEvent {
                player_n: Some(player_n),
                facts: EventFacts { since, ..EventFacts::default() },
                ..NewEvent::of_server(EventKind::PlayerLeft, update.at, update.server_n)
            });
        }
        for &player_n in &update.present {
            if before.insert(player_n) {
                added.push((update.server_n, player_n));
                let event = NewEvent::of_server(EventKind::PlayerJoined, update.at, update.server_n);
                events.push(NewEvent { player_n: Some(player_n), ..event });
            }
        }
    }
    save(conn, &removed, &added)?;
    events::write(conn, &events)
}

/// The players who left, in a stable order, each with the time at which they were last seen.
fn gone(conn: &mut Conn, update: &PlayerListUpdate, before: &HashSet<i64>) -> Result<Vec<(i64, Option<i64>)>> {
    let mut absent: Vec<i64> = match update.missing {
        MissingPlayers::Unknown => update.left.iter().copied().filter(|n| before.contains(n)).collect(),
        _ => before.iter().copied().filter(|n| !update.present.contains(n)).collect(),
    };
    absent.sort_unstable();
    if absent.is_empty() {
        return Ok(Vec::new());
    }
    let seen = presence::last_seen(conn, update.server_n, &absent)?;
    let is_gone = |n: &i64| match update.missing {
        MissingPlayers::LeftAfter(pause) => {
            update.left.contains(n) || seen.get(n).is_none_or(|seen| update.at - seen > pause)
        }
        MissingPlayers::Unknown | MissingPlayers::Left => true,
    };
    Ok(absent.into_iter().filter(is_gone).map(|n| (n, seen.get(&n).copied())).collect())
}

fn load(conn: &mut Conn, updates: &[PlayerListUpdate]) -> Result<HashMap<i64, HashSet<i64>>> {
    let servers: Vec<i64> = updates.iter().map(|update| update.server_n).collect();
    let mut joined: HashMap<i64, HashSet<i64>> = HashMap::new();
    if servers.is_empty() {
        return Ok(joined);
    }
    let sql = format!("select server_n, player_n from attendance where server_n in ({})", placeholders(servers.len()));
    conn.for_each(&sql, &pad_values(&servers), |row| {
        joined.entry(row.get(0)).or_default().insert(row.get(1));
    })?;
    Ok(joined)
}

/// Removes first: a player may leave and join in one batch.
fn save(conn: &mut Conn, removed: &[(i64, i64)], added: &[(i64, i64)]) -> Result<()> {
    let rows = |pairs: &[(i64, i64)]| -> Vec<Vec<Value>> {
        pairs.iter().map(|(server_n, player_n)| values![*server_n, *player_n].to_vec()).collect()
    };
    conn.execute_many(
        "delete from attendance where (server_n, player_n) in (values {rows})",
        &["bigint"; 2],
        &rows(removed),
    )?;
    conn.execute_many(
        "insert into attendance (server_n, player_n) select v.column1, v.column2 from (values {rows}) v where true
         on conflict do nothing",
        &["bigint"; 2],
        &rows(added),
    )
}
