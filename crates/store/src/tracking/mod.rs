//! Tracker state of each server, and the schedule of polls.

mod future_times;
mod start;

pub use future_times::{PlausibleTimes, heal_future, is_any_future};
pub use start::{count, has_schedule, start_tracking, start_tracking_at};

use std::collections::HashMap;

use crate::pending_samples::{self, PendingSamples};
use crate::report_validity::{LIST_LASTS, TPS_LASTS};
use crate::samples::{self, ALL_SERVERS};
use crate::{Conn, Result, Row, Value, pad_values, placeholders, server_presence, values};
use rollcall_model::trust::SourceTrust;
use rollcall_model::visibility::Visibility;

/// A poll that a tracker has claimed, with the state of its server.
#[derive(Clone, Debug)]
pub struct ClaimedPoll {
    pub server_n: i64,
    /// When the next poll is due. If the stored value differs, another tracker has claimed this server since.
    pub next_due: i64,
    /// `None` for the sum of all servers.
    pub server: Option<PollTarget>,
    pub sample_at: Option<i64>,
    pub sample_online: bool,
    pub sample_players: i64,
    pub sample_pause: i64,
    pub failures: i64,
    pub failing_since: Option<i64>,
    pub form: String,
    pub icon_hash: String,
    pub motd_hash: String,
    /// When a picture was last drawn.
    pub pictured_at: i64,
    pub note: String,
    /// The IP address that answered last.
    pub address: String,
    /// When the last evidence against the server was found.
    pub suspected_at: Option<i64>,
    /// Consecutive polls with an implausible player count.
    pub unconfirmed_polls: i64,
    /// The highest accepted player count; `None` before the first poll.
    pub peak: Option<PlayerPeak>,
    /// The players that the last reply listed.
    pub present: Vec<i64>,
    /// Samples that no table has yet. Before they are saved, read them again: [`still_claimed`].
    pub pending: PendingSamples,
}

impl ClaimedPoll {
    /// How far the server is trusted about its players.
    pub fn trust(&self, now: i64) -> SourceTrust {
        let by_operator = self.server.as_ref().and_then(|server| server.operator_trust);
        SourceTrust::effective(by_operator, self.suspected_at, now)
    }
}

/// The player record of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerPeak {
    pub players: i64,
    /// The last published record, and its time.
    pub told: i64,
    pub told_at: i64,
}

/// The address of the server and its current status.
#[derive(Clone, Debug)]
pub struct PollTarget {
    pub slug: String,
    pub host: String,
    pub port: i64,
    pub edition: String,
    pub query_port: Option<i64>,
    pub visibility: Visibility,
    pub is_online: bool,
    pub country: String,
    pub version: String,
    /// Paths of its pictures.
    pub icon: String,
    pub motd_image: String,
    /// The trust level that an operator set.
    pub operator_trust: Option<SourceTrust>,
    /// The ticks per second of the last report, and when reports last had them and a list of players; 0: never.
    pub tps: Option<f64>,
    pub tps_at: i64,
    pub listed_at: i64,
}

impl PollTarget {
    pub fn is_public(&self) -> bool {
        self.visibility == Visibility::Public
    }

    /// The reported ticks per second, while they count.
    pub fn current_tps(&self, now: i64) -> Option<f64> {
        self.tps.filter(|_| now - self.tps_at < TPS_LASTS)
    }

    /// Whether the server itself reports who plays, which is exact; lists of pings are samples.
    pub fn reports_players(&self, now: i64) -> bool {
        now - self.listed_at < LIST_LASTS
    }
}

const COLUMNS: &str =
    "t.server_n, p.due_at, t.sample_at, t.sample_online, t.sample_players, t.sample_pause, t.failures,
    t.failing_since, t.form, t.icon_hash, t.motd_hash, t.pictured_at, t.note,
    s.is_tracked, s.slug, s.ip, s.port, s.edition, s.query_port, s.visibility, s.is_online, s.country,
    s.operator_trust, t.address, t.suspected_at, t.unconfirmed_polls, s.tps, r.tps_at, r.listed_at,
    s.icon, s.motd_image, s.version, t.peak, t.peak_told, t.peak_told_at, t.pending_complete || '/' || t.pending, t.present";

/// When the oldest of the due polls should have begun; `None` if none is due.
pub fn oldest_due(conn: &mut Conn, now: i64) -> Result<Option<i64>> {
    conn.query_one("select min(due_at) from poll_schedule where due_at <= $1", values![now], |row| row.get(0))
}

/// Claims up to `limit` due polls for the caller. `next` returns when a server is due again, from its number and the time since
/// which it has failed.
pub fn claim(
    conn: &mut Conn,
    now: i64,
    limit: i64,
    next: impl Fn(i64, Option<i64>) -> i64,
) -> Result<Vec<ClaimedPoll>> {
    // Skips the polls that another tracker is claiming.
    let lock = if conn.is_postgres() { " for update of p skip locked" } else { "" };
    let due = conn.query(
        &format!(
            "select p.server_n, t.failing_since from poll_schedule p join tracking t on t.server_n = p.server_n
             where p.due_at <= $1 order by p.due_at limit $2{lock}"
        ),
        values![now, limit],
        |row| (row.get::<i64>(0), row.get::<Option<i64>>(1)),
    )?;
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let moved: Vec<(i64, i64)> = due.iter().map(|(n, since)| (*n, next(*n, *since))).collect();
    set_due_at(conn, &moved)?;
    let numbers: Vec<i64> = due.iter().map(|(n, _)| *n).collect();
    let (mut claimed, mut deleted, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let sql = format!(
        "select {COLUMNS} from tracking t join poll_schedule p on p.server_n = t.server_n left join servers s on s.n = t.server_n
         left join server_reports r on r.server_n = t.server_n where t.server_n in ({})",
        placeholders(numbers.len())
    );
    conn.for_each(&sql, &pad_values(&numbers), |row| {
        let due = read(row);
        if due.server_n == ALL_SERVERS || due.server.is_some() {
            claimed.push(due);
        } else {
            deleted.push(due.server_n);
            // The server is gone, or it is not tracked any more and keeps its samples.
            if row.get::<Option<bool>>(13).is_some() {
                kept.push(due.server_n);
            }
        }
    })?;
    // Read again with a lock: an export may write the same samples now.
    let pending = pending_samples::lock(conn, &kept)?;
    samples::insert_pending(conn, pending.iter().map(|(n, pending)| (*n, pending)))?;
    for server_n in deleted {
        conn.execute("delete from tracking where server_n = $1", values![server_n])?;
    }
    Ok(claimed)
}

fn read(row: &Row) -> ClaimedPoll {
    let tracked = row.get::<Option<bool>>(13) == Some(true);
    ClaimedPoll {
        server_n: row.get(0),
        next_due: row.get(1),
        sample_at: row.get(2),
        sample_online: row.get(3),
        sample_players: row.get(4),
        sample_pause: row.get(5),
        failures: row.get(6),
        failing_since: row.get(7),
        form: row.get(8),
        icon_hash: row.get(9),
        motd_hash: row.get(10),
        pictured_at: row.get(11),
        note: row.get(12),
        server: tracked.then(|| PollTarget {
            slug: row.get(14),
            host: row.get(15),
            port: row.get(16),
            edition: row.get(17),
            query_port: row.get(18),
            visibility: Visibility::parse(&row.get::<String>(19)).unwrap_or(Visibility::Hidden),
            is_online: row.get(20),
            country: row.get(21),
            operator_trust: row.get::<Option<String>>(22).as_deref().and_then(SourceTrust::parse),
            tps: row.get(26),
            tps_at: row.get::<Option<i64>>(27).unwrap_or(0),
            listed_at: row.get::<Option<i64>>(28).unwrap_or(0),
            icon: row.get(29),
            motd_image: row.get(30),
            version: row.get(31),
        }),
        address: row.get(23),
        suspected_at: row.get(24),
        unconfirmed_polls: row.get(25),
        peak: row.get::<Option<i64>>(32).map(|players| PlayerPeak { players, told: row.get(33), told_at: row.get(34) }),
        present: server_presence::decode(&row.get::<String>(36)),
        pending: PendingSamples::decode(&row.get::<String>(35)),
    }
}

/// The polls whose results may still be saved, by server and `next_due`, each with what waits of its server: not claimed again
/// since, and not saved before. Locks their schedule until the transaction ends.
pub fn still_claimed(conn: &mut Conn, polls: &[&ClaimedPoll]) -> Result<HashMap<(i64, i64), PendingSamples>> {
    if polls.is_empty() {
        return Ok(HashMap::new());
    }
    let numbers: Vec<i64> = polls.iter().map(|due| due.server_n).collect();
    // The lock of `rev` keeps other results out.
    let lock = if conn.is_postgres() { " order by p.server_n for update of p" } else { "" };
    let sql = format!(
        "select t.server_n, p.due_at, t.sample_at, t.failures, {} from tracking t join poll_schedule p on p.server_n = t.server_n
         where t.server_n in ({}){lock}",
        pending_samples::TEXT,
        placeholders(numbers.len())
    );
    // One batch may hold two polls of a server, if the clock has jumped.
    let claims: HashMap<(i64, i64), (Option<i64>, i64)> =
        polls.iter().map(|due| ((due.server_n, due.next_due), (due.sample_at, due.failures))).collect();
    let rows = conn.query(&sql, &pad_values(&numbers), |row| {
        let claim = (row.get(0), row.get(1));
        let is_open = claims.get(&claim) == Some(&(row.get(2), row.get(3)));
        is_open.then(|| (claim, PendingSamples::decode(&row.get::<String>(4))))
    })?;
    Ok(rows.into_iter().flatten().collect())
}

/// Sets when servers are due: `(server_n, due_at)`.
pub fn set_due_at(conn: &mut Conn, due: &[(i64, i64)]) -> Result<()> {
    let rows: Vec<Vec<Value>> = due.iter().map(|(n, due_at)| values![*n, *due_at].to_vec()).collect();
    conn.execute_many(
        "update poll_schedule set due_at = v.column2 from (values {rows}) v where poll_schedule.server_n = v.column1",
        &["bigint", "bigint"],
        &rows,
    )
}

/// Saves the state after a poll, except when the next one is due: [`claim`] has set that.
pub fn save(conn: &mut Conn, polls: Vec<ClaimedPoll>) -> Result<()> {
    let rows: Vec<Vec<Value>> = polls
        .into_iter()
        .map(|due| {
            let [complete, open] = due.pending.encode();
            values![
                due.server_n,
                due.sample_at,
                due.sample_online,
                due.sample_players,
                due.sample_pause,
                due.failures,
                due.failing_since,
                &due.form,
                &due.icon_hash,
                &due.motd_hash,
                due.pictured_at,
                &due.note,
                &due.address,
                due.unconfirmed_polls,
                server_presence::encode(&due.present),
                due.peak.map(|peak| peak.players),
                due.peak.map(|peak| peak.told),
                due.peak.map(|peak| peak.told_at),
                open,
                complete,
            ]
            .to_vec()
        })
        .collect();
    conn.execute_many(
        "update tracking set sample_at = v.column2, sample_online = v.column3, sample_players = v.column4,
                sample_pause = v.column5, failures = v.column6, failing_since = v.column7, form = v.column8,
                icon_hash = v.column9, motd_hash = v.column10, pictured_at = v.column11, note = v.column12,
                address = v.column13, unconfirmed_polls = v.column14, present = v.column15, peak = v.column16,
                peak_told = v.column17, peak_told_at = v.column18, pending = v.column19, pending_complete = v.column20
         from (values {rows}) v where tracking.server_n = v.column1",
        &[
            "bigint", "bigint", "boolean", "bigint", "bigint", "bigint", "bigint", "text", "text", "text", "bigint",
            "text", "text", "bigint", "text", "bigint", "bigint", "bigint", "text", "text",
        ],
        &rows,
    )
}

/// Values rejected as implausible in a server's last status.
pub fn note(conn: &mut Conn, server_n: i64) -> Result<String> {
    let note =
        conn.query_optional("select note from tracking where server_n = $1", values![server_n], |row| row.get(0))?;
    Ok(note.unwrap_or_default())
}

/// Records the evidence that a poll found against a server.
pub fn suspect(conn: &mut Conn, server_n: i64, at: i64, evidence: &str) -> Result<()> {
    conn.execute(
        "update tracking set suspected_at = $1, suspicion = $2 where server_n = $3",
        values![at, evidence, server_n],
    )?;
    Ok(())
}

/// Forgets the evidence against a server.
pub fn clear_suspicion(conn: &mut Conn, server_n: i64) -> Result<()> {
    let sql = "update tracking set suspected_at = null, suspicion = '' where server_n = $1";
    conn.execute(sql, values![server_n])?;
    Ok(())
}
