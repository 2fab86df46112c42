//! Proving that a server is one's own.

use std::net::Ipv4Addr;

use hickory_resolver::proto::rr::rdata::{A, TXT};
use hickory_resolver::proto::rr::{RData, RecordType};
use rollcall_model::time::DAY;
use serde_json::json;

use super::{
    Game, check_claim, code_of, owned_server, service, service_with, start_claim, submit, submitted, track,
    until_stored, unused_address,
};
use crate::harness::{Browser, Engine, Server, TestResponse};
use crate::moderation;
use crate::resolver::dns_server::{DnsServer, Reply};

async fn owner(server: &Server, slug: &str) -> serde_json::Value {
    server.get(&format!("/servers/{slug}")).await.data()["server"]["owner"]["username"].clone()
}

#[tokio::test]
async fn a_code_in_the_motd_makes_the_account_the_owner() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "nothing here");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = submitted(&mut ada, &game.text(), "Adas server").await;
        let code = start_claim(&mut ada, &slug).await;

        // The page shows what the ping sees.
        let missing = check_claim(&mut ada, &slug).await;
        assert_eq!(missing.status, 422);
        assert_eq!(missing.notice(), "The code was not found yet. Below is what we see now.");
        assert!(missing.html().contains("<pre tabindex=\"0\"><bdi>nothing here</bdi></pre>"));

        // The code of one account does not help another.
        let mut eve = Browser::signed_up(&server, "eve").await;
        let other = start_claim(&mut eve, &slug).await;
        assert_ne!(code, other);
        game.show(&format!("§aWelcome§r {code}")).await;
        assert_eq!(check_claim(&mut eve, &slug).await.status, 422);

        let claimed = check_claim(&mut ada, &slug).await;
        assert_eq!(claimed.redirect_target(), format!("/dashboard/servers/{slug}/settings?done=server-claimed"));
        assert_eq!(ada.get(claimed.redirect_target()).await.notice(), "The server is yours. Complete its page below.");
        server.until(&format!("/servers/{slug}"), |r| r.data()["server"]["owner"]["username"] == "ada").await;
        assert_eq!(ada.get(&format!("/dashboard/servers/{slug}")).await.status, 200);
        assert!(ada.get("/dashboard/log").await.html().contains("ownership proved by MOTD"));
    }
}

#[tokio::test]
async fn a_code_is_valid_for_a_day() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "old");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = submitted(&mut ada, &game.text(), "Late").await;
        let code = start_claim(&mut ada, &slug).await;
        game.show(&code).await;
        server.clock.set(server.clock.now() + DAY);
        let late = check_claim(&mut ada, &slug).await;
        assert_eq!((late.status, late.notice().as_str()), (422, "Your code has expired. Make a new one."));
        let new = start_claim(&mut ada, &slug).await;
        assert_ne!(code, new);
        assert_eq!(check_claim(&mut ada, &slug).await.status, 422);
        game.show(&new).await;
        assert_eq!(check_claim(&mut ada, &slug).await.status, 303);
    }
}

#[tokio::test]
async fn a_txt_record_makes_the_account_the_owner() {
    for engine in Engine::BOTH {
        let code = std::sync::Arc::new(std::sync::Mutex::new("v=spf1 -all".to_owned()));
        let published = code.clone();
        let zone = move |name: &str, kind| match (name, kind) {
            ("play.example.org", RecordType::A) => Reply::Records(vec![RData::A(A(Ipv4Addr::LOCALHOST))]),
            ("_rollcall.play.example.org", RecordType::TXT) => {
                let text = published.lock().expect("no panic while locked").clone();
                Reply::Records(vec![RData::TXT(TXT::new(vec![text]))])
            }
            _ => Reply::Missing,
        };
        let dns = DnsServer::start(zone).await;
        let name_server = dns.address();
        let server = service_with(engine, move |config| config.tracker.name_server = Some(name_server));
        let game = Game::open(0, "no code");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let address = format!("play.example.org:{}", game.address.port());
        let slug = submitted(&mut ada, &address, "Named").await;
        let own_code = start_claim(&mut ada, &slug).await;
        let missing = check_claim(&mut ada, &slug).await;
        assert!(missing.html().contains("<li><code><bdi>v=spf1 -all</bdi></code></li>"), "{}", missing.html());
        own_code.clone_into(&mut code.lock().expect("no panic while locked"));
        assert_eq!(check_claim(&mut ada, &slug).await.status, 303);
        server.until(&format!("/servers/{slug}"), |r| r.data()["server"]["owner"]["username"] == "ada").await;
    }
}

/// Sends a report with a token from an address.
async fn report(server: &Server, token: &str, from: &str) -> TestResponse {
    let authorization = format!("Bearer {token}");
    let headers = [("authorization", authorization.as_str()), ("x-forwarded-for", from)];
    server.exchange(reqwest::Method::POST, "/report/v1", &headers, br#"{"tps": 19.5}"#.to_vec()).await
}

async fn claim_token(browser: &mut Browser<'_>, slug: &str) -> String {
    start_claim(browser, slug).await;
    let page = browser.send(&format!("/dashboard/servers/{slug}/claim/token"), &[]).await.html();
    let token =
        page.split("Bearer ").nth(1).and_then(|rest| rest.split(|c: char| c != '_' && !c.is_alphanumeric()).next());
    token.unwrap_or_else(|| panic!("no token: {page}")).to_owned()
}

#[tokio::test]
async fn a_report_from_the_servers_own_address_makes_the_account_the_owner() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let address = unused_address();
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = submitted(&mut ada, &address.to_string(), "Reporting").await;
        let token = claim_token(&mut ada, &slug).await;
        let (claim, live) =
            (format!("/dashboard/servers/{slug}/claim"), format!("/dashboard/servers/{slug}/claim/live"));
        assert!(ada.get(&live).await.html().contains("Waiting for the first report."));
        let early = report(&server, &token, "127.0.0.1").await;
        assert_eq!(early.status, 403);
        assert!(early.error().starts_with("The server has not replied to a ping yet"), "{}", early.error());

        let _game = Game::open(address.port(), "no code");
        let _tracker = track(&server);
        server.until(&format!("/servers/{slug}"), |response| response.status == 200).await;
        let elsewhere = report(&server, &token, "203.0.113.9").await;
        assert_eq!(elsewhere.status, 403);
        assert!(elsewhere.error().starts_with("The report must come from the IP address"), "{}", elsewhere.error());
        for path in [&claim, &live] {
            let html = ada.get(path).await.html();
            assert!(html.contains("A report was refused as a proof:") && html.contains(&elsewhere.error()), "{html}");
        }
        let mut eve = Browser::signed_up(&server, "eve").await;
        assert!(!eve.get(&claim).await.html().contains("A report was refused"), "it is the matter of one account");
        let proved = report(&server, &token, "127.0.0.1").await;
        let note = "this report proved the ownership: the server belongs to the account ada";
        assert_eq!((proved.status, proved.data()), (200, json!({"status": "accepted", "players": 0, "notes": [note]})));
        assert!(ada.get(&live).await.html().contains("The server is yours: a report proved it."));
        let settings = format!("/dashboard/servers/{slug}/settings?done=server-claimed");
        assert_eq!(ada.get(&claim).await.redirect_target(), settings);
        ada.get("/dashboard/servers").await;
        assert_eq!(ada.send(&claim, &[]).await.redirect_target(), settings);
        server.until(&format!("/servers/{slug}"), |r| r.data()["server"]["owner"]["username"] == "ada").await;
        // The token is the server's own from now on, wherever reports come from.
        let page = format!("/dashboard/servers/{slug}");
        let send = async |body: &'static str| {
            server.clock.set(server.clock.now() + 60_000);
            let (authorization, from) = (format!("Bearer {token}"), "203.0.113.9");
            let headers = [("authorization", authorization.as_str()), ("x-forwarded-for", from)];
            server.exchange(reqwest::Method::POST, "/report/v1", &headers, body).await.status
        };
        assert_eq!(send(r#"{"software": "Paper", "players": []}"#).await, 200);
        assert_eq!(send("tps=20").await, 400);
        let html = ada.get(&page).await.html();
        assert!(html.contains("Last refused report:") && html.contains("is not JSON"), "{html}");
        assert_eq!(send(r#"{"tps": 18.5, "mspt": 33.5}"#).await, 200);
        let html = ada.get(&page).await.html();
        // What an earlier report said has its age; a refusal before the last report is over.
        for part in ["<dd>18.5</dd>", "<dd>33.5</dd>", "2 min ago</time></span>", "Software, as last reported:"] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("Last refused report:"), "{html}");
    }
}

#[tokio::test]
async fn a_report_from_a_shared_address_proves_nothing() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let games = [1, 2].map(|_| Game::open(0, "neighbours"));
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = submitted(&mut ada, &games[0].text(), "One").await;
        submitted(&mut ada, &games[1].text(), "Two").await;
        // Both replied when they were submitted.
        let token = claim_token(&mut ada, &slug).await;
        let refused = report(&server, &token, "127.0.0.1").await;
        assert_eq!(refused.status, 403);
        assert!(refused.error().starts_with("Several servers share this IP address"), "{}", refused.error());
        assert_eq!(owner(&server, &slug).await, serde_json::Value::Null);
    }
}

#[tokio::test]
async fn a_proof_against_an_owner_is_a_dispute() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "mine");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = owned_server(&mut ada, &game, "Mine").await;
        let mut eve = Browser::signed_up(&server, "eve").await;
        let code = start_claim(&mut eve, &slug).await;
        game.show(&code).await;
        let disputed = check_claim(&mut eve, &slug).await;
        assert_eq!(disputed.redirect_target(), format!("/dashboard/servers/{slug}/claim?done=claim-disputed"));
        assert_eq!(owner(&server, &slug).await, json!("ada"));
        assert_eq!(eve.get(&format!("/dashboard/servers/{slug}")).await.status, 404);

        let mut root = Browser::operator(&server, "root").await;
        let queue = root.get("/moderation?kind=dispute").await.html();
        let item = queue.split("href=\"/moderation/").nth(1).and_then(|rest| rest.split(['"', '?']).next());
        let path = format!("/moderation/{}", item.unwrap_or_else(|| panic!("no item: {queue}")));
        let seen = root.get(&path).await.field("seen");
        let decided = root.send(&format!("{path}/decide"), &[("decision", "approve"), ("seen", &seen)]).await;
        assert_eq!(decided.status, 303, "{}", decided.notice());
        server.until(&format!("/servers/{slug}"), |r| r.data()["server"]["owner"]["username"] == "eve").await;
        assert_eq!(ada.get(&format!("/dashboard/servers/{slug}")).await.status, 404);
        assert_eq!(eve.get(&format!("/dashboard/servers/{slug}")).await.status, 200);
    }
}

#[tokio::test]
async fn a_new_address_needs_a_new_proof() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let old = Game::open(0, "old home");
        let new = Game::open(0, "new home");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = owned_server(&mut ada, &old, "Moving").await;
        let settings = format!("/dashboard/servers/{slug}/settings");
        let mut eve = Browser::signed_up(&server, "eve").await;
        let code_of_eve = start_claim(&mut eve, &slug).await;
        ada.get(&settings).await;
        let moving = ada.send(&format!("{settings}/address"), &[("address", &new.text())]).await;
        let claim = format!("/dashboard/servers/{slug}/claim");
        assert_eq!(moving.redirect_target(), claim);
        assert!(ada.get(&settings).await.html().contains(&format!("The server moves to {}", new.text())));
        let cancelled = ada.send(&format!("{settings}/address/cancel"), &[]).await;
        assert_eq!(cancelled.redirect_target(), format!("{settings}?done=move-cancelled"));
        assert!(!ada.get(&settings).await.html().contains("The server moves to"));
        assert_eq!(ada.get(&claim).await.redirect_target(), format!("{settings}?done=server-claimed"));
        ada.get(&settings).await;
        ada.send(&format!("{settings}/address"), &[("address", &new.text())]).await;
        let page = ada.get(&claim).await;
        assert_eq!(page.heading(), format!("Move to {}", new.text()));
        let code = code_of(&page);
        // The code at the old address proves nothing about the new one.
        old.show(&code).await;
        assert_eq!(check_claim(&mut ada, &slug).await.status, 422);
        new.show(&code).await;
        let moved = check_claim(&mut ada, &slug).await;
        assert_eq!(moved.redirect_target(), format!("{settings}?done=server-moved"));
        let port = i64::from(new.address.port());
        server.until(&format!("/servers/{slug}"), |r| r.data()["server"]["port"] == json!(port)).await;
        assert_eq!(owner(&server, &slug).await, json!("ada"));

        // A claim for the address that the server had does not bring it back there.
        old.show(&code_of_eve).await;
        assert_eq!(check_claim(&mut eve, &slug).await.status, 422);
        assert_eq!(server.get(&format!("/servers/{slug}")).await.data()["server"]["port"], json!(port));

        ada.get(&settings).await;
        for (address, words) in [
            (new.text(), "The server is at this address already."),
            ("not a host".to_owned(), "The address is not valid: "),
        ] {
            let refused = ada.send(&format!("{settings}/address"), &[("address", &address)]).await;
            assert_eq!(refused.status, 422);
            assert!(refused.notice().starts_with(words), "{}", refused.notice());
            assert_eq!(refused.heading(), "<bdi>Moving</bdi>", "the page with the form");
        }
    }
}

/// Enters the address of a server that is not shown; returns the path of the claim to which the page leads.
async fn path_to_claim(browser: &mut Browser<'_>, address: &str) -> String {
    browser.get("/dashboard/add-server").await;
    let look = [("step", "look"), ("address", address), ("edition", "java")];
    let html = browser.send("/dashboard/add-server", &look).await.html();
    let link = html.split("This server was added already, and it is not shown. <a href=\"").nth(1);
    link.and_then(|rest| rest.split('"').next()).unwrap_or_else(|| panic!("no link: {html}")).to_owned()
}

/// Claims a server by its MOTD on the page with this path.
async fn claim_at(browser: &mut Browser<'_>, path: &str, game: &Game) -> TestResponse {
    browser.get(path).await;
    assert_eq!(browser.send(path, &[]).await.redirect_target(), path);
    game.show(&code_of(&browser.get(path).await)).await;
    browser.send(&format!("{path}/check"), &[]).await
}

#[tokio::test]
async fn a_server_that_is_not_shown_can_be_claimed_at_its_address() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let waiting = unused_address();
        let mut eve = Browser::signed_up(&server, "eve").await;
        submitted(&mut eve, &waiting.to_string(), "Squat waiting").await;
        let waiting = Game::open(waiting.port(), "waiting");
        let [hidden, deleted] = ["hidden", "deleted"].map(|motd| Game::open(0, motd));
        let fields = [("name", "Squat hidden"), ("visibility", "HIDDEN")];
        assert_eq!(submit(&mut eve, &hidden.text(), &fields).await.status, 303);
        submitted(&mut eve, &deleted.text(), "Squat deleted").await;
        let settings_of = |slug: &str| format!("/dashboard/servers/{slug}/settings");
        eve.get(&settings_of("squat-deleted")).await;
        let gone = eve.send(&format!("{}/delete", settings_of("squat-deleted")), &[("sure", "yes")]).await;
        assert_eq!(gone.status, 303);

        let mut ada = Browser::signed_up(&server, "ada").await;
        for (game, slug, name) in [
            (&deleted, "squat-deleted", "Squat deleted"),
            (&waiting, "squat-waiting", "Squat waiting"),
            (&hidden, "squat-hidden", "Squat hidden"),
        ] {
            // A move leads nowhere else.
            if slug == "squat-hidden" {
                let address = format!("{}/address", settings_of("squat-deleted"));
                ada.get(&settings_of("squat-deleted")).await;
                let refused = ada.send(&address, &[("address", &game.text())]).await;
                let words = "Another server was added at this address. Enter it under “Add your server” to claim it.";
                assert_eq!((refused.status, refused.notice().as_str()), (422, words));
            }
            // The slug can be guessed; the path to which the address leads tells nothing of the server.
            assert_eq!(ada.get(&format!("/dashboard/servers/{slug}/claim")).await.status, 404);
            let path = path_to_claim(&mut ada, &game.text()).await;
            let page = ada.get(&path).await.html();
            assert!(page.contains(&game.text()) && !page.contains(slug) && !page.contains(name), "{page}");
            let claimed = claim_at(&mut ada, &path, game).await;
            assert_eq!(claimed.redirect_target(), format!("{}?done=server-claimed", settings_of(slug)));
            assert_eq!(ada.get(&path).await.redirect_target(), format!("{}?done=server-claimed", settings_of(slug)));
            assert_eq!(eve.get(&settings_of(slug)).await.status, 404);
        }
        // Claimed, it is no longer deleted.
        let shown = server.until("/servers/squat-deleted", |response| response.status == 200).await.data();
        assert_eq!(shown["server"]["owner"]["username"], "ada");
        until_stored(&server, "select count(*) from listings where deleted_at is not null", 0).await;
        until_stored(&server, "select count(*) from servers where is_tracked", 3).await;
    }
}

#[tokio::test]
async fn a_deleted_server_comes_back_for_the_owner_whom_moderators_name() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "sold");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = owned_server(&mut ada, &game, "Sold").await;
        let settings = format!("/dashboard/servers/{slug}/settings");
        ada.get(&settings).await;
        assert_eq!(ada.send(&format!("{settings}/delete"), &[("sure", "yes")]).await.status, 303);

        let mut eve = Browser::signed_up(&server, "eve").await;
        let path = path_to_claim(&mut eve, &game.text()).await;
        let disputed = claim_at(&mut eve, &path, &game).await;
        assert_eq!(disputed.redirect_target(), format!("{path}?done=claim-disputed"));
        let mut root = Browser::operator(&server, "root").await;
        let id = moderation::queue(&mut root, "?kind=dispute").await.remove(0);
        assert_eq!(moderation::decide(&mut root, &id, "approve", "").await.status, 303);
        let shown = server.until(&format!("/servers/{slug}"), |response| response.status == 200).await.data();
        assert_eq!(shown["server"]["owner"]["username"], "eve");
    }
}
