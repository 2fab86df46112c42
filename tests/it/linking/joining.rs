//! Join-to-verify: from the game through the disconnect text and the form to the link.

use reqwest::Method;
use rollcall_model::time::MINUTE;

use super::joining_client::{GameAccount, join};
use super::{JEB, LinkingFixture, NOTCH, enter, join_code, link, node};
use crate::harness::{Browser, Engine, NOW, Server};

const NOTCH_ACCOUNT: GameAccount = GameAccount { name: "Notch", id: "069a79f444e94726a5befca90e38aaf5" };
const WRONG: &str = "The code is wrong, used or expired. Join again for a new one.";

/// The code in the text that a player sees.
fn code_in(text: &str) -> String {
    let code = text.strip_prefix("Your code: ").unwrap_or_else(|| panic!("{text}"));
    let (code, rest) = code.split_once('\n').expect("several lines");
    assert_eq!(rest, "\nEnter it within 5 minutes on\nhttps://rollcall.test/dashboard/player");
    assert!(code.len() == 8 && code.bytes().all(|b| b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789".contains(&b)), "{code}");
    code.to_owned()
}

#[test]
fn a_player_joins_and_is_linked_once() {
    for engine in Engine::BOTH {
        let fixture = LinkingFixture::new(engine);
        let text = fixture.server.run(join(fixture.listener(), &fixture.sessions, NOTCH_ACCOUNT));
        let code = code_in(&text);
        // The code survives a crash of the service.
        let fixture = fixture.restart();
        let server = &fixture.server;
        server.run(async {
            let mut ada = Browser::signed_up(server, "ada-links").await;
            let page = ada.get("/dashboard/player").await.html();
            assert!(page.contains("Link by joining") && !page.contains("Linked player"), "{page}");
            let address = format!("<code>{}</code>", fixture.listener());
            assert!(page.contains(&address), "the address to join is shown: {page}");
            // In any spelling.
            let entered = format!("{}-{}", &code[..4].to_lowercase(), &code[4..]);
            let linked = enter(&mut ada, &entered).await;
            assert_eq!(linked.redirect_target(), "/dashboard/player?done=player-linked");
            let page = ada.get("/dashboard/player?done=player-linked").await;
            assert_eq!(page.notice(), "Your account is linked with the player.");
            assert!(page.html().contains("Proved by joining") && page.html().contains("<bdi>Notch</bdi>"));
            // The player was unknown; the API has them now.
            let player = server.until("/players/Notch", |response| response.status == 200).await.data();
            assert_eq!(
                (player["player"]["gameUuid"].as_str(), &player["player"]["sessionCount"]),
                (Some(NOTCH), &0.into())
            );
            let public = server.raw(Method::GET, "/players/Notch", &[]).await;
            assert!(public.html().contains("Linked account"), "{}", public.html());
            assert!(ada.get("/dashboard/log").await.html().contains("player linked by joining"));
            // The code is used.
            let mut bob = Browser::signed_up(server, "bob-links").await;
            let again = enter(&mut bob, &code).await;
            assert_eq!((again.status, again.notice().as_str()), (422, WRONG));
            ada.get("/dashboard/player").await;
            let unlinked = ada.send("/dashboard/player/unlink", &[]).await;
            assert_eq!(unlinked.redirect_target(), "/dashboard/player?done=player-unlinked");
            assert!(!ada.get("/dashboard/player").await.html().contains("Linked player"));
            assert!(ada.get("/dashboard/log").await.html().contains("player unlinked"));
        });
    }
}

#[test]
fn wrong_and_expired_codes_are_refused_and_limited() {
    for engine in Engine::BOTH {
        let fixture = LinkingFixture::new(engine);
        let server = &fixture.server;
        server.run(async {
            let mut ada = Browser::signed_up(server, "ada-guesses").await;
            for wrong in ["", "ABCD", "OOOOOOOO", &"A".repeat(10_000)] {
                let malformed = enter(&mut ada, wrong).await;
                assert_eq!(malformed.status, 422);
                assert_eq!(malformed.notice(), "A code has 8 letters and digits, without 0, O, 1 and I.");
            }
            let code = join_code(&server.store, NOTCH, "Notch", NOW - 5 * MINUTE);
            assert_eq!(enter(&mut ada, &code).await.notice(), WRONG, "it has just expired");
            let replaced = join_code(&server.store, NOTCH, "Notch", NOW);
            let newest = join_code(&server.store, NOTCH, "Notch", NOW);
            assert_eq!(enter(&mut ada, &replaced).await.notice(), WRONG);
            for _ in 0..8 {
                assert_eq!(enter(&mut ada, "ABCD2345").await.status, 422);
            }
            let throttled = enter(&mut ada, &newest).await;
            assert_eq!((throttled.status, throttled.header("retry-after").is_some()), (429, true));
            assert_eq!(throttled.notice(), "Too many wrong codes. Try again in a few minutes.");
            // Another account is not affected, and a right code does not count as a try.
            let mut bob = Browser::signed_up(server, "bob-knows").await;
            assert_eq!(enter(&mut bob, &newest).await.status, 303);
        });
    }
}

#[test]
fn one_client_ip_cannot_guess_with_many_accounts() {
    let fixture = LinkingFixture::new(Engine::Sqlite);
    let server = &fixture.server;
    server.run(async {
        for account in 0..4 {
            let mut browser = Browser::signed_up(server, &format!("guesser-{account}")).await.at("203.0.113.5");
            for guess in 0..10 {
                let status = enter(&mut browser, "ABCD2345").await.status;
                assert_eq!(status, if account < 3 { 422 } else { 429 }, "account {account}, guess {guess}");
            }
        }
    });
}

#[test]
fn one_player_for_an_account_and_one_account_for_a_player() {
    for engine in Engine::BOTH {
        let fixture = LinkingFixture::new(engine);
        let server = &fixture.server;
        server.run(async {
            let mut ada = Browser::signed_up(server, "ada-one").await;
            let mut bob = Browser::signed_up(server, "bob-one").await;
            link(&mut ada, NOTCH, "Notch").await;
            let taken = enter(&mut bob, &join_code(&server.store, NOTCH, "Notch", NOW)).await;
            assert_eq!(taken.status, 409);
            assert!(taken.notice().starts_with("This player is linked with another account."), "{}", taken.notice());
            let second = join_code(&server.store, JEB, "jeb_", NOW);
            let other = enter(&mut ada, &second).await;
            assert_eq!(other.status, 409);
            assert!(other.notice().starts_with("Your account is linked with another player."), "{}", other.notice());
            // The code was not used up.
            assert_eq!(enter(&mut bob, &second).await.status, 303);
            // The session server knows the new name.
            ada.get("/dashboard/player").await;
            ada.send("/dashboard/player/unlink", &[]).await;
            link(&mut ada, NOTCH, "Renamed").await;
            let player = server.until("/players/Renamed", |response| response.status == 200).await.data();
            assert_eq!(player["player"]["nicknameHistory"], serde_json::json!(["Notch", "Renamed"]));
        });
    }
}

#[test]
fn simultaneous_submits_on_two_nodes_link_once() {
    for engine in Engine::BOTH {
        let fixture = LinkingFixture::new(engine);
        let first = &fixture.server;
        let second = node(first.store.clone(), &fixture.auth_url, NOW);
        let code = join_code(&first.store, NOTCH, "Notch", NOW);
        let browsers: Vec<Browser> =
            (0..4).map(|i| first.run(Browser::signed_up(first, &format!("together-{i}")))).collect();
        let outcomes: Vec<u16> = std::thread::scope(|scope| {
            let tasks: Vec<_> = (0..16)
                .map(|i| {
                    let node = if i % 2 == 0 { first } else { &second };
                    let mut browser = browsers[i / 4].clone().on(node);
                    let code = &code;
                    scope.spawn(move || {
                        node.run(async { browser.send("/dashboard/player/link", &[("code", code)]).await.status })
                    })
                })
                .collect();
            tasks.into_iter().map(|task| task.join().expect("no panic")).collect()
        });
        assert_eq!(outcomes.iter().filter(|status| **status == 303).count(), 1, "{outcomes:?}");
        let links: i64 =
            first.store.change(|conn| conn.query_one("select count(*) from player_links", &[], |row| row.get(0)));
        assert_eq!(links, 1);
    }
}

#[test]
fn joins_from_one_network_are_limited() {
    let fixture = LinkingFixture::new(Engine::Sqlite);
    let texts: Vec<String> =
        (0..6).map(|_| fixture.server.run(join(fixture.listener(), &fixture.sessions, NOTCH_ACCOUNT))).collect();
    assert!(texts[..5].iter().all(|text| text.starts_with("Your code: ")), "{texts:?}");
    assert!(texts[5].contains("too many codes were requested from your network"), "{}", texts[5]);
    // Only the newest works.
    fixture.server.run(async {
        let mut ada = Browser::signed_up(&fixture.server, "ada-rejoins").await;
        assert_eq!(enter(&mut ada, &code_in(&texts[0])).await.status, 422);
        assert_eq!(enter(&mut ada, &code_in(&texts[4])).await.status, 303);
    });
}

#[test]
fn the_listener_is_off_by_default() {
    let server = Server::empty(Engine::Sqlite);
    assert!(server.verifier.is_none());
    server.run(async {
        let mut ada = Browser::signed_up(&server, "ada-off").await;
        let page = ada.get("/dashboard/player").await.html();
        assert!(!page.contains("Link by joining") && page.contains("Link with a command"), "{page}");
    });
}
