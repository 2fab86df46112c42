//! `/link CODE` in a report: a game server vouches for who plays there.

use reqwest::Method;
use rollcall_model::time::{MINUTE, SECOND};
use serde_json::{Value, json};

use super::TrackerFixture;
use super::players::{JEB, NOTCH};
use crate::harness::{Browser, Engine, TestResponse};
use crate::linking::{enter, join_code, link};

/// The code that the page shows.
async fn new_code(browser: &mut Browser<'_>) -> String {
    browser.get("/dashboard/player").await;
    let page = browser.send("/dashboard/player/code", &[]).await;
    assert_eq!(page.status, 200, "{}", page.notice());
    page.secret().strip_prefix("/link ").expect("a command").to_owned()
}

fn notes(response: &TestResponse) -> Value {
    assert_eq!(response.status, 200, "{}", response.html());
    response.data()["notes"].clone()
}

fn entered(code: &str, players: &[(&str, &str)], who: (&str, &str)) -> Value {
    let listed: Vec<Value> = players.iter().map(|(name, uuid)| json!({"name": name, "uuid": uuid})).collect();
    json!({"players": listed, "links": [{"code": code, "name": who.0, "uuid": who.1}]})
}

const BOTH: [(&str, &str); 2] = [("Notch", NOTCH), ("jeb_", JEB)];

#[test]
fn a_server_vouches_for_a_player_it_lists() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        let code = fixture.server.run(async {
            let mut ada = Browser::signed_up(&fixture.server, "ada-vouched").await;
            new_code(&mut ada).await
        });
        // Only players of the same report count.
        let absent = fixture.report(&token, &entered(&code, &BOTH[1..], BOTH[0]));
        assert_eq!(notes(&absent), json!(["link 1: the player is not among the counted players of this report"]));
        fixture.advance(10 * SECOND);
        let wrong = fixture.report(&token, &entered("ABCD2345", &BOTH, BOTH[0]));
        assert_eq!(notes(&wrong), json!(["link 1: the code is unknown, used or expired"]));
        fixture.advance(10 * SECOND);
        let linked = fixture.report(&token, &entered(&code.to_lowercase(), &BOTH, BOTH[0]));
        assert_eq!(notes(&linked), json!(["link 1: the player is linked"]));
        fixture.advance(10 * SECOND);
        let again = fixture.report(&token, &entered(&code, &BOTH, BOTH[1]));
        assert_eq!(notes(&again), json!(["link 1: the code is unknown, used or expired"]));
        fixture.server.run(async {
            let mut ada = Browser::signed_in(&fixture.server, "ada-vouched").await;
            let page = ada.get("/dashboard/player").await.html();
            assert!(page.contains("Vouched by Alpha") && page.contains("<bdi>Notch</bdi>"), "{page}");
            assert!(ada.get("/dashboard/log").await.html().contains("player linked by a report"));
            let public = fixture.server.raw(Method::GET, "/players/Notch", &[]).await.html();
            assert!(public.contains("vouched by <a href=\"/servers/alpha\"><bdi>Alpha</bdi></a>"), "{public}");
            // A server's word is not enough for what cannot be undone.
            let fields = [("password", crate::harness::PASSWORD), ("sure", "yes")];
            let refused = ada.send("/dashboard/player/erase", &fields).await;
            assert_eq!(refused.status, 409);
        });
        fixture.until("/players/Notch", |data| data["player"]["gameUuid"] == NOTCH);
    }
}

#[test]
fn codes_for_the_game_expire() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        let code = fixture.server.run(async {
            let mut ada = Browser::signed_up(&fixture.server, "ada-late").await;
            new_code(&mut ada).await
        });
        fixture.advance(5 * MINUTE);
        let late = fixture.report(&token, &entered(&code, &BOTH, BOTH[0]));
        assert_eq!(notes(&late), json!(["link 1: the code is unknown, used or expired"]));
        fixture.advance(10 * SECOND);
        let many: Vec<Value> = (0..30).map(|_| json!({"code": "ABCD2345", "name": "Notch", "uuid": NOTCH})).collect();
        let bad = json!({"code": "0000", "name": "Notch", "uuid": NOTCH});
        let links = [many, vec![bad, json!({})]].concat();
        let report = json!({"players": [], "links": links});
        let notes = notes(&fixture.report(&token, &report));
        let notes = notes.as_array().expect("notes");
        assert_eq!(notes[0], "1 entry is not a player: players need a valid name and a UUID");
        assert_eq!(notes[1], "1 of the links have no valid code");
        assert_eq!(notes[2], "only the first 20 of 30 links are counted");
        assert_eq!(notes.len(), 23);
    }
}

#[test]
fn joining_beats_a_server_s_word_and_never_the_other_way_round() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        let code = fixture.server.run(async {
            let mut ada = Browser::signed_up(&fixture.server, "ada-claims").await;
            let mut eve = Browser::signed_up(&fixture.server, "eve-claims").await;
            link(&mut ada, JEB, "jeb_").await;
            new_code(&mut eve).await
        });
        // Joined: a report does not take the player away.
        let refused = fixture.report(&token, &entered(&code, &BOTH, BOTH[1]));
        assert_eq!(notes(&refused), json!(["link 1: the player is linked with an account already"]));
        fixture.advance(10 * SECOND);
        let linked = fixture.report(&token, &entered(&code, &BOTH, BOTH[0]));
        assert_eq!(notes(&linked), json!(["link 1: the player is linked"]));
        fixture.server.run(async {
            // The real owner joins.
            let mut bob = Browser::signed_up(&fixture.server, "bob-owns").await;
            let code = join_code(&fixture.server.store, NOTCH, "Notch", fixture.server.clock.now());
            assert_eq!(enter(&mut bob, &code).await.status, 303);
            let mut eve = Browser::signed_in(&fixture.server, "eve-claims").await;
            assert!(!eve.get("/dashboard/player").await.html().contains("Linked player"));
            assert!(eve.get("/dashboard/log").await.html().contains("another account proved to own it"));
            assert!(bob.get("/dashboard/player").await.html().contains("Proved by joining"));
        });
    }
}

#[test]
fn a_vouched_link_becomes_a_proved_one_by_joining() {
    for engine in Engine::BOTH {
        let mut fixture = TrackerFixture::new(engine);
        let token = fixture.reporter(2);
        let code = fixture.server.run(async {
            let mut ada = Browser::signed_up(&fixture.server, "ada-proves").await;
            new_code(&mut ada).await
        });
        let linked = fixture.report(&token, &entered(&code, &BOTH, BOTH[0]));
        assert_eq!(notes(&linked), json!(["link 1: the player is linked"]));
        fixture.server.run(async {
            let mut ada = Browser::signed_in(&fixture.server, "ada-proves").await;
            link(&mut ada, NOTCH, "Notch").await;
            assert!(ada.get("/dashboard/player").await.html().contains("Proved by joining"));
        });
    }
}
