//! Players who have joined a server and not left it, according to published events: each player joins and leaves in
//! turn.

use std::collections::{HashMap, HashSet};

use crate::events::{self, NewEvent};
use crate::presence;
use crate::{Conn, Result, Value, pad_values, placeholders, values};
use rollcall_model::event::{EventFacts, EventKind};

/// The players of a server according to a poll or report.
#[derive(Clone, Debug)]
pub struct Attendance {
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
pub fn record(conn: &mut Conn, attendances: &[Attendance]) -> Result<()> {
    let mut joined = load(conn, attendances)?;
    let (mut events, mut added, mut removed) = (Vec::new(), Vec::new(), Vec::new());
    for attendance in attendances {
        let before = joined.entry(attendance.server_n).or_default();
        if !attendance.is_public {
            removed.extend(before.drain().map(|player_n| (attendance.server_n, player_n)));
            continue;
        }
        for (player_n, since) in gone(conn, attendance, before)? {
            before.remove(&player_n);
            removed.push((attendance.server_n, player_n));
            events.push(NewEvent {
                player_n: Some(player_n),
                facts: EventFacts { since, ..EventFacts::default() },
                ..NewEvent::of_server(EventKind::PlayerLeft, attendance.at, attendance.server_n)
            });
        }
        for &player_n in &attendance.present {
            if before.insert(player_n) {
                added.push((attendance.server_n, player_n));
                let event = NewEvent::of_server(EventKind::PlayerJoined, attendance.at, attendance.server_n);
                events.push(NewEvent { player_n: Some(player_n), ..event });
            }
        }
    }
    save(conn, &removed, &added)?;
    events::write(conn, &events)
}

/// The players who left, in a stable order, each with the time at which they were last seen.
fn gone(conn: &mut Conn, attendance: &Attendance, before: &HashSet<i64>) -> Result<Vec<(i64, Option<i64>)>> {
    let mut absent: Vec<i64> = match attendance.missing {
        MissingPlayers::Unknown => attendance.left.iter().copied().filter(|n| before.contains(n)).collect(),
        _ => before.iter().copied().filter(|n| !attendance.present.contains(n)).collect(),
    };
    absent.sort_unstable();
    if absent.is_empty() {
        return Ok(Vec::new());
    }
    let seen = presence::last_seen(conn, attendance.server_n, &absent)?;
    let is_gone = |n: &i64| match attendance.missing {
        MissingPlayers::LeftAfter(pause) => {
            attendance.left.contains(n) || seen.get(n).is_none_or(|seen| attendance.at - seen > pause)
        }
        MissingPlayers::Unknown | MissingPlayers::Left => true,
    };
    Ok(absent.into_iter().filter(is_gone).map(|n| (n, seen.get(&n).copied())).collect())
}

fn load(conn: &mut Conn, attendances: &[Attendance]) -> Result<HashMap<i64, HashSet<i64>>> {
    let servers: Vec<i64> = attendances.iter().map(|attendance| attendance.server_n).collect();
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
