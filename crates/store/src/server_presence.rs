//! The current players of a server, according to its last reply or report.

use super::report_validity::LIST_LASTS;
use super::{Conn, Result, pad_values, placeholders};
use crate::values;

pub struct PresentPlayer {
    pub game_uuid: String,
    pub nickname: String,
}

/// Players that are stored for a server; a reply may list thousands.
pub(crate) const MAX_PRESENT: usize = 60;

/// The players of the last report, or of the last reply if the server sends none, by nickname.
pub fn players(conn: &mut Conn, server_n: i64, now: i64) -> Result<Vec<PresentPlayer>> {
    let numbers = numbers(conn, server_n, now)?;
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "select game_uuid, nickname from players where n in ({}) order by nickname_key, n",
        placeholders(numbers.len())
    );
    conn.query(&sql, &pad_values(&numbers), |row| PresentPlayer { game_uuid: row.get(0), nickname: row.get(1) })
}

/// Their row numbers, at most [`MAX_PRESENT`].
pub fn numbers(conn: &mut Conn, server_n: i64, now: i64) -> Result<Vec<i64>> {
    let sql = "select coalesce(r.present, t.present) from tracking t
               left join server_reports r on r.server_n = t.server_n and r.listed_at > $2
               where t.server_n = $1 and t.sample_online";
    let since = now - LIST_LASTS;
    let present: Option<String> = conn.query_optional(sql, values![server_n, since], |row| row.get(0))?;
    Ok(decode(&present.unwrap_or_default()))
}

/// Numbers separated by commas: one small column instead of a table with a row per player and poll.
pub(crate) fn encode(players: &[i64]) -> String {
    let numbers: Vec<String> = players.iter().take(MAX_PRESENT).map(i64::to_string).collect();
    numbers.join(",")
}

pub(crate) fn decode(present: &str) -> Vec<i64> {
    present.split(',').filter_map(|number| number.parse().ok()).take(MAX_PRESENT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive() {
        assert_eq!(decode(&encode(&[3, 1, 2])), [3, 1, 2]);
        assert!(decode("").is_empty());
        assert_eq!(decode(&encode(&[7; 100])).len(), MAX_PRESENT);
    }
}
