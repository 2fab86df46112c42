use reqwest::Method;
use rollcall_search::fold;
use rollcall_store::{revision, values};
use serde_json::Value;

use super::{attributes, escaped, links, page};
use crate::harness::{Engine, NOW, Server, Store, shared};

/// A name that ends elements, attributes and scripts, and turns the reading direction.
const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'\u{202e}";

/// Adds a player who was last seen `ago` milliseconds ago.
fn add(store: &Store, id: &str, nickname: &str, ago: i64) {
    store.change(|conn| {
        let rev = revision::bump(conn)?;
        let uuid = format!("00000000-0000-4000-8000-0000000000{id}");
        conn.execute(
            "insert into players (id, game_uuid, nickname, nickname_key, skin, skin_model, linked_skin_n, tier_overall,
                 tier_points, created_at, updated_at, last_seen_at, total_play_time, session_count, servers_count,
                 total_kills, total_deaths, total_wins, vote_count, review_count, achievements, rev)
             select $1, $2, $3, $4, png, 'classic', n, 'Unranked', 0, $5, $5, $6, 0, 0, 0, 0, 0, 0, 0, 0, 0, $7
             from textures where slug = 'default-classic'",
            values![id, uuid, nickname, fold(nickname), NOW - 1_000, NOW - ago, rev],
        )
    });
}

/// The player with the most sessions.
async fn busiest(server: &Server) -> Value {
    let players = server.get("/players?sort=sessions&limit=1").await.data()["players"].clone();
    let id = players[0]["id"].as_str().unwrap().to_owned();
    server.get(&format!("/players/{id}")).await.data()["player"].clone()
}

#[tokio::test]
async fn the_list_is_the_api_with_every_sort_and_search() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        for query in ["", "?sort=name", "?sort=playtime&page=2", "?sort=sessions&limit=5", "?sort=tier", "?search=an"] {
            let players = server.get(&format!("/players{query}")).await.data();
            let (answer, html) = page(server, &format!("/players{query}")).await;
            assert_eq!(answer.status, 200, "{query}");
            let names = |list: &Value| -> Vec<String> {
                list.as_array().unwrap().iter().map(|p| escaped(p["mainNickname"].as_str().unwrap())).collect()
            };
            let shown: Vec<&str> = html.split("<bdi>").skip(1).filter_map(|rest| rest.split("</bdi>").next()).collect();
            assert_eq!(shown, names(&players["players"]), "{query}");
            let total = players["pagination"]["total"].as_i64().unwrap();
            assert!(html.contains(&format!("{} players match", rollcall_model::score::format_count(total))), "{query}");
            assert_eq!(html.matches("class=\"face\"").count(), shown.len());
            assert!(html.contains(&format!("<code>GET /v1/players{}</code>", escaped(query))), "{query}");
        }
        let (_, sorted) = page(server, "/players?sort=tier&search=a%22b").await;
        assert!(sorted.contains("<option value=\"tier\" selected>") && sorted.contains("value=\"a&#34;b\""));
    }
}

#[tokio::test]
async fn wrong_parameters_of_the_list_are_told_on_the_page() {
    for engine in Engine::BOTH {
        for (query, told) in [
            ("sort=best", "sort must be one of recent, name, playtime, sessions, tier, not &#34;best&#34;"),
            ("page=0", "page must be a whole number from 1 to 2147483647, not &#34;0&#34;"),
            ("limit=1000", "limit must be a whole number from 1 to 100, not &#34;1000&#34;"),
        ] {
            let (answer, html) = page(shared(engine), &format!("/players?{query}")).await;
            assert_eq!(answer.status, 200);
            assert!(html.contains(&format!("<p class=\"notice bad\" role=\"alert\">{told}</p>")), "{query}");
            assert!(html.contains("class=\"person sheet\""), "the list is shown all the same");
        }
        let (answer, html) = page(shared(engine), "/players?page=100000").await;
        assert!(answer.status == 200 && html.contains("No player matches") && !html.contains("role=\"alert\""));
    }
}

#[tokio::test]
async fn a_profile_shows_what_the_api_knows() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let player = busiest(server).await;
        let name = player["mainNickname"].as_str().unwrap();
        let (answer, html) = page(server, &format!("/players/{name}")).await;
        assert_eq!((answer.status, answer.header("cache-control")), (200, Some("no-cache")), "{name}");
        assert!(html.contains(&format!("<h1><bdi>{}</bdi></h1>", escaped(name))));
        let uuid = player["gameUuid"].as_str().unwrap();
        for size in ["face/{}.png?size=128", "body/{}.png?size=512"] {
            assert!(html.contains(&format!("src=\"/render/{}\"", size.replace("{}", uuid))), "{size}");
        }
        for (list, count) in [("recentSessions", 20), ("serversPlayed", 50), ("votedServers", 20), ("reviews", 20)] {
            assert!(player[list].as_array().unwrap().len() <= count);
        }
        for session in player["recentSessions"].as_array().unwrap() {
            assert!(html.contains(session["joinedAt"].as_str().unwrap()), "{session}");
            assert!(html.contains(&format!("href=\"/servers/{}\"", session["server"]["slug"].as_str().unwrap())));
        }
        let days = player["activityData"].as_array().unwrap();
        assert_eq!(html.matches("<rect class=\"l").count(), days.len() + 4, "every active day, and the key");
        for day in days {
            assert!(html.contains(&format!("<time datetime=\"{}\">", day["date"].as_str().unwrap())), "{day}");
        }
        for achievement in player["achievements"]["earned"].as_array().unwrap() {
            assert!(html.contains(&escaped(achievement["label"].as_str().unwrap())), "{achievement}");
        }
        assert_eq!(html.matches("class=\"goal-name\"").count(), 3);
        let card = format!("content=\"https://rollcall.test/card/player/{}.png\"", player["id"].as_str().unwrap());
        assert!(html.contains(&card) && html.contains("\"@type\":\"ProfilePage\""));
        for nickname in player["nicknameHistory"].as_array().unwrap() {
            assert!(html.contains(&escaped(nickname.as_str().unwrap())), "{nickname}");
        }
        let (_, turkish) = page(server, &format!("/players/{name}?lang=tr")).await;
        let earned = &player["achievements"]["earned"][0]["labelTr"];
        assert!(turkish.contains(&escaped(earned.as_str().unwrap())) && turkish.contains("Başarımlar"));
    }
}

#[tokio::test]
async fn a_player_has_one_address_and_all_others_redirect_there() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let player = busiest(server).await;
        let name = player["mainNickname"].as_str().unwrap();
        let uuid = player["gameUuid"].as_str().unwrap();
        let others = [name.to_uppercase(), uuid.to_owned(), uuid.replace('-', "").to_uppercase()];
        for other in others.iter().map(String::as_str).chain([player["id"].as_str().unwrap()]).filter(|o| *o != name) {
            let moved = server.raw(Method::GET, &format!("/players/{other}?lang=ru"), &[]).await;
            assert_eq!((moved.status, moved.header("location")), (308, Some(&*format!("/players/{name}?lang=ru"))));
            assert_eq!(moved.header("cache-control"), Some("no-cache"), "names can change hands");
            let moved = server.raw(Method::GET, &format!("/players/{other}"), &[]).await;
            assert_eq!(moved.header("location"), Some(&*format!("/players/{name}")));
        }
        let (_, html) = page(server, &format!("/players/{name}")).await;
        assert!(html.contains(&format!("<link rel=\"canonical\" href=\"https://rollcall.test/players/{name}\">")));
        for nowhere in ["nobody_at_all", "00000000-0000-4000-8000-00000000dead", "a%00b", "%3Cscript%3E"] {
            let (answer, html) = page(server, &format!("/players/{nowhere}")).await;
            assert_eq!(answer.status, 404, "{nowhere}");
            assert!(html.contains("<h1>Page not found</h1>"), "{nowhere}");
        }
    }
}

#[tokio::test]
async fn an_ambiguous_or_hostile_nickname_leads_to_the_id() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        for (id, nickname, ago) in
            [("01", "Twin", 10), ("02", "tWIN", 20), ("03", HOSTILE, 30), ("04", "02", 40), ("05", "Single", 50)]
        {
            add(&server.store, id, nickname, ago);
        }
        server.until("/players?limit=100", |response| response.data()["pagination"]["total"] == 5).await;
        let target = async |from: &str| {
            let answer = server.raw(Method::GET, &format!("/players/{from}"), &[]).await;
            (answer.status, answer.header("location").unwrap_or_default().to_owned())
        };
        assert_eq!(target("twin").await, (308, "/players/01".into()), "the one seen last, as in the API");
        assert_eq!(target("02").await.0, 200, "an id, though it is a nickname, too");
        assert_eq!(target("04").await.0, 200);
        assert_eq!(target("single").await, (308, "/players/Single".into()));
        let (answer, html) = page(&server, "/players/03").await;
        assert_eq!(answer.status, 200);
        let list = page(&server, "/players?sort=name").await.1;
        let found = page(&server, "/search?q=onerror").await.1;
        let skin = page(&server, "/skins/default-classic").await.1;
        for html in [&list, &html, &found, &skin] {
            assert!(html.contains(&escaped(HOSTILE)), "the name is shown");
            assert!(!html.contains("<img src=x") && !html.contains("</script><img"), "as text");
            assert!(attributes(html, "onerror").is_empty());
        }
        let expected = ["/players/01", "/players/02", "/players/03", "/players/04", "/players/Single"];
        let mut shown = links(&list, "/players/");
        shown.sort_unstable();
        assert_eq!(shown, expected);
    }
}

#[tokio::test]
async fn a_player_without_history_has_a_page() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        add(&server.store, "07", "Newcomer", 0);
        server.until("/players/Newcomer", |response| response.status == 200).await;
        let (answer, html) = page(&server, "/players/Newcomer").await;
        assert_eq!(answer.status, 200);
        for text in ["No session recorded.", "No achievement earned yet.", "0 sessions in the last year", "0 / 50"] {
            assert!(html.contains(text), "{text}");
        }
    }
}
