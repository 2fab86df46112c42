//! The search for servers that changed after a revision. Every node runs it five times a second, so it must not read
//! all servers.

use super::revision::order_by;
use super::servers::{self, GROUP_SIZE, ServerRow, ServerSelection};
use super::{Conn, Result};
use crate::values;

/// The servers changed after `rev`, hidden ones included: the catalogue removes those.
pub fn load(conn: &mut Conn, rev: i64) -> Result<Vec<ServerRow>> {
    let (servers, tags) = conditions();
    servers::rows(conn, &ServerSelection { servers: &servers, tags: &tags }, values![rev], &order_by(rev, "s.n"))
}

/// The numbers of the servers deleted after a revision.
pub fn load_removed(conn: &mut Conn, rev: i64) -> Result<Vec<i64>> {
    conn.query("select server_n from server_removals where rev > $1", values![rev], |row| row.get(0))
}

/// The conditions that select changed servers and their tags. With a plain `union` SQLite sorts both sides and reads
/// all servers.
fn conditions() -> (String, String) {
    let changed = format!(
        "select n from servers where rev > $1
         union all select x.n from server_groups g
               join servers x on x.n >= g.group_n * {GROUP_SIZE} and x.n < g.group_n * {GROUP_SIZE} + {GROUP_SIZE}
               where g.status_rev > $1 and x.status_rev > $1"
    );
    (format!("s.n in ({changed})"), format!("where t.server_n in ({changed}) order by t.position"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_found_without_reading_all_servers() {
        let mut conn = Conn::in_memory().unwrap();
        crate::migrate(&mut conn).unwrap();
        let (servers, tags) = conditions();
        for sql in
            [format!("select s.n from servers s where {servers}"), format!("select t.tag from server_tags t {tags}")]
        {
            let plan: Vec<String> =
                conn.query(&format!("explain query plan {sql}"), values![1], |row| row.get(3)).unwrap();
            let scans: Vec<&String> = plan.iter().filter(|step| step.starts_with("SCAN")).collect();
            assert_eq!(scans, ["SCAN g"], "{plan:#?}");
        }
    }
}
