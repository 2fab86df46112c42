//! The public pages: content security policy, links, size, content and error pages.

use std::collections::HashSet;

use reqwest::Method;
use rollcall::config::Check;
use rollcall::v1::ENDPOINTS;
use rollcall_store::Database;

use crate::harness::{Engine, Server, TestResponse, shared, until};

const PAGES: [&str; 6] = ["/", "/servers", "/status", "/changelog", "/docs", "/playground"];
/// Bytes that a first visit may transfer.
const MAX_FIRST_VISIT: usize = 100_000;

async fn page(server: &Server, path: &str) -> (TestResponse, String) {
    let answer = server.raw(Method::GET, path, &[("accept", "text/html")]).await;
    let html = String::from_utf8(answer.body.clone()).expect("UTF-8");
    (answer, html)
}

/// The values of all attributes with this name.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let mark = format!(" {name}=\"");
    html.split(&mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn pages_follow_their_content_security_policy() {
    for path in PAGES {
        let (answer, html) = page(shared(Engine::Sqlite), path).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html; charset=utf-8")), "{path}");
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(attributes(&html, "style").is_empty() && !html.contains("<style"), "{path} has inline styles");
        let scripts = html.matches("<script").count();
        assert_eq!(scripts, html.matches("<script type=\"module\" src=\"/assets/").count(), "{path}");
        assert!(!html.contains("javascript:") && !html.contains(" onclick"), "{path}");
        assert!(html.contains("<html lang=\"en\">") && html.contains("name=\"viewport\""), "{path}");
    }
}

#[tokio::test]
async fn no_link_is_dead() {
    let server = shared(Engine::Sqlite);
    for path in PAGES {
        let (_, html) = page(server, path).await;
        // Absolute URLs for search engines.
        let html: String =
            html.lines().filter(|line| !line.contains("rel=\"canonical\"") && !line.contains(" hreflang=")).collect();
        let ids: HashSet<&str> = attributes(&html, "id").into_iter().collect();
        assert_eq!(ids.len(), attributes(&html, "id").len(), "{path} has an id twice");
        for link in attributes(&html, "href").into_iter().chain(attributes(&html, "src")) {
            match link.strip_prefix('#') {
                Some(id) => assert!(ids.contains(id), "{path} links to {link}"),
                None => {
                    assert!(link.starts_with('/'), "{path} links to {link}");
                    // No view of a skin: other tests compare the counts of the shared servers.
                    let headers = [("sec-purpose", "prefetch")];
                    let mut answer = server.raw(Method::GET, link, &headers).await;
                    // Pages that need a session redirect to the sign-in page.
                    if answer.status == 303 {
                        answer = server.raw(Method::GET, answer.redirect_target(), &headers).await;
                    }
                    assert_eq!(answer.status, 200, "{path} links to {link}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_first_visit_is_small_and_its_assets_are_cached_forever() {
    let server = shared(Engine::Sqlite);
    let (_, html) = page(server, "/").await;
    let mut weight = server.raw(Method::GET, "/", &[("accept-encoding", "gzip")]).await.body.len();
    let assets: HashSet<&str> = attributes(&html, "href")
        .into_iter()
        .chain(attributes(&html, "src"))
        .filter(|l| l.starts_with("/assets/"))
        .collect();
    let is_flag = |asset: &&str| asset.starts_with("/assets/flag-");
    assert_eq!(assets.iter().filter(|asset| !is_flag(asset)).count(), 3);
    for asset in assets {
        let answer = server.raw(Method::GET, asset, &[("accept-encoding", "gzip")]).await;
        assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"), "{asset}");
        weight += answer.body.len();
    }
    assert!(weight < MAX_FIRST_VISIT, "{weight} bytes");
    assert_eq!(server.raw(Method::GET, "/assets/nothing.js", &[]).await.status, 404);
}

#[tokio::test]
async fn the_home_page_shows_the_numbers_of_the_api() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let (_, html) = page(server, "/").await;
        let live = server.get("/live").await.data();
        for figure in ["totalPlayers", "onlineServers", "totalServers", "peakToday", "newPlayersToday"] {
            let value = live["stats"][figure].as_i64().unwrap();
            let shown = rollcall_model::score::format_count(value);
            assert!(html.contains(&format!("<data value=\"{value}\">{shown}</data>")), "{figure}");
        }
        for busiest in live["topServers"].as_array().unwrap().iter().take(6) {
            let name = busiest["name"].as_str().unwrap().replace('&', "&#38;").replace('\'', "&#39;");
            assert!(html.contains(&format!("<strong class=\"name\">{name}</strong>")), "{name}");
        }
        let hours = server.get("/live/history").await.data()["history"].as_array().unwrap().len();
        assert_eq!(html.matches("<tr><td><time datetime=").count(), hours);
        assert!(html.contains("<path class=\"line\" d=\"M0.0 "));
    }
}

#[tokio::test]
async fn the_home_page_works_with_an_empty_store() {
    for engine in Engine::BOTH {
        let (answer, html) = page(&Server::empty(engine), "/").await;
        assert_eq!(answer.status, 200);
        assert!(html.contains("No data yet."));
    }
}

#[tokio::test]
async fn the_reference_lists_every_endpoint_parameter_and_field() {
    let (_, html) = page(shared(Engine::Sqlite), "/docs").await;
    let document = crate::harness::document();
    for endpoint in ENDPOINTS {
        assert!(html.contains(&format!("<article id=\"{}\"", endpoint.name)), "{}", endpoint.path);
        assert!(html.contains(&format!("<code>/v1{}</code>", endpoint.path)), "{}", endpoint.path);
        let operation = &document["paths"][endpoint.path]["get"];
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            assert!(html.contains(&format!("<td><code>{name}</code>")), "{} {name}", endpoint.path);
        }
    }
    for field in ["servers[].currentPlayers", "pagination.totalPages", "stats.stale", "leaderboard.entries[].rank"] {
        assert!(html.contains(&format!("<td><code>{field}</code></td>")), "{field}");
    }
    assert!(!html.contains('`'), "a stray backtick");
}

#[tokio::test]
async fn no_page_links_to_a_playground_that_is_off() {
    let server = Server::empty_with(Engine::Sqlite, |config| config.playground.check = Check::Off);
    for path in ["/", "/docs", "/playground", "/sign-in", "/sign-up", "/nowhere"] {
        let (_, html) = page(&server, path).await;
        // The page itself still leads to itself in other languages.
        let html = html.replace("href=\"/playground?lang=", "");
        assert!(html.contains("<nav aria-label=\"Main\">") && !html.contains("href=\"/playground"), "{path}");
    }
    let long = format!("/{}", "x".repeat(9000));
    assert!(!page(&server, &long).await.1.contains("href=\"/playground\""));
    for path in ["/", "/docs", "/nowhere"] {
        let (_, html) = page(shared(Engine::Sqlite), path).await;
        assert!(html.contains("href=\"/playground\""), "{path}");
    }
}

#[tokio::test]
async fn an_unknown_path_is_a_page_for_browsers_and_a_line_for_programs() {
    let server = shared(Engine::Sqlite);
    let (answer, html) = page(server, "/nowhere").await;
    assert_eq!(answer.status, 404);
    assert!(html.contains("<h1>Page not found</h1>") && answer.header("content-security-policy").is_some());
    let plain = server.raw(Method::GET, "/nowhere", &[]).await;
    assert_eq!((plain.status, plain.body.as_slice()), (404, &b"Not found.\n"[..]));
}

#[tokio::test]
async fn a_broken_store_is_a_500_page() {
    let server = Server::own(Engine::Sqlite);
    server.store.change(|conn| conn.execute_batch("drop table samples_hour"));
    let (answer, html) = page(&server, "/").await;
    assert_eq!((answer.status, answer.header("retry-after")), (500, None));
    assert!(html.contains("<h1>Internal server error</h1>") && !html.contains("samples_hour"), "{html}");
}

#[tokio::test]
async fn an_unreachable_store_is_a_503_page() {
    let server = Server::own(Engine::Sqlite);
    let Database::Sqlite(file) = server.store.database.clone() else { panic!("SQLite has a file") };
    std::fs::rename(&file, file.with_extension("aside")).unwrap();
    let (answer, html) = until(async || match page(&server, "/").await {
        (answer, _) if answer.status == 200 => Err("the outage is not noticed"),
        page => Ok(page),
    })
    .await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    assert!(html.contains("<h1>Service unavailable</h1>"), "{html}");
}
