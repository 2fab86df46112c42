//! Recent activity on all public servers.

use super::{Conn, Result};
use crate::values;
use rollcall_model::resources::{Activity, Timestamp};

/// A query for one kind of activity: actor, server name and time.
struct ActivitySource {
    kind: &'static str,
    sql: &'static str,
}

const SOURCES: [ActivitySource; 3] = [
    ActivitySource {
        kind: "vote",
        sql: "select x.game_username, s.name, x.voted_at, s.slug from votes x
              join servers s on s.n = x.server_n where s.visibility = 'PUBLIC' order by x.voted_at desc, x.id limit $1",
    },
    ActivitySource {
        kind: "review",
        sql: "select x.game_username, s.name, x.created_at, s.slug from reviews x
              join servers s on s.n = x.server_n where s.visibility = 'PUBLIC' order by x.created_at desc, x.id limit $1",
    },
    ActivitySource {
        kind: "update",
        sql: "select a.username, s.name, x.created_at, s.slug from update_posts x join accounts a on a.n = x.account_n
              join servers s on s.n = x.server_n where s.visibility = 'PUBLIC' and x.status = 'APPROVED'
              order by x.created_at desc, x.id limit $1",
    },
];

/// The latest votes, reviews and posts, newest first.
pub fn recent(conn: &mut Conn, limit: usize) -> Result<Vec<Activity>> {
    let mut all = Vec::new();
    for source in SOURCES {
        all.extend(conn.query(source.sql, values![limit as i64], |row| Activity {
            r#type: source.kind,
            actor: row.get(0),
            target: row.get(1),
            time: Timestamp(row.get(2)),
            slug: row.get(3),
        })?);
    }
    all.sort_by(|a, b| b.time.0.cmp(&a.time.0).then_with(|| a.actor.cmp(&b.actor)));
    all.truncate(limit);
    Ok(all)
}
