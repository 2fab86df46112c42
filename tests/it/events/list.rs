//! `GET /events`

use rollcall_model::event::{EventKind, RETENTION, id, parse_id};
use rollcall_model::time::HOUR;
use rollcall_store::events::{self, NewEvent};
use rollcall_store::{revision, values};
use serde_json::{Value, json};

use crate::harness::{Browser, Engine, NOW, Server};

#[tokio::test]
async fn bad_parameters_are_refused() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let old = id(events::first_kept(NOW) - 1);
        let future = id(rollcall_model::event::first_number(NOW + 2 * HOUR));
        for (query, message) in [
            (
                "after=abc".to_owned(),
                "after must be start, the id of an event or the next of an earlier call, not \"abc\"".to_owned(),
            ),
            (
                format!("after={future}"),
                format!("after must be start, the id of an event or the next of an earlier call, not \"{future}\""),
            ),
            (
                format!("after={old}"),
                "after is too old: events are kept for 30 days. Leave it out to begin with the newest events"
                    .to_owned(),
            ),
            ("server=none".to_owned(), "server must be the slug of a public server, not \"none\"".to_owned()),
            (
                "player=nobody-here".to_owned(),
                "player must be the id, UUID or nickname of a known player, not \"nobody-here\"".to_owned(),
            ),
        ] {
            let response = server.get(&format!("/events?{query}")).await;
            assert_eq!((response.status, response.error()), (400, message), "{engine:?}");
        }
        let wrong = server.get("/events?type=vote.created,vote").await;
        assert!(wrong.error().starts_with("type must be one or more of server.online, "), "{}", wrong.error());
        assert!(wrong.error().ends_with("not \"vote\""), "{}", wrong.error());
    }
}

/// Votes for the first server, as a visitor does; its slug.
async fn vote(server: &Server, nickname: &str) -> String {
    let list = server.get("/servers?sort=name&limit=1").await.data();
    let slug = list["servers"][0]["slug"].as_str().unwrap().to_owned();
    let path = format!("/servers/{slug}/vote");
    let mut visitor = Browser::signed_up(server, "event-voter").await;
    visitor.get(&path).await;
    let voted = visitor.send(&path, &[("nickname", nickname)]).await;
    assert_eq!(voted.redirect_target(), format!("{path}?done=voted"));
    slug
}

#[tokio::test]
async fn a_vote_is_one_event_for_thirty_days() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let before = server.get("/events").await.data();
        let slug = vote(&server, "Event_Voter").await;
        let path = format!("/events?after={}", before["next"].as_str().unwrap());
        let page = server.until(&path, |page| page.data()["events"].as_array().unwrap().len() == 1).await.data();
        let event = &page["events"][0];
        assert_eq!((&event["type"], &event["server"]["slug"]), (&json!("vote.created"), &json!(slug)), "{engine:?}");
        // The list follows the store a moment later.
        let voters = format!("/servers/{slug}/voters?limit=100");
        let is_told = |voter: &Value| event["data"] == json!({"voteId": voter["id"]});
        server.until(&voters, |page| page.data()["voters"].as_array().unwrap().iter().any(is_told)).await;
        // The id is the cursor after the event.
        let after = format!("/events?after={}", event["id"].as_str().unwrap());
        assert_eq!(server.get(&after).await.data()["events"], json!([]));
        let n = parse_id(event["id"].as_str().unwrap()).unwrap();
        let stored = |server: &Server| -> i64 {
            let sql = "select count(*) from events where n = $1";
            server.store.change(|conn| conn.query_one(sql, values![n], |row| row.get(0)))
        };
        server.store.change(|conn| events::delete_expired(conn, NOW + RETENTION));
        assert_eq!(stored(&server), 1, "{engine:?}");
        server.clock.set(NOW + RETENTION + 1);
        server.until("/events?type=vote.created", |page| page.data()["events"] == json!([])).await;
        server.store.change(|conn| events::delete_expired(conn, NOW + RETENTION + 1));
        assert_eq!(stored(&server), 0, "{engine:?}");
    }
}

fn ids(page: &Value) -> Vec<String> {
    let events = page["events"].as_array().expect("a list");
    events.iter().map(|event| event["id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test]
async fn pages_skip_many_events_of_hidden_servers() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let list = server.get("/servers?sort=name&limit=1").await.data();
        let slug = list["servers"][0]["slug"].as_str().unwrap();
        let before = server.get("/events").await.data();
        server.store.change(|conn| {
            conn.transaction(|conn| {
                let rev = revision::bump(conn)?;
                let sql = "select n from servers where slug = $1";
                let hidden: i64 = conn.query_one(sql, values![slug], |row| row.get(0))?;
                let sql = "select min(n) from servers where visibility = 'PUBLIC' and n <> $1";
                let shown: i64 = conn.query_one(sql, values![hidden], |row| row.get(0))?;
                for (server_n, count) in [(shown, 3), (hidden, 1_500), (shown, 3), (hidden, 5)] {
                    let event = NewEvent::of_server(EventKind::ServerOnline, NOW, server_n);
                    events::write(conn, &vec![event; count])?;
                }
                conn.execute("update servers set visibility = 'UNLISTED', rev = $1 where n = $2", values![rev, hidden])
            })
        });
        server.until(&format!("/events?server={slug}"), |response| response.status == 400).await;
        let (mut seen, mut next, mut sizes) = (Vec::new(), before["next"].as_str().unwrap().to_owned(), Vec::new());
        while sizes.last() != Some(&0) {
            let page = server.get(&format!("/events?limit=4&after={next}")).await.data();
            next = page["next"].as_str().unwrap().to_owned();
            seen.extend(ids(&page));
            sizes.push(ids(&page).len());
        }
        assert_eq!((sizes, seen.is_sorted()), (vec![4, 2, 0], true), "{engine:?}");
        for limit in [2, 4] {
            let newest = server.get(&format!("/events?limit={limit}")).await.data();
            assert_eq!(ids(&newest), seen[6 - limit..], "{engine:?}");
            assert!(newest["next"].as_str() > seen.last().map(String::as_str));
        }
    }
}
