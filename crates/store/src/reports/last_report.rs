//! The last report of each server, which a new one is compared with.

use std::collections::HashMap;

use super::Report;
use crate::{Conn, Result, Row, Value, pad_values, placeholders, server_presence, servers, values};
use rollcall_model::trust::SourceTrust;

/// Ids that are remembered. At the highest rate they cover ten minutes.
const MAX_IDS: usize = 64;

/// The last report of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LastReport {
    /// When the last report was accepted, and the last one with a player list or ticks per second; 0: none yet.
    pub received_at: i64,
    pub listed_at: i64,
    pub tps_at: i64,
    pub format: String,
    pub software: String,
    pub mspt: Option<f64>,
    /// The players of the last list.
    pub listed: i64,
    /// Values of the last report that were not counted.
    pub notes: String,
    pub refused_at: Option<i64>,
    pub refusal: String,
}

/// A server that sends a report.
pub(super) struct SenderState {
    pub n: i64,
    pub host: String,
    pub address: String,
    pub is_public: bool,
    pub is_archived: bool,
    pub is_online: bool,
    /// Result of the last ping.
    pub players: i64,
    pub tps: Option<f64>,
    pub operator_trust: Option<SourceTrust>,
    pub suspected_at: Option<i64>,
    pub last: LastReport,
    /// The known players of the last list.
    pub present: Vec<i64>,
    recent_ids: Vec<String>,
    pub is_changed: bool,
}

impl SenderState {
    pub fn knows(&self, id: &str) -> bool {
        self.recent_ids.iter().any(|known| known == id)
    }

    pub fn trust(&self, now: i64) -> SourceTrust {
        SourceTrust::effective(self.operator_trust, self.suspected_at, now)
    }

    pub fn accept(&mut self, report: &Report) {
        self.is_changed = true;
        self.last.received_at = report.at;
        report.format.clone_into(&mut self.last.format);
        if !report.software.is_empty() {
            self.last.software.clone_from(&report.software);
        }
        if report.tps.is_some() || report.mspt.is_some() {
            self.last.tps_at = report.at;
            self.last.mspt = report.mspt;
        }
        if let Some(players) = &report.players {
            self.present.clear();
            self.last.listed_at = report.at;
            self.last.listed = players.len() as i64;
        }
        if let Some(id) = &report.id {
            self.recent_ids.insert(0, id.clone());
            self.recent_ids.truncate(MAX_IDS);
        }
    }
}

const COLUMNS: &str =
    "r.received_at, r.listed_at, r.tps_at, r.format, r.software, r.mspt, r.listed, r.notes, r.refused_at,
    r.refusal";

fn read(row: &Row, first: usize) -> LastReport {
    let Some(received_at) = row.get::<Option<i64>>(first) else { return LastReport::default() };
    LastReport {
        received_at,
        listed_at: row.get(first + 1),
        tps_at: row.get(first + 2),
        format: row.get(first + 3),
        software: row.get(first + 4),
        mspt: row.get(first + 5),
        listed: row.get(first + 6),
        notes: row.get(first + 7),
        refused_at: row.get(first + 8),
        refusal: row.get(first + 9),
    }
}

/// The last report of a server; `None` if it never sent one.
pub fn of_server(conn: &mut Conn, server_n: i64) -> Result<Option<LastReport>> {
    let sql = format!("select {COLUMNS} from server_reports r where r.server_n = $1");
    conn.query_optional(&sql, values![server_n], |row| read(row, 0))
}

pub(super) fn load(conn: &mut Conn, numbers: impl Iterator<Item = i64>) -> Result<HashMap<i64, SenderState>> {
    let mut numbers: Vec<i64> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut senders = HashMap::with_capacity(numbers.len());
    if numbers.is_empty() {
        return Ok(senders);
    }
    let sql = format!(
        "select s.n, s.ip, coalesce(t.address, ''), s.visibility, s.is_online, s.current_players, s.tps, s.operator_trust,
                t.suspected_at, coalesce(r.recent_ids, ''), coalesce(r.present, ''), l.archived_at is not null,
                {COLUMNS}
         from servers s left join tracking t on t.server_n = s.n left join server_reports r on r.server_n = s.n
              left join listings l on l.server_n = s.n
         where s.n in ({})",
        placeholders(numbers.len())
    );
    conn.for_each(&sql, &pad_values(&numbers), |row| {
        let ids: String = row.get(9);
        let sender = SenderState {
            n: row.get(0),
            host: row.get(1),
            address: row.get(2),
            is_public: row.get::<String>(3) == servers::PUBLIC,
            is_archived: row.get(11),
            is_online: row.get(4),
            players: row.get(5),
            tps: row.get(6),
            operator_trust: row.get::<Option<String>>(7).as_deref().and_then(SourceTrust::parse),
            suspected_at: row.get(8),
            last: read(row, 12),
            present: server_presence::decode(&row.get::<String>(10)),
            recent_ids: ids.split_whitespace().map(str::to_owned).collect(),
            is_changed: false,
        };
        senders.insert(sender.n, sender);
    })?;
    Ok(senders)
}

pub(super) fn save<'s>(conn: &mut Conn, senders: impl Iterator<Item = &'s SenderState>) -> Result<()> {
    let rows: Vec<Vec<Value>> = senders
        .map(|sender| {
            let last = &sender.last;
            values![
                sender.n,
                last.received_at,
                last.listed_at,
                last.tps_at,
                &last.format,
                &last.software,
                last.mspt,
                last.listed,
                server_presence::encode(&sender.present),
                &last.notes,
                sender.recent_ids.join(" "),
            ]
            .to_vec()
        })
        .collect();
    conn.execute_many(
        "insert into server_reports (server_n, received_at, listed_at, tps_at, format, software, mspt, listed, present, notes,
                                     recent_ids, refusal)
         select v.column1, v.column2, v.column3, v.column4, v.column5, v.column6, v.column7, v.column8, v.column9, v.column10,
                v.column11, ''
         from (values {rows}) v where true
         on conflict (server_n) do update set received_at = excluded.received_at, listed_at = excluded.listed_at,
                tps_at = excluded.tps_at, format = excluded.format, software = excluded.software, mspt = excluded.mspt,
                listed = excluded.listed, present = excluded.present, notes = excluded.notes,
                recent_ids = excluded.recent_ids",
        &[
            "bigint", "bigint", "bigint", "bigint", "text", "text", "double precision", "bigint", "text", "text", "text",
        ],
        &rows,
    )
}

/// Remembers why a report of this server was refused, for its owner.
pub fn record_refusal(conn: &mut Conn, server_n: i64, at: i64, refusal: &str) -> Result<()> {
    conn.execute(
        "insert into server_reports (server_n, received_at, listed_at, tps_at, format, software, listed, present, notes,
                                     recent_ids, refused_at, refusal)
         select s.n, 0, 0, 0, '', '', 0, '', '', '', $2, $3 from servers s where s.n = $1
         on conflict (server_n) do update set refused_at = excluded.refused_at, refusal = excluded.refusal",
        values![server_n, at, refusal],
    )?;
    Ok(())
}
