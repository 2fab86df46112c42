use rollcall_store::{revision, values};

use super::{escaped, page};
use crate::harness::{Engine, Server, shared};

#[tokio::test]
async fn the_board_is_the_api_with_every_metric_period_and_filter() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        for query in [
            "",
            "?metric=sessions",
            "?metric=servers&period=7d",
            "?period=30d&page=2",
            "?tier=Unranked",
            "?achievement=explorer&limit=5",
            "?search=an&metric=sessions&period=90d",
        ] {
            let board = server.get(&format!("/leaderboards{query}")).await.data();
            let (answer, html) = page(server, &format!("/leaderboards{query}")).await;
            assert_eq!(answer.status, 200, "{query}");
            let entries = board["leaderboard"]["entries"].as_array().unwrap();
            let expected: Vec<String> =
                entries.iter().map(|entry| escaped(entry["player"]["mainNickname"].as_str().unwrap())).collect();
            let shown: Vec<&str> = html.split("<bdi>").skip(1).filter_map(|rest| rest.split("</bdi>").next()).collect();
            assert_eq!(shown, expected, "{query}");
            assert!(!entries.is_empty(), "{query}");
            let has_podium = html.contains("<ol class=\"podium\">");
            let is_first = !["page", "tier", "achievement", "search"].iter().any(|filter| query.contains(filter));
            assert_eq!(has_podium, is_first, "{query}");
            assert!(html.contains(&format!("<code>GET /v1/leaderboards{}</code>", escaped(query))), "{query}");
        }
    }
}

#[tokio::test]
async fn links_keep_the_other_choices() {
    let (_, html) = page(shared(Engine::Sqlite), "/leaderboards?metric=sessions&period=7d&tier=Unranked&page=2").await;
    for link in [
        "href=\"/leaderboards?period=7d&#38;tier=Unranked\"",
        "href=\"/leaderboards?period=7d&#38;tier=Unranked&#38;metric=servers\"",
        "href=\"/leaderboards?metric=sessions&#38;tier=Unranked&#38;period=24h\"",
        "href=\"/leaderboards?metric=sessions&#38;tier=Unranked\"",
        "href=\"/leaderboards?metric=sessions&#38;period=7d\">Reset",
        "<input type=\"hidden\" name=\"metric\" value=\"sessions\"><input type=\"hidden\" name=\"period\" value=\"7d\">",
        "<option value=\"Unranked\" selected>",
    ] {
        assert!(html.contains(link), "{link}");
    }
}

#[tokio::test]
async fn the_language_is_no_part_of_the_links() {
    let (_, html) = page(shared(Engine::Sqlite), "/leaderboards?lang=tr&period=7d").await;
    for text in [
        "<link rel=\"canonical\" href=\"https://rollcall.test/leaderboards?period=7d&#38;lang=tr\">",
        "<code>GET /v1/leaderboards?period=7d</code>",
        "href=\"/leaderboards?period=7d&#38;metric=sessions\"",
        "href=\"/leaderboards?period=7d&#38;page=2\"",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

#[tokio::test]
async fn wrong_parameters_and_empty_boards_are_told_on_the_page() {
    for engine in Engine::BOTH {
        let (answer, html) = page(shared(engine), "/leaderboards?metric=kills").await;
        assert_eq!(answer.status, 200);
        assert!(html.contains("metric must be one of best, sessions, servers, not &#34;kills&#34;"));
        let (_, html) = page(shared(engine), "/leaderboards?achievement=unknown").await;
        assert!(html.contains("No player matches"));
        let (answer, html) = page(&Server::empty(engine), "/leaderboards").await;
        assert!(answer.status == 200 && html.contains("No player matches"));
    }
}

#[tokio::test]
async fn a_hostile_nickname_is_text() {
    let hostile = "</script><img src=x onerror=alert(1)>\u{202e}";
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let first =
            |response: &crate::harness::TestResponse| response.data()["leaderboard"]["entries"][0]["player"].clone();
        let id = first(&server.get("/leaderboards").await)["id"].as_str().unwrap().to_owned();
        server.store.change(|conn| {
            let rev = revision::bump(conn)?;
            conn.execute("update players set nickname = $1, rev = $2 where id = $3", values![hostile, rev, &*id])
        });
        server.until("/leaderboards", |response| first(response)["mainNickname"] == hostile).await;
        let (_, html) = page(&server, "/leaderboards").await;
        assert!(html.contains(&format!("href=\"/players/{id}\"><bdi>{}</bdi>", escaped(hostile))), "{id}");
        assert!(!html.contains("<img src=x"));
    }
}
