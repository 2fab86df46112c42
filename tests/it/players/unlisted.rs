//! Activity on unlisted servers is not shown.

use std::collections::HashSet;

use rollcall_store::Conn;
use rollcall_store::values;

use crate::harness::{Engine, shared};

/// Ids of the players with rows of this table on unlisted servers.
fn players_on_unlisted(conn: &mut Conn, table: &str) -> rollcall_store::Result<Vec<String>> {
    conn.query(
        &format!(
            "select distinct p.id from {table} x join players p on p.n = x.player_n join servers s on s.n = x.server_n
             where s.visibility <> 'PUBLIC'"
        ),
        &[],
        |row| row.get(0),
    )
}

#[tokio::test]
async fn no_profile_mentions_unlisted_servers() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let (hidden, players) = server.store.change(|conn| {
            let sql = "select id, slug, name from servers where visibility <> 'PUBLIC'";
            let hidden = conn.query(sql, &[], |row| [row.get(0), row.get(1), row.get(2)])?;
            let mut players = HashSet::new();
            for table in ["sessions", "player_stats", "votes", "reviews"] {
                let found = players_on_unlisted(conn, table)?;
                assert!(!found.is_empty() || table == "reviews", "the test world has no hidden {table}");
                players.extend(found);
            }
            Ok((hidden, players))
        });
        let hidden: Vec<String> = hidden.into_iter().flatten().map(|word: String| format!("\"{word}\"")).collect();
        for id in players {
            let response = server.get(&format!("/players/{id}")).await;
            let text = String::from_utf8(response.body.clone()).unwrap();
            assert!(!hidden.iter().any(|word| text.contains(word)), "{text}");
            let public: i64 = server.store.change(|conn| {
                let sql = "select count(*) from sessions x join players p on p.n = x.player_n
                           join servers s on s.n = x.server_n where p.id = $1 and s.visibility = 'PUBLIC'";
                conn.query_one(sql, values![&id], |row| row.get(0))
            });
            assert_eq!(response.data()["player"]["sessionCount"], public);
        }
    }
}
