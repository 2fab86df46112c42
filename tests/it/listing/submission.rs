//! Submitting a server.

use std::net::Ipv4Addr;

use hickory_resolver::proto::rr::rdata::A;
use hickory_resolver::proto::rr::{RData, RecordType};

use super::{Game, service, service_with, submit, submitted, track, until_stored, unused_address};
use crate::harness::{Browser, Engine};
use crate::resolver::dns_server::{self, DnsServer, Reply};

#[tokio::test]
async fn a_submitted_server_is_pinged_shown_and_listed_at_once() {
    for engine in Engine::BOTH {
        let server = service_with(engine, |config| config.moderation.allowed_link_hosts.push("golden.example".into()));
        let game = Game::open(0, "A §6golden§r server");
        let mut ada = Browser::signed_up(&server, "ada").await;
        ada.get("/dashboard/add-server").await;
        let look = [("step", "look"), ("address", &game.text() as &str), ("edition", "java")];
        let seen = ada.send("/dashboard/add-server", &look).await;
        assert_eq!(seen.status, 200, "{}", seen.notice());
        let html = seen.html();
        for part in ["A golden server", "1.21.4", "<h2 id=\"about\">"] {
            assert!(html.contains(part), "{part}: {html}");
        }

        let fields = [
            ("name", "Golden"),
            ("description", "All that glitters"),
            ("tags", "survival, gold"),
            ("country", "DE"),
            ("mode", "survival"),
            ("website", "https://golden.example/"),
        ];
        // What was entered stays, with an error and when the address is pinged again.
        let kept = |html: &str| {
            let fields = ["id=\"name\" name=\"name\" value=\"Golden\"", "value=\"survival, gold\"", "value=\"DE\""];
            fields.iter().all(|field| html.contains(field)) && html.contains("A golden server")
        };
        let mut wrong = fields.to_vec();
        wrong[5].1 = "golden.example";
        let refused = submit(&mut ada, &game.text(), &wrong).await;
        let reason =
            "The server was not saved: Website must begin with https:// or http://, not &#34;golden.example&#34;.";
        assert_eq!((refused.status, refused.notice().as_str()), (422, reason));
        assert!(kept(&refused.html()) && refused.html().contains("value=\"golden.example\""), "{}", refused.html());
        let pinged = submit(&mut ada, &game.text(), &[&[("step", "look")], &fields[..]].concat()).await;
        assert!(pinged.status == 200 && kept(&pinged.html()), "{}", pinged.html());
        let nowhere = submit(&mut ada, "not a host", &[&[("step", "look")], &fields[..]].concat()).await;
        assert!(nowhere.notice().starts_with("The address is not valid: "), "{}", nowhere.notice());
        assert!(nowhere.html().contains("value=\"Golden\""));

        let response = submit(&mut ada, &game.text(), &fields).await;
        assert_eq!(response.redirect_target(), "/dashboard/servers/golden/claim?done=server-submitted");
        let page = ada.get(response.redirect_target()).await;
        assert_eq!(page.notice(), "Server submitted. Prove that it is yours to manage it.");
        let detail = server.until("/servers/golden", |response| response.status == 200).await.data();
        let shown = &detail["server"];
        assert_eq!(
            [&shown["name"], &shown["country"], &shown["website"], &shown["owner"]],
            [&"Golden".into(), &"Germany".into(), &"https://golden.example/".into(), &serde_json::Value::Null]
        );
        assert_eq!(shown["tags"], serde_json::json!(["survival", "gold"]));

        // Its page shows what the API lacks.
        let page = server.raw(reqwest::Method::GET, "/servers/golden", &[]).await.html();
        for part in ["<p class=\"about\"><bdi>All that glitters</bdi></p>", "<bdi>survival</bdi>"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let meta = page.split("<meta name=\"description\" content=\"").nth(1).and_then(|rest| rest.split('"').next());
        assert_eq!(meta, Some("Golden: Offline. All that glitters"), "no ping of the tracker yet");

        // The page of the account lists it, and those who only submitted a server get no token.
        let list = ada.get("/dashboard/servers").await.html();
        assert!(list.contains("<a href=\"/dashboard/servers/golden/settings\"><bdi>Golden</bdi></a>"), "{list}");
        assert_eq!(ada.get("/dashboard/servers/golden").await.status, 404);
        assert_eq!(ada.send("/dashboard/servers/golden/token", &[]).await.status, 404);
        let mut eve = Browser::signed_up(&server, "eve").await;
        assert_eq!(eve.get("/dashboard/servers/golden/settings").await.status, 404);

        // The same address again, in another spelling.
        let again = submit(&mut eve, &format!("{}.", game.text().to_uppercase()), &[]).await;
        assert_ne!(again.status, 303);
        let again = submit(&mut eve, &game.text(), &[]).await;
        assert_eq!(again.status, 200);
        assert!(again.html().contains("<a href=\"/dashboard/servers/golden/claim\">Claim it</a>"));
    }
}

#[tokio::test]
async fn a_server_that_does_not_reply_waits_for_its_first_ping() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "soon");
        let address = game.address;
        drop(game);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let look = [("step", "look"), ("address", &address.to_string() as &str), ("edition", "java")];
        ada.get("/dashboard/add-server").await;
        let seen = ada.send("/dashboard/add-server", &look).await.html();
        assert!(seen.contains("it is listed as soon as it replies to a ping, within seven days."), "{seen}");
        let slug = submitted(&mut ada, &address.to_string(), "Soon").await;
        let page = ada.get(&format!("/dashboard/servers/{slug}/settings")).await;
        assert!(page.html().contains("It is listed as soon as it replies to a ping."));
        assert_eq!(server.get(&format!("/servers/{slug}")).await.status, 404);
        assert_eq!(server.raw(reqwest::Method::GET, &format!("/servers/{slug}"), &[]).await.status, 404);

        let _game = Game::open(address.port(), "here");
        let _tracker = track(&server);
        let detail = server.until(&format!("/servers/{slug}"), |response| response.status == 200).await.data();
        assert_eq!(detail["server"]["isOnline"], true);
        let page = ada.get(&format!("/dashboard/servers/{slug}/settings")).await;
        assert!(!page.html().contains("It is listed as soon as it replies to a ping."));
    }
}

#[tokio::test]
async fn a_server_that_never_replies_is_forgotten_after_a_week() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "never");
        let address = game.text();
        drop(game);
        let mut ada = Browser::signed_up(&server, "ada").await;
        submitted(&mut ada, &address, "Never").await;
        let week = 7 * rollcall_model::time::DAY;
        server.clock.set(server.clock.now() + week - 1000);
        until_stored(&server, "select count(*) from servers", 1).await;
        server.clock.set(server.clock.now() + 2000);
        until_stored(&server, "select count(*) from servers", 0).await;
    }
}

#[tokio::test]
async fn a_second_server_at_the_same_address_is_held_for_review() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "one server, two names");
        let mut ada = Browser::signed_up(&server, "ada").await;
        submitted(&mut ada, &game.text(), "First").await;

        // Another name of the same address, before the first poll of the tracker.
        let other = format!("localhost:{}", game.address.port());
        let mut eve = Browser::signed_up(&server, "eve").await;
        eve.get("/dashboard/add-server").await;
        let look = [("step", "look"), ("address", &other as &str), ("edition", "java")];
        let seen = eve.send("/dashboard/add-server", &look).await.html();
        assert!(seen.contains("<a href=\"/servers/first\"><bdi>First</bdi></a>"), "{seen}");
        let slug = submitted(&mut eve, &other, "Second").await;
        let page = eve.get(&format!("/dashboard/servers/{slug}/settings")).await.html();
        assert!(page.contains("Another server is listed at the same address. A moderator will look at it."), "{page}");
        assert_eq!(server.get(&format!("/servers/{slug}")).await.status, 404);
    }
}

const DUPLICATE: &str = "Another server is listed at the same address. A moderator will look at it.";

#[tokio::test]
async fn a_duplicate_that_did_not_reply_at_first_is_held_for_review() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "one server, two names");
        let port = game.address.port();
        let mut ada = Browser::signed_up(&server, "ada").await;
        submitted(&mut ada, &game.text(), "First").await;
        drop(game);
        let mut eve = Browser::signed_up(&server, "eve").await;
        let slug = submitted(&mut eve, &format!("localhost:{port}"), "Second").await;
        let settings = format!("/dashboard/servers/{slug}/settings");
        assert!(eve.get(&settings).await.html().contains("It is listed as soon as it replies to a ping."));

        let _game = Game::open(port, "one server, two names");
        let _tracker = track(&server);
        until_stored(&server, "select count(*) from listings where waits_for = 'review'", 1).await;
        assert!(eve.get(&settings).await.html().contains(DUPLICATE));
        assert_eq!(server.get(&format!("/servers/{slug}")).await.status, 404);
        let mut root = Browser::operator(&server, "root").await;
        let queue = root.get("/moderation?kind=server").await.html();
        assert!(queue.contains("<bdi>Second</bdi>") && queue.contains("Another server is listed at the same address."));
    }
}

#[tokio::test]
async fn of_two_names_of_a_server_that_is_down_the_first_to_reply_is_listed() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let address = unused_address();
        let mut ada = Browser::signed_up(&server, "ada").await;
        let first = submitted(&mut ada, &address.to_string(), "First").await;
        server.clock.set(server.clock.now() + 1);
        submitted(&mut ada, &format!("localhost:{}", address.port()), "Second").await;
        let _game = Game::open(address.port(), "up");
        let _tracker = track(&server);
        let listed = "select count(*) from listings where status = 'APPROVED'";
        until_stored(&server, listed, 1).await;
        until_stored(&server, "select count(*) from listings where waits_for = 'review'", 1).await;
        until_stored(&server, listed, 1).await;
        let shown = server.get("/servers").await.data()["servers"].as_array().map(Vec::len);
        assert!(shown <= Some(1), "{shown:?} servers");
        // Whichever replied first; the other one is no rival before it replies.
        let settings = ada.get(&format!("/dashboard/servers/{first}/settings")).await.html();
        assert!(!settings.contains("It is listed as soon as it replies to a ping."), "{settings}");
    }
}

#[tokio::test]
async fn a_server_that_is_listed_by_its_srv_record_is_found_at_its_port() {
    for engine in Engine::BOTH {
        let game = Game::open(0, "behind a record");
        let port = game.address.port();
        let zone = move |name: &str, kind| match (name, kind) {
            ("_minecraft._tcp.play.example.org", RecordType::SRV) => {
                Reply::Records(vec![dns_server::service(0, port, "game.example.org.")])
            }
            ("game.example.org", RecordType::A) => Reply::Records(vec![RData::A(A(Ipv4Addr::LOCALHOST))]),
            _ => Reply::Missing,
        };
        let dns = DnsServer::start(zone).await;
        let name_server = dns.address();
        let server = service_with(engine, move |config| config.tracker.name_server = Some(name_server));
        let mut ada = Browser::signed_up(&server, "ada").await;
        submitted(&mut ada, "play.example.org", "Named").await;
        server.until("/servers/named", |response| response.status == 200).await;
        let mut eve = Browser::signed_up(&server, "eve").await;
        let slug = submitted(&mut eve, &game.text(), "By port").await;
        assert!(eve.get(&format!("/dashboard/servers/{slug}/settings")).await.html().contains(DUPLICATE));
    }
}

#[tokio::test]
async fn submissions_are_limited_and_checked() {
    for engine in Engine::BOTH {
        let server = service_with(engine, |config| config.listing.max_per_account = 1);
        let games = [1, 2].map(|_| Game::open(0, "hello"));
        let mut ada = Browser::signed_up(&server, "ada").await;
        for (fields, words) in [
            (vec![("address", "not a host")], "host"),
            (vec![("edition", "atari")], "Choose an edition of the list, not “atari”."),
            (vec![("visibility", "everyone")], "Choose a visibility of the list, not “everyone”."),
            (vec![("website", "javascript:alert(1)")], "Website must begin with"),
            (vec![("country", "Atlantis")], "Country must be a country name or two-letter code"),
            (vec![("name", "a\u{202e}b")], "control character"),
        ] {
            let response = submit(&mut ada, &games[0].text(), &fields).await;
            assert_eq!(response.status, 422, "{fields:?}");
            assert!(response.notice().contains(words), "{fields:?}: {}", response.notice());
            // A new minute: pings are limited.
            server.clock.set(server.clock.now() + 60_000);
        }
        let long = "x".repeat(20_000);
        assert_eq!(submit(&mut ada, &games[0].text(), &[("name", &long)]).await.status, 413);
        submitted(&mut ada, &games[0].text(), "One").await;
        let second = submit(&mut ada, &games[1].text(), &[("name", "Two")]).await;
        let words = "The server was not saved: your account has submitted as many servers as it may (1); a deleted server \
                     counts for 30 days.";
        assert_eq!((second.status, second.notice().as_str()), (422, words));
        ada.get("/dashboard/servers/one/settings").await;
        assert_eq!(ada.send("/dashboard/servers/one/settings/delete", &[("sure", "yes")]).await.status, 303);
        let third = submit(&mut ada, &games[1].text(), &[("name", "Three")]).await;
        assert_eq!((third.status, third.notice().as_str()), (422, words));

        // Each submission pings a host of the sender's choice.
        let mut statuses = Vec::new();
        for _ in 0..12 {
            statuses.push(submit(&mut ada, &games[1].text(), &[]).await);
        }
        let last = statuses.last().expect("responses");
        assert_eq!((last.status, last.header("retry-after").is_some()), (429, true));
    }
}

#[tokio::test]
async fn private_addresses_are_refused_by_default() {
    for engine in Engine::BOTH {
        let server = service_with(engine, |config| config.tracker.allow_private_addresses = false);
        let game = Game::open(0, "secret");
        let mut ada = Browser::signed_up(&server, "ada").await;
        ada.get("/dashboard/add-server").await;
        let look = [("step", "look"), ("address", &game.text() as &str), ("edition", "java")];
        let seen = ada.send("/dashboard/add-server", &look).await.html();
        assert!(!seen.contains("secret") && seen.contains("<span class=\"pill bad\">Offline</span>"), "{seen}");
    }
}

#[tokio::test]
async fn moderators_decide_about_servers_that_are_held() {
    for engine in Engine::BOTH {
        let server = service_with(engine, |config| config.moderation.held_words = vec!["casino*".to_owned()]);
        let game = Game::open(0, "hello");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = submitted(&mut ada, &game.text(), "Casinos for all").await;
        let (api, settings) = (format!("/servers/{slug}"), format!("/dashboard/servers/{slug}/settings"));
        assert!(ada.get(&settings).await.html().contains("A moderator looks at it before it is shown."));
        assert_eq!(server.get(&api).await.status, 404);

        let mut root = Browser::operator(&server, "root").await;
        let decide = async |root: &mut Browser<'_>, decision: &str, reason: &str| {
            let queue = root.get("/moderation").await.html();
            let item = queue.split("href=\"/moderation/").nth(1).and_then(|rest| rest.split(['"', '?']).next());
            let path = format!("/moderation/{}", item.unwrap_or_else(|| panic!("no item: {queue}")));
            let seen = root.get(&path).await.field("seen");
            let fields = [("decision", decision), ("reason", reason), ("seen", &seen)];
            let decided = root.send(&format!("{path}/decide"), &fields).await;
            assert_eq!(decided.status, 303, "{}", decided.notice());
        };
        decide(&mut root, "approve", "").await;
        server.until(&api, |response| response.status == 200).await;
        assert!(!ada.get(&settings).await.html().contains("A moderator looks at it before it is shown."));

        // A changed text is reviewed again; the owner reads why it was turned down.
        let fields = [("name", "Casino royale"), ("visibility", "PUBLIC"), ("country", "")];
        ada.get(&settings).await;
        assert_eq!(ada.send(&settings, &fields).await.status, 303);
        server.until(&api, |response| response.status == 404).await;
        decide(&mut root, "reject", "No gambling, please.").await;
        assert!(ada.get(&settings).await.html().contains("No gambling, please."));
        assert_eq!(server.get(&api).await.status, 404);
    }
}
