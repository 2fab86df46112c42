//! When keys had used 80 % or all of their quota of a day or a month: one row for each window and share.

use super::{Conn, Result, Row};
use crate::values;
use rollcall_model::quota::{AlertSpan, QuotaAlert};

pub(crate) fn record(conn: &mut Conn, key_n: i64, alerts: &[QuotaAlert]) -> Result<()> {
    for alert in alerts {
        conn.execute(
            "insert into quota_alerts (key_n, span, window_start, percent, at) values ($1, $2, $3, $4, $5)
             on conflict (key_n, span, window_start, percent) do nothing",
            values![key_n, alert.span.name(), alert.window_start, i64::from(alert.percent), alert.at],
        )?;
    }
    Ok(())
}

/// The alerts of a key in windows that began at `since` or later, oldest first.
pub fn of_key(conn: &mut Conn, key_n: i64, since: i64) -> Result<Vec<QuotaAlert>> {
    conn.query(
        "select span, window_start, percent, at from quota_alerts where key_n = $1 and window_start >= $2
         order by at, percent, span",
        values![key_n, since],
        |row| read(row, 0),
    )
}

fn read(row: &Row, first: usize) -> QuotaAlert {
    QuotaAlert {
        span: if row.get::<String>(first) == AlertSpan::Day.name() { AlertSpan::Day } else { AlertSpan::Month },
        window_start: row.get(first + 1),
        percent: u32::try_from(row.get::<i64>(first + 2)).unwrap_or(0),
        at: row.get(first + 3),
    }
}

/// An alert and its key.
pub struct KeyQuotaAlert {
    pub key_n: i64,
    pub alert: QuotaAlert,
}

/// The alerts of all keys that were noticed at `since` or later, oldest first.
pub fn since(conn: &mut Conn, since: i64) -> Result<Vec<KeyQuotaAlert>> {
    let sql =
        "select key_n, span, window_start, percent, at from quota_alerts where at >= $1 order by at, key_n, percent";
    conn.query(sql, values![since], |row| KeyQuotaAlert { key_n: row.get(0), alert: read(row, 1) })
}
