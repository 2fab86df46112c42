//! Votes that people cast, and their delivery to receivers that speak the real protocol.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use rollcall_minecraft::votifier::fake_receiver::{Behaviour, FakeReceiver, Settings};
use rollcall_minecraft::votifier::test_keys::TestKey;
use rollcall_model::secret::Secret;
use rollcall_model::time::{DAY, HOUR, MINUTE, start_of_day};
use rollcall_store::audit::Author;
use rollcall_store::totals::{self, RecomputeScope};
use rollcall_store::values;
use rollcall_store::voting::receivers::{self, VoteReceiver};
use rollcall_store::voting::{self, Ballot};
use serde_json::json;

use crate::harness::{Browser, Engine, NOW, Server, Store, TestResponse, until};

const TOKEN: &str = "the-token-of-the-receiver";
const JAVA_NAMES: &str = "A name in the game has up to 16 characters: letters from A to Z, digits and underscores, after a . or * \
                          if the server adds one.";
const BEDROCK_NAMES: &str = "A name in the game has up to 16 characters: letters from A to Z, digits, underscores and single \
                             spaces between them.";

/// A server over the demo world that may send votes to this machine.
fn server(engine: Engine) -> Server {
    let world = Server::own(engine).stop();
    node(world)
}

/// Another process over the same store.
fn node(store: std::sync::Arc<Store>) -> Server {
    Server::set_up(store, NOW, |config| {
        config.tracker.allow_private_addresses = true;
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
    })
}

/// The slug, votes and name of the first server of the list.
async fn first_server(server: &Server) -> (String, i64) {
    let data = server.get("/servers?sort=name&limit=1").await.data();
    let first = &data["servers"][0];
    (first["slug"].as_str().expect("a slug").to_owned(), first["totalVotes"].as_i64().expect("a number"))
}

async fn vote(browser: &mut Browser<'_>, slug: &str, name: &str) -> TestResponse {
    let path = format!("/servers/{slug}/vote");
    browser.get(&path).await;
    browser.send(&path, &[("nickname", name)]).await
}

async fn total(server: &Server, slug: &str, wanted: i64) {
    server
        .until(&format!("/servers/{slug}"), |response| response.data()["server"]["totalVotes"].as_i64() == Some(wanted))
        .await;
}

/// Counts all votes and totals again; nothing may change.
fn assert_recount(store: &Store) {
    let figures = || {
        store.change(|conn| {
            let servers = "select n, total_votes, vote_heat, vote_heat_at from servers order by n";
            let servers = conn.query(servers, &[], |row| {
                (row.get::<i64>(0), row.get::<i64>(1), row.get::<f64>(2).to_bits(), row.get::<i64>(3))
            })?;
            let players = "select n, vote_count, achievements from players order by n";
            let players = conn.query(players, &[], |row| (row.get::<i64>(0), row.get::<i64>(1), row.get::<i64>(2)))?;
            let days = "select server_n, day, votes from vote_days order by server_n, day";
            let days = conn.query(days, &[], |row| (row.get::<i64>(0), row.get::<i64>(1), row.get::<i64>(2)))?;
            Ok((servers, players, days))
        })
    };
    let live = figures();
    store.change(|conn| totals::recompute(conn, &RecomputeScope::All));
    assert!(figures() == live, "the totals differ from a recount");
}

#[test]
fn one_vote_a_day_for_an_account_a_name_and_an_address() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (slug, votes) = first_server(&server).await;
            let mut ada = Browser::signed_up(&server, "ada-voter").await;
            let page = ada.get(&format!("/servers/{slug}/vote?name=Steve")).await;
            assert_eq!((page.status, page.field("nickname").as_str()), (200, "Steve"));
            let done = vote(&mut ada, &slug, "Ada_V").await;
            assert_eq!(done.redirect_target(), format!("/servers/{slug}/vote?done=voted"));
            let page = ada.get(&format!("/servers/{slug}/vote?done=voted")).await;
            assert!(page.notice().starts_with("Thank you"), "{}", page.html());
            let shown = rollcall_model::time::iso(start_of_day(NOW) + DAY);
            assert!(page.html().contains(&format!("{} votes", votes + 1)) && page.html().contains(&shown));
            let later = ada.get(&format!("/servers/{slug}/vote")).await;
            assert_eq!(later.notice(), "You have voted for this server today.");
            assert!(later.html().contains(&shown) && !later.html().contains("id=\"nickname\""));
            total(&server, &slug, votes + 1).await;
            let voters = format!("/servers/{slug}/voters");
            server.until(&voters, |response| response.data()["voters"][0]["type"] == "auth").await;
            let mut elsewhere = ada.clone().at("203.0.113.9");
            let account = vote(&mut elsewhere, &slug, "Other").await;
            assert_eq!((account.status, account.header("retry-after").is_some()), (409, true));
            assert_eq!(account.notice(), "Your account has already voted for this server today.");
            let mut name = Browser::new(&server);
            assert_eq!(
                vote(&mut name, &slug, "ADA_v").await.notice(),
                "Someone has already voted for this server with this name today."
            );
            let mut address = Browser::new(&server).at(ada.address());
            let again = vote(&mut address, &slug, "Someone").await;
            assert_eq!(again.notice(), "Someone has already voted for this server from your network today.");
            // A name that nobody has, without an account, is not shown.
            let mut stranger = Browser::new(&server);
            assert_eq!(vote(&mut stranger, &slug, "Nobody_77").await.status, 303);
            total(&server, &slug, votes + 2).await;
            let voters = format!("/servers/{slug}/voters");
            server.until(&voters, |response| response.data()["voters"][0]["gameUsername"] == "Anonymous").await;
            let tomorrow = start_of_day(NOW) + DAY;
            server.clock.set(tomorrow - 1);
            assert_eq!(vote(&mut stranger, &slug, "Nobody_77").await.status, 409);
            server.clock.set(tomorrow);
            assert_eq!(ada.get(&format!("/servers/{slug}/vote")).await.field("nickname"), "Ada_V", "remembered");
            assert_eq!(vote(&mut stranger, &slug, "Nobody_77").await.status, 303);
            total(&server, &slug, votes + 3).await;
        });
        assert_recount(&server.store);
    }
}

#[test]
fn bad_votes_say_what_is_right() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (slug, votes) = first_server(&server).await;
            let mut browser = Browser::new(&server);
            let empty = vote(&mut browser, &slug, "").await;
            assert_eq!((empty.status, empty.notice().as_str()), (422, "Enter your name in the game."));
            // Plugins put names into console commands.
            for name in [
                "@a",
                "@e[type=player]",
                "\"; op me",
                "Bob 64 diamond",
                "%player%",
                "-x",
                "..x",
                "<script>",
                "§cRed",
                "a\u{200b}b",
                "a\u{202e}b",
                "Ада",
                "seventeen_letters",
                &"x".repeat(10_000),
            ] {
                let response = vote(&mut browser, &slug, name).await;
                assert_eq!((response.status, response.notice().as_str()), (422, JAVA_NAMES), "{name}");
                let start: String = name.chars().take(30).collect();
                let encoded = utf8_percent_encode(&start, NON_ALPHANUMERIC);
                let page = browser.get(&format!("/servers/{slug}/vote?name={encoded}")).await;
                assert_eq!(page.field("nickname"), "", "{name}");
            }
            assert_eq!(browser.get("/servers/none-such/vote").await.status, 404);
            assert_eq!(vote(&mut browser, "none-such", "Ada").await.status, 404);
            for i in 0..20 {
                vote(&mut browser, &slug, &format!("Voter{i}")).await;
            }
            let many = vote(&mut browser, &slug, "Voter99").await;
            assert_eq!((many.status, many.header("retry-after").is_some()), (429, true));
            total(&server, &slug, votes + 1).await;
        });
    }
}

#[test]
fn a_vote_is_for_a_name_that_the_server_can_have() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (slug, votes) = first_server(&server).await;
            for (i, name) in ["___", ".Steve", "*Alex", "sixteen_letters_"].into_iter().enumerate() {
                assert_eq!(vote(&mut Browser::new(&server), &slug, name).await.status, 303, "{name}");
                total(&server, &slug, votes + 1 + i as i64).await;
            }
            let mut bob = Browser::new(&server);
            assert_eq!(vote(&mut bob, &slug, "Bob Smith").await.status, 422);
            let set = crate::harness::run_blocking(|| {
                server.store.rollcall(&["server", "set", &slug, "--edition", "bedrock"])
            });
            assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
            // The page offers only names that the server can have.
            until(async || match bob.get(&format!("/servers/{slug}/vote?name=Bob%20Smith")).await.field("nickname") {
                name if name == "Bob Smith" => Ok(()),
                name => Err(format!("the page offers {name:?}")),
            })
            .await;
            for name in ["Bob  Smith", "Bob Smith!", "Bob 64 diamonds now"] {
                let response = vote(&mut bob, &slug, name).await;
                assert_eq!((response.status, response.notice().as_str()), (422, BEDROCK_NAMES), "{name}");
            }
            assert_eq!(vote(&mut bob, &slug, "Bob Smith").await.status, 303);
            assert_eq!(
                bob.get(&format!("/servers/{slug}/vote")).await.notice(),
                "You have voted for this server today."
            );
        });
    }
}

#[test]
fn a_held_word_is_not_shown_as_a_name() {
    for engine in Engine::BOTH {
        let world = Server::own(engine).stop();
        let server = Server::set_up(world, NOW, |config| {
            config.http.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
            config.moderation.held_words = vec!["casino*".to_owned()];
        });
        server.run(async {
            let (slug, votes) = first_server(&server).await;
            for (i, (account, name, shown)) in
                [("first-voter", "Plain_77", "Plain_77"), ("second-voter", "Casino77", "Anonymous")]
                    .into_iter()
                    .enumerate()
            {
                let mut voter = Browser::signed_up(&server, account).await;
                assert_eq!(vote(&mut voter, &slug, name).await.status, 303);
                total(&server, &slug, votes + 1 + i as i64).await;
                let voters = format!("/servers/{slug}/voters");
                server.until(&voters, |response| response.data()["voters"][0]["gameUsername"] == shown).await;
            }
        });
    }
}

#[test]
fn simultaneous_votes_on_two_nodes_count_once() {
    for engine in Engine::BOTH {
        let first = server(engine);
        let second = node(first.store.clone());
        let (slug, votes) = first.run(first_server(&first));
        let account = first.run(Browser::signed_up(&first, "many-votes"));
        // One name, one address, one account: each 64 times at once.
        for kind in ["name", "address", "account"] {
            let tasks: Vec<_> = (0..64)
                .map(|i| {
                    let server = if i % 2 == 0 { &first } else { &second };
                    let mut browser = match kind {
                        "account" => account.clone().on(server).at(&format!("198.51.100.{i}")),
                        "address" => Browser::new(server).at("192.0.2.77"),
                        _ => Browser::new(server),
                    };
                    let name = if kind == "name" { "OneName".to_owned() } else { format!("{kind}{i}") };
                    let slug = slug.clone();
                    async move { vote(&mut browser, &slug, &name).await.status }
                })
                .collect();
            let statuses = first.run(futures_util::future::join_all(tasks));
            let cast = statuses.iter().filter(|status| **status == 303).count();
            assert_eq!(cast, 1, "{engine:?} {kind}: {statuses:?}");
        }
        first.run(total(&first, &slug, votes + 3));
        assert_recount(&first.store);
    }
}

/// The owner of a server, signed in.
async fn owner<'a>(server: &'a Server, slug: &str) -> Browser<'a> {
    let browser = Browser::signed_up(server, "server-owner").await;
    let output =
        crate::harness::run_blocking(|| server.store.rollcall(&["server", "set", slug, "--owner", "server-owner"]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    browser
}

async fn set_receiver(owner: &mut Browser<'_>, slug: &str, fields: &[(&str, &str)]) -> TestResponse {
    let page = format!("/dashboard/servers/{slug}/votes");
    owner.get(&page).await;
    owner.send(&format!("{page}/receiver"), fields).await
}

fn receiver_fields<'a>(port: &'a str, secret: &'a str) -> [(&'a str, &'a str); 4] {
    [("protocol", "v2"), ("host", "127.0.0.1"), ("port", port), ("secret", secret)]
}

/// A receiver that the first server's votes go to, the slug of that server, and its owner.
async fn delivering(server: &Server) -> (FakeReceiver, String, Browser<'_>) {
    let (slug, _) = first_server(server).await;
    let receiver = FakeReceiver::start(Settings::with_token(TOKEN)).await.expect("a free port");
    let mut owner = owner(server, &slug).await;
    let port = receiver.address().port().to_string();
    let set = set_receiver(&mut owner, &slug, &receiver_fields(&port, TOKEN)).await;
    assert_eq!(set.redirect_target(), format!("/dashboard/servers/{slug}/votes?done=receiver-set"));
    (receiver, slug, owner)
}

/// Waits until the owner's page shows this many deliveries in a state.
async fn until_delivered(owner: &mut Browser<'_>, slug: &str, pill: &str) -> TestResponse {
    until(async || {
        let page = owner.get(&format!("/dashboard/servers/{slug}/votes")).await;
        if page.html().contains(pill) { Ok(page) } else { Err(format!("no {pill} in {}", page.html())) }
    })
    .await
}

/// Waits until what is due now has been tried.
async fn until_nothing_is_due(server: &Server) {
    server.until_run("vote_deliveries").await;
    let sql = "select count(*) from vote_deliveries where state = 'sending'";
    until(async || match server.store.change(|conn| conn.query_one(sql, &[], |row| row.get::<i64>(0))) {
        0 => Ok(()),
        count => Err(format!("{count} votes are being sent")),
    })
    .await;
}

async fn votes_of(count: usize, server: &Server, slug: &str, prefix: &str) {
    for i in 0..count {
        let response = vote(&mut Browser::new(server), slug, &format!("{prefix}{i}")).await;
        assert_eq!(response.status, 303, "{}", response.notice());
    }
}

#[test]
fn votes_are_delivered_once() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (receiver, slug, mut owner) = delivering(&server).await;
            let wrong = set_receiver(&mut owner, &slug, &receiver_fields("99999", TOKEN)).await;
            assert_eq!(
                (wrong.status, wrong.notice().as_str()),
                (422, "The port must be a number from 1 to 65535; Votifier&#39;s is 8192.")
            );
            let page = owner.get(&format!("/dashboard/servers/{slug}/votes")).await;
            assert!(!page.html().contains(TOKEN), "the token is not shown again");
            let test = owner.send(&format!("/dashboard/servers/{slug}/votes/test"), &[]).await;
            assert!(test.notice().starts_with("The test vote arrived"), "{}", test.html());
            votes_of(3, &server, &slug, "Once").await;
            let page = until_delivered(&mut owner, &slug, "Delivered: 3").await.html();
            let top = page.split("id=\"top\"").nth(1).expect("the top voters");
            assert!(top.contains("Once0") && !top.contains("Anonymous"), "{top}");
            // The secret stays when the field is empty, for the same protocol.
            let port = receiver.address().port().to_string();
            let kept = set_receiver(&mut owner, &slug, &receiver_fields(&port, "")).await;
            assert_eq!(kept.status, 303, "{}", kept.notice());
            let other = [("protocol", "v1"), ("host", "127.0.0.1"), ("port", &port), ("secret", "")];
            assert_eq!(set_receiver(&mut owner, &slug, &other).await.status, 422);
            let test = owner.send(&format!("/dashboard/servers/{slug}/votes/test"), &[]).await;
            assert!(test.notice().starts_with("The test vote arrived"), "{}", test.html());
            let mut names: Vec<String> = receiver.votes().into_iter().map(|vote| vote.username).collect();
            names.sort();
            assert_eq!(names, ["Once0", "Once1", "Once2", "RollcallTest", "RollcallTest"]);
            let vote = receiver.votes().pop().expect("a vote");
            assert_eq!((vote.version, vote.service.as_str(), vote.address.as_str()), (2, "Rollcall", "0.0.0.0"));
            let csv = owner.get(&format!("/dashboard/servers/{slug}/votes.csv")).await;
            assert_eq!(
                csv.header("content-disposition"),
                Some(format!("attachment; filename=\"votes-{slug}.csv\"").as_str())
            );
            assert_eq!(csv.html().lines().count(), 4);
            // Others do not see it.
            let mut other = Browser::signed_up(&server, "another-user").await;
            assert_eq!(other.get(&format!("/dashboard/servers/{slug}/votes")).await.status, 404);
            assert_eq!(other.send(&format!("/dashboard/servers/{slug}/votes/test"), &[]).await.status, 404);
        });
    }
}

#[test]
fn a_name_that_was_accepted_before_is_not_sent() {
    let server = server(Engine::Sqlite);
    server.run(async {
        let (receiver, slug, mut owner) = delivering(&server).await;
        let voted = slug.clone();
        server.store.change(|conn| {
            let n = conn.query_one("select n from servers where slug = $1", values![voted], |row| row.get(0))?;
            let ballot = Ballot {
                server_n: n,
                at: NOW,
                account_n: None,
                nickname: "@a".to_owned(),
                shows_nickname: true,
                address: "198.51.100.1".to_owned(),
            };
            voting::cast(conn, &[ballot])
        });
        let page = until_delivered(&mut owner, &slug, "Rejected: 1").await.html();
        assert!(page.contains("the name has characters that no name of a player has"), "{page}");
        assert_eq!(receiver.connections(), 0);
    });
}

#[test]
fn two_nodes_send_each_vote_of_a_long_queue_once() {
    const SERVERS: i64 = 6;
    const VOTES: i64 = 60;
    for engine in Engine::BOTH {
        let first = server(engine);
        let _second = node(first.store.clone());
        let receiver = first.run(FakeReceiver::start(Settings::with_token(TOKEN))).expect("a free port");
        let settings = VoteReceiver {
            protocol: "v2".into(),
            host: "127.0.0.1".into(),
            port: i64::from(receiver.address().port()),
            secret: Secret::from(TOKEN),
            repeats_uncertain: false,
            failures: 0,
        };
        first.store.change(|conn| {
            let sql = "select n from servers where visibility = 'PUBLIC' order by n limit $1";
            let servers: Vec<i64> = conn.query(sql, values![SERVERS], |row| row.get(0))?;
            for server_n in &servers {
                receivers::set(conn, *server_n, &settings, &Author::command_line(NOW))?;
            }
            let ballot = |i: i64| Ballot {
                server_n: servers[(i % SERVERS) as usize],
                at: NOW,
                account_n: None,
                nickname: format!("Queued{i:03}"),
                shows_nickname: true,
                address: format!("198.51.{}.{}", i / 100, i % 100),
            };
            voting::cast(conn, &(0..SERVERS * VOTES).map(ballot).collect::<Vec<_>>())
        });
        let unfinished = || -> i64 {
            let sql = "select count(*) from vote_deliveries where state in ('waiting', 'sending', 'retrying')";
            first.store.change(|conn| conn.query_one(sql, &[], |row| row.get(0)))
        };
        first.run(until(async || match unfinished() {
            0 => Ok(()),
            left => Err(format!("{left} deliveries have not ended")),
        }));
        let mut names: Vec<String> = receiver.votes().into_iter().map(|vote| vote.username).collect();
        names.sort();
        let sent: Vec<String> = (0..SERVERS * VOTES).map(|i| format!("Queued{i:03}")).collect();
        assert_eq!(names, sent, "{engine:?}");
    }
}

#[test]
fn an_account_may_send_ten_test_votes_a_minute() {
    let server = server(Engine::Sqlite);
    server.run(async {
        let (receiver, slug, mut owner) = delivering(&server).await;
        let path = format!("/dashboard/servers/{slug}/votes/test");
        for _ in 0..10 {
            assert_eq!(owner.send(&path, &[]).await.status, 200);
        }
        let refused = owner.send(&path, &[]).await;
        assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true));
        assert_eq!(refused.notice(), "You sent too many test votes within a minute. Try again shortly.");
        assert_eq!(receiver.connections(), 10);
        server.clock.set(NOW + MINUTE);
        assert!(owner.send(&path, &[]).await.notice().starts_with("The test vote arrived"));
    });
}

#[test]
fn votes_arrive_by_votifier_v1() {
    let server = server(Engine::Sqlite);
    server.run(async {
        let (slug, _) = first_server(&server).await;
        let key = TestKey::generate();
        let public_key = key.public_key().to_owned();
        let decrypt = std::sync::Arc::new(move |block: &[u8; 256]| key.decrypt(block));
        let settings = Settings { decrypt: Some(decrypt), ..Settings::default() };
        let receiver = FakeReceiver::start(settings).await.expect("a free port");
        let port = receiver.address().port().to_string();
        let mut owner = owner(&server, &slug).await;
        let fields = [("protocol", "v1"), ("host", "127.0.0.1"), ("port", &port), ("secret", &public_key)];
        assert_eq!(set_receiver(&mut owner, &slug, &fields).await.status, 303);
        votes_of(1, &server, &slug, "Old").await;
        let page = until_delivered(&mut owner, &slug, "Sent: 1").await.html();
        assert!(page.contains("sent; receivers of version 1 do not confirm votes"), "{page}");
        let votes = receiver.votes();
        assert_eq!((votes.len(), votes[0].version, votes[0].username.as_str()), (1, 1, "Old0"));
        let test = owner.send(&format!("/dashboard/servers/{slug}/votes/test"), &[]).await;
        assert!(test.notice().starts_with("The test vote was sent. Receivers of version 1 do not confirm votes"));
    });
}

#[test]
fn an_offline_receiver_gets_its_votes_within_three_days() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (receiver, slug, mut owner) = delivering(&server).await;
            let address = receiver.address();
            receiver.stop().await;
            votes_of(2, &server, &slug, "First").await;
            let page = until_delivered(&mut owner, &slug, "Retrying: 1").await;
            assert!(page.html().contains("refused"), "the last error in words: {}", page.html());
            let next = rollcall_model::time::iso(NOW + MINUTE);
            assert!(
                page.html().contains(&format!("Next try: <span class=\"nowrap\"><time datetime=\"{next}\">")),
                "{}",
                page.html()
            );
            // It comes back after two days, and gets both.
            let receiver = FakeReceiver::start_at(address, Settings::with_token(TOKEN)).await.expect("the same port");
            server.clock.set(NOW + 2 * DAY);
            until_delivered(&mut owner, &slug, "Delivered: 2").await;
            assert_eq!(receiver.votes().len(), 2);
            receiver.stop().await;
            // Five days offline: nothing is left to try.
            votes_of(2, &server, &slug, "Later").await;
            for hour in 1..=5 * 24 {
                server.clock.set(NOW + 2 * DAY + hour * HOUR);
                if hour % 24 == 0 {
                    until_nothing_is_due(&server).await;
                }
            }
            let page = until_delivered(&mut owner, &slug, "Rejected: 2").await;
            assert!(page.html().contains("the receiver could not be reached for three days"));
            let receiver = FakeReceiver::start_at(address, Settings::with_token(TOKEN)).await.expect("the same port");
            server.clock.set(NOW + 8 * DAY);
            until_nothing_is_due(&server).await;
            let page = until_delivered(&mut owner, &slug, "Rejected: 2").await;
            assert_eq!(receiver.votes().len(), 0, "{engine:?}");
            // The owner decides to send one of them again.
            let id =
                page.html().split("/resend").next().and_then(|html| html.rsplit('/').next()).expect("an id").to_owned();
            let resent = owner.send(&format!("/dashboard/servers/{slug}/votes/{id}/resend"), &[]).await;
            assert_eq!(resent.redirect_target(), format!("/dashboard/servers/{slug}/votes?done=resent"));
            until_delivered(&mut owner, &slug, "Delivered: 3").await;
            assert_eq!(receiver.votes().len(), 1);
        });
    }
}

#[test]
fn a_vote_that_may_have_arrived_is_not_sent_again() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (receiver, slug, mut owner) = delivering(&server).await;
            let port = receiver.address().port().to_string();
            receiver.set_behaviour(Behaviour::CloseAfterRead);
            votes_of(1, &server, &slug, "Maybe").await;
            until_delivered(&mut owner, &slug, "Uncertain: 1").await;
            server.clock.set(NOW + HOUR);
            until_nothing_is_due(&server).await;
            until_delivered(&mut owner, &slug, "Uncertain: 1").await;
            assert_eq!(receiver.votes().len(), 1, "{engine:?}");
            receiver.set_behaviour(Behaviour::ErrorAnswer {
                cause: "CorruptedFrameException".into(),
                error: "Signature is not valid".into(),
            });
            votes_of(1, &server, &slug, "Wrong").await;
            let page = until_delivered(&mut owner, &slug, "Rejected: 1").await;
            assert!(page.html().contains("does not accept the signature"), "{}", page.html());
            // Owners may prefer two rewards to none.
            let fields =
                [("protocol", "v2"), ("host", "127.0.0.1"), ("port", &port), ("secret", TOKEN), ("repeats", "on")];
            set_receiver(&mut owner, &slug, &fields).await;
            receiver.set_behaviour(Behaviour::CloseAfterRead);
            votes_of(1, &server, &slug, "Twice").await;
            until_delivered(&mut owner, &slug, "Retrying: 1").await;
            receiver.set_behaviour(Behaviour::Normal);
            server.clock.set(NOW + 2 * HOUR);
            until_delivered(&mut owner, &slug, "Delivered: 1").await;
            let names: Vec<String> = receiver.votes().into_iter().map(|vote| vote.username).collect();
            assert_eq!(names, ["Maybe0", "Twice0", "Twice0"]);
        });
    }
}

#[test]
fn private_receivers_are_refused() {
    let world = Server::own(Engine::Sqlite).stop();
    let server = Server::over(world, NOW);
    server.run(async {
        let (receiver, slug, mut owner) = delivering(&server).await;
        owner.get(&format!("/dashboard/servers/{slug}/votes")).await;
        let test = owner.send(&format!("/dashboard/servers/{slug}/votes/test"), &[]).await;
        assert!(test.notice().starts_with("The test vote was not sent:"), "{}", test.notice());
        assert_eq!(receiver.connections(), 0);
    });
}

/// The token with which a server asks for votes.
fn token_of(server: &Server, slug: &str) -> String {
    let output = crate::harness::run_blocking(|| server.store.rollcall(&["server", "token", slug]));
    String::from_utf8(output.stdout).expect("plain text").trim().to_owned()
}

/// Asks for the vote of a name, or claims it.
async fn ask(server: &Server, method: Method, action: &str, key: &str, name: &str) -> (u16, String) {
    let path = format!("/api/?{action}object=votes&element=claim&key={key}&username={name}");
    let response = server.raw(method, &path, &[]).await;
    (response.status, response.html())
}

fn is(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

#[test]
fn a_vote_that_may_have_arrived_cannot_be_claimed() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (receiver, slug, mut owner) = delivering(&server).await;
            let token = token_of(&server, &slug);
            let check = async |name: &str| ask(&server, Method::GET, "", &token, name).await;
            let claim = async |name: &str| ask(&server, Method::GET, "action=post&", &token, name).await;
            receiver.set_behaviour(Behaviour::CloseAfterRead);
            votes_of(1, &server, &slug, "Maybe").await;
            until_delivered(&mut owner, &slug, "Uncertain: 1").await;
            assert_eq!((check("Maybe0").await, claim("Maybe0").await), (is(200, "2"), is(200, "0")), "{engine:?}");
            receiver.set_behaviour(Behaviour::NeverAnswer);
            votes_of(1, &server, &slug, "Being").await;
            until_delivered(&mut owner, &slug, "Sending: 1").await;
            assert_eq!((check("Being0").await, claim("Being0").await), (is(200, "2"), is(200, "0")), "{engine:?}");
            // The owner prefers two rewards to none.
            let port = receiver.address().port().to_string();
            let fields =
                [("protocol", "v2"), ("host", "127.0.0.1"), ("port", &port), ("secret", TOKEN), ("repeats", "on")];
            assert_eq!(set_receiver(&mut owner, &slug, &fields).await.status, 303);
            assert_eq!((check("Maybe0").await, claim("Maybe0").await), (is(200, "1"), is(200, "1")), "{engine:?}");
            assert_eq!((check("Maybe0").await, claim("Maybe0").await), (is(200, "2"), is(200, "0")), "{engine:?}");
        });
    }
}

#[test]
fn a_game_server_may_ask_for_votes_and_claim_them() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let (slug, _) = first_server(&server).await;
            let token = token_of(&server, &slug);
            let ask = async |action: &str, key: &str, name: &str| ask(&server, Method::GET, action, key, name).await;
            assert_eq!(ask("", &token, "Claimer0").await, is(200, "0"));
            assert_eq!(ask("action=post&", &token, "Claimer0").await, is(200, "0"));
            votes_of(1, &server, &slug, "Claimer").await;
            assert_eq!(ask("", &token, "claimer0").await, is(200, "1"));
            assert_eq!(ask("action=post&", &token, "Claimer0").await, is(200, "1"));
            assert_eq!(ask("action=post&", &token, "Claimer0").await, is(200, "0"));
            assert_eq!(ask("", &token, "Claimer0").await, is(200, "2"));
            server.clock.set(NOW + DAY + MINUTE);
            assert_eq!(ask("", &token, "Claimer0").await, is(200, "0"));
            assert_eq!(ask("", "rcs_wrong", "Claimer0").await.0, 401);
            // Some plugins claim with POST.
            let post = async |name: &str| self::ask(&server, Method::POST, "action=post&", &token, name).await;
            votes_of(1, &server, &slug, "Poster").await;
            assert_eq!((post("Poster0").await, post("Poster0").await), (is(200, "1"), is(200, "0")));
            for name in ["", "%00", "a%0Ab", &"x".repeat(65)] {
                let (status, answer) = ask("", &token, name).await;
                let answer: serde_json::Value = serde_json::from_str(&answer).expect("a JSON body");
                let wrong = json!({"success": false, "error": "username must be the name of a player"});
                assert_eq!((status, answer), (400, wrong), "{name}");
            }
            let wrong = server.raw(Method::GET, "/api/?object=servers", &[]).await;
            assert_eq!(
                (wrong.status, wrong.json()),
                (400, json!({"success": false, "error": "object must be votes and element must be claim"}))
            );
        });
    }
}

#[test]
fn voters_see_when_they_may_vote_again() {
    let server = server(Engine::Sqlite);
    server.run(async {
        let (slug, _) = first_server(&server).await;
        let mut voter = Browser::signed_up(&server, "regular-voter").await;
        assert!(voter.get("/dashboard/votes").await.html().contains("You have not voted yet."));
        vote(&mut voter, &slug, "Regular").await;
        let page = voter.get("/dashboard/votes").await.html();
        assert!(page.contains("2026-06-04T00:00:00") && !page.contains("Vote now"), "{page}");
        server.clock.set(NOW + DAY);
        assert!(voter.get("/dashboard/votes").await.html().contains("Vote now"));
    });
}

#[test]
fn a_receiver_that_hangs_delays_nobody_else() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let data = server.get("/servers?sort=name&limit=2").await.data();
            let slugs: Vec<&str> = (0..2).map(|i| data["servers"][i]["slug"].as_str().expect("a slug")).collect();
            let hanging = FakeReceiver::start(Settings::with_token(TOKEN)).await.expect("a free port");
            hanging.set_behaviour(Behaviour::NeverAnswer);
            let healthy = FakeReceiver::start(Settings::with_token(TOKEN)).await.expect("a free port");
            let mut owner = owner(&server, slugs[0]).await;
            let output = crate::harness::run_blocking(|| {
                server.store.rollcall(&["server", "set", slugs[1], "--owner", "server-owner"])
            });
            assert!(output.status.success());
            for (slug, receiver) in slugs.iter().zip([&hanging, &healthy]) {
                let port = receiver.address().port().to_string();
                assert_eq!(set_receiver(&mut owner, slug, &receiver_fields(&port, TOKEN)).await.status, 303);
            }
            // More than are claimed at once.
            let slug = slugs[0].to_owned();
            server.store.change(|conn| {
                let n = conn.query_one("select n from servers where slug = $1", values![slug], |row| row.get(0))?;
                let ballot = |i: i64| Ballot {
                    server_n: n,
                    at: NOW,
                    account_n: None,
                    nickname: format!("Many{i}"),
                    shows_nickname: true,
                    address: format!("198.51.{}.{}", i / 100, i % 100),
                };
                voting::cast(conn, &(0..200).map(ballot).collect::<Vec<_>>())
            });
            votes_of(1, &server, slugs[1], "Quick").await;
            until_delivered(&mut owner, slugs[1], "Delivered: 1").await;
            assert_eq!((healthy.votes().len(), hanging.votes().len() <= 1), (1, true), "{engine:?}");
        });
    }
}
