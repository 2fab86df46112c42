//! `/servers` and `/servers/{slug}`.

use serde_json::Value;

use super::{attributes, page, page_with};
use crate::harness::{Engine, PUBLIC_URL, Server, shared};

/// As askama writes text.
fn escaped(text: &str) -> String {
    let mut html = String::new();
    for c in text.chars() {
        match c {
            '<' => html.push_str("&#60;"),
            '>' => html.push_str("&#62;"),
            '&' => html.push_str("&#38;"),
            '"' => html.push_str("&#34;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
    html
}

/// The slugs that a list page links, in order.
fn listed(html: &str) -> Vec<String> {
    let rows = html.split("<a class=\"cover\" href=\"/servers/").skip(1);
    rows.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

async fn slugs(server: &Server, query: &str) -> Vec<String> {
    let data = server.get(&format!("/servers{query}")).await.data();
    let servers = data["servers"].as_array().expect("servers");
    servers.iter().map(|server| server["slug"].as_str().expect("a slug").to_owned()).collect()
}

#[tokio::test]
async fn the_list_equals_the_api_for_every_sort_and_filter() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let first = server.get("/servers?sort=players&limit=1").await.data()["servers"][0].clone();
        let tag = first["tags"][0].as_str().unwrap_or("survival").to_owned();
        let version = first["version"].as_str().expect("a version").replace(' ', "%20");
        let mut queries = vec![
            String::new(),
            "?page=2".into(),
            "?search=e".into(),
            "?minPlayers=5&maxPlayers=100".into(),
            "?minUptime=99.5&onlineOnly=true".into(),
            "?minVotes=10&minRating=3.5".into(),
            format!("?tag={tag}"),
            format!("?version={version}"),
            "?mode=survival&country=germany".into(),
            "?search=&country=&minPlayers=&sort=&page=".into(),
        ];
        for sort in ["recent", "players", "votes", "rating", "uptime", "trending", "name"] {
            queries.push(format!("?sort={sort}"));
        }
        for query in queries {
            let (response, html) = page(server, &format!("/servers{query}")).await;
            assert_eq!(response.status, 200, "{query}");
            assert_eq!(listed(&html), slugs(server, &query).await, "{query}");
        }
    }
}

#[tokio::test]
async fn the_form_shows_the_filters_and_links_keep_them() {
    let server = shared(Engine::Sqlite);
    let (_, html) = page(server, "/servers?sort=votes&search=%22a%26b%22&minRating=2").await;
    assert!(html.contains("name=\"search\" value=\"&#34;a&#38;b&#34;\""));
    assert!(html.contains("<option value=\"votes\" selected>"));
    assert!(html.contains("<details open>"), "a filter that is used is visible");
    let json = "/v1/servers?sort=votes&#38;search=%22a%26b%22&#38;minRating=2";
    assert!(html.contains(json), "the same call of the API");
    let (_, html) = page(server, "/servers?sort=players&limit=5").await;
    assert!(attributes(&html, "href").contains(&"/servers?sort=players&#38;limit=5&#38;page=2"));
    let (_, html) = page(server, "/servers?search=nothing-has-this-name").await;
    assert!(html.contains("No server matches") && html.contains("0 servers match"));
}

#[tokio::test]
async fn a_wrong_value_is_told_on_the_page() {
    for (query, message) in [
        ("?minPlayers=abc", "minPlayers must be a whole number from 0 to"),
        ("?sort=best", "sort must be one of recent, players"),
        ("?minPlayers=9&maxPlayers=3", "minPlayers must not exceed maxPlayers, but 9 exceeds 3"),
    ] {
        let (response, html) = page(shared(Engine::Sqlite), &format!("/servers{query}")).await;
        assert_eq!(response.status, 200, "{query}");
        assert!(html.contains("<p class=\"notice bad\" role=\"alert\">") && html.contains(message), "{query}");
    }
    let (response, _) = page(shared(Engine::Sqlite), "/servers?search=%FF").await;
    assert_eq!(response.status, 400);
}

#[tokio::test]
async fn a_server_page_shows_what_the_api_says() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        for slug in slugs(server, "?sort=votes&limit=5").await {
            let detail = server.get(&format!("/servers/{slug}")).await.data()["server"].clone();
            let (response, html) = page(server, &format!("/servers/{slug}")).await;
            assert_eq!(response.status, 200);
            let text = |field: &str| detail[field].as_str().expect(field).to_owned();
            let name = escaped(&text("name"));
            assert!(html.contains(&format!("<h1>{name}</h1>")), "{slug}");
            for picture in ["iconUrl", "bannerUrl", "motdImageUrl"] {
                let path = text(picture).replace(PUBLIC_URL, "");
                assert!(attributes(&html, "src").contains(&path.as_str()), "{slug} {picture}");
            }
            for (figure, value) in [("totalVotes", &detail["totalVotes"]), ("votes", &detail["voteStats"]["7d"])] {
                assert!(html.contains(&value.to_string()), "{slug} {figure}");
            }
            assert_reviews(server, &slug, &html).await;
            assert_eq!(
                html.contains("<span class=\"pill good\">Online</span>"),
                detail["isOnline"] == Value::Bool(true),
                "{slug}"
            );
        }
    }
}

async fn assert_reviews(server: &Server, slug: &str, html: &str) {
    let reviews = server.get(&format!("/servers/{slug}/reviews")).await.data();
    for review in reviews["reviews"].as_array().expect("reviews") {
        assert!(html.contains(&escaped(review["content"].as_str().expect("text"))), "{slug}");
    }
    // The histogram counts every review.
    let bars = html.split("class=\"histogram\"").nth(1).and_then(|rest| rest.split("</table>").next());
    let counts = bars.map_or(0, |bars| {
        let cells = bars.split("<td class=\"number\">").skip(1).filter_map(|rest| rest.split('<').next());
        cells.map(|cell| cell.replace(',', "").parse::<u64>().expect("a count")).sum()
    });
    assert_eq!(Some(counts), reviews["total"].as_u64(), "{slug}");
}

#[tokio::test]
async fn every_period_has_its_chart_and_its_call() {
    let server = shared(Engine::Sqlite);
    let slug = &slugs(server, "?sort=players&limit=1").await[0];
    for period in ["7d", "30d", "90d", "all-time"] {
        let (_, html) = page(server, &format!("/servers/{slug}?period={period}")).await;
        let history = server.get(&format!("/servers/{slug}?period={period}")).await.data();
        let points = history["server"]["statsHistory"].as_array().expect("points").len();
        let chart = html.split("<section id=\"history\"").nth(1).and_then(|rest| rest.split("</figure>").next());
        let rows = chart.expect("a chart").matches("<tr><td><time").count();
        assert_eq!(rows, points.div_ceil(points.div_ceil(240).max(1)), "{period}");
        assert!(html.contains(&format!("/v1/servers/{slug}?period={period}")), "{period}");
    }
    let (response, _) = page(server, &format!("/servers/{slug}?period=1h")).await;
    assert_eq!(response.status, 400);
}

#[tokio::test]
async fn unknown_servers_are_a_404_page() {
    for engine in Engine::BOTH {
        for path in ["/servers/no-such-server", "/servers/%FF", "/servers/a%2Fb"] {
            let (response, html) = page(shared(engine), path).await;
            assert_eq!(response.status, 404, "{path}");
            assert!(html.contains("<html lang=\"en\">"), "{path}");
        }
    }
}

#[tokio::test]
async fn search_engines_get_structured_data_that_no_name_can_break() {
    let server = Server::own(Engine::Sqlite);
    let slug = &slugs(&server, "?sort=votes&limit=1").await[0];
    let hostile = "</script><script>alert(1)</script>";
    server.store.change(|conn| {
        let rev = rollcall_store::revision::bump(conn)?;
        let sql = "update servers set name = $1, rev = $2 where slug = $3";
        conn.execute(sql, rollcall_store::values![hostile, rev, slug.as_str()]).map(drop)
    });
    server.until("/servers?sort=votes", |response| response.data()["servers"][0]["name"] == hostile).await;
    for path in [format!("/servers/{slug}"), "/".into(), "/servers?sort=votes".into()] {
        let (_, html) = page_with(&server, &path, &[("cookie", "theme=dark")]).await;
        assert!(!html.contains("<script>alert"), "{path}");
        assert!(html.contains("&#60;script&#62;alert"), "{path}");
    }
    let (_, html) = page(&server, &format!("/servers/{slug}")).await;
    let data =
        html.split("<script type=\"application/ld+json\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let data: Value = serde_json::from_str(data.expect("structured data")).expect("JSON");
    assert_eq!((data["@type"].as_str(), data["name"].as_str()), (Some("GameServer"), Some(hostile)));
    assert!(html.contains(&format!("<meta property=\"og:image\" content=\"{PUBLIC_URL}/card/server/{slug}.png\">")));
}
