//! `GET /servers/{slug}/outages`

use rollcall_model::time::{DAY, MINUTE, iso};
use rollcall_store::values;
use serde_json::{Value, json};

use super::expected::items;
use super::fixture::{insert, named};
use crate::harness::{Engine, NOW, Server, both};

#[test]
fn outages_are_read_page_by_page() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Shaky")]);
        let conn = &mut server.store.conn();
        let mut expected = Vec::new();
        for i in 0..7 {
            let (began, ended) = (NOW - i * DAY - 9 * MINUTE, (i > 0).then_some(NOW - i * DAY));
            let sql = "insert into outages (server_n, began_at, ended_at, reason)
                       values ((select n from servers), $1, $2, $3)";
            conn.execute(sql, values![began, ended, "timed out"]).unwrap();
            expected.push(json!({
                "startedAt": iso(began), "endedAt": ended.map(iso), "duration": 540, "reason": "timed out",
            }));
        }
        let (mut found, mut after) = (Vec::new(), "start".to_owned());
        loop {
            let path = format!("/servers/server-0/outages?limit=3&after={after}");
            let data = server.run(server.get(&path)).data();
            found.extend_from_slice(items(&data["outages"]));
            match data["next"].as_str() {
                Some(next) => after = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(Value::from(found), Value::from(expected));
    }
}

#[tokio::test]
async fn a_wrong_cursor_is_refused() {
    assert_eq!(both("/servers/no-such-server/outages").await.status, 404);
    let error = both("/servers/x/outages?after=%22").await.error();
    assert_eq!(error, "after must be start, or `next` of a response with the same parameters, not \"\"\"");
}
