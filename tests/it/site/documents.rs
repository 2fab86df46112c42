//! robots.txt, sitemaps, feeds and the manifest.

use std::collections::BTreeSet;

use reqwest::Method;

use crate::harness::{Engine, PUBLIC_URL, Server, shared};

async fn text(server: &Server, path: &str) -> (u16, Option<String>, String) {
    let response = server.raw(Method::GET, path, &[]).await;
    let content_type = response.header("content-type").map(str::to_owned);
    (response.status, content_type, String::from_utf8(response.body).expect("UTF-8"))
}

#[tokio::test]
async fn robots_may_not_follow_private_and_endless_addresses() {
    let (status, content_type, robots) = text(shared(Engine::Sqlite), "/robots.txt").await;
    assert_eq!((status, content_type.as_deref()), (200, Some("text/plain; charset=utf-8")));
    for path in ["/dashboard", "/operator", "/sign-", "/v1/", "/theme"] {
        assert!(robots.contains(&format!("Disallow: {path}\n")), "{path}");
    }
    assert!(robots.ends_with(&format!("Sitemap: {PUBLIC_URL}/sitemap.xml\n")));
}

#[tokio::test]
async fn the_sitemaps_list_every_public_server_once() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let (status, content_type, index) = text(server, "/sitemap.xml").await;
        assert_eq!((status, content_type.as_deref()), (200, Some("application/xml")));
        assert!(index.contains(&format!("<loc>{PUBLIC_URL}/sitemaps/servers-1.xml</loc>")));
        let (_, _, file) = text(server, "/sitemaps/servers-1.xml").await;
        let mut listed: Vec<&str> = file.lines().filter(|line| line.starts_with("<url>")).collect();
        let total = server.get("/servers?limit=1").await.data()["pagination"]["total"].as_u64().expect("a total");
        assert_eq!(listed.len() as u64, total);
        listed.sort_unstable();
        listed.dedup();
        assert_eq!(listed.len() as u64, total);
        for nothing in ["servers-2.xml", "servers-0.xml", "servers-x.xml", "nothing-1.xml", "servers-1"] {
            assert_eq!(text(server, &format!("/sitemaps/{nothing}")).await.0, 404, "{nothing}");
        }
    }
}

#[tokio::test]
async fn the_sitemap_of_creators_lists_every_owner_once() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let (_, _, index) = text(server, "/sitemap.xml").await;
        assert!(index.contains(&format!("<loc>{PUBLIC_URL}/sitemaps/creators-1.xml</loc>")));
        let mut owners = BTreeSet::new();
        for kind in ["skins", "capes"] {
            let mut page = 1;
            loop {
                let list = server.get(&format!("/{kind}?limit=100&page={page}")).await.data();
                let textures = list[kind].as_array().expect("a list").clone();
                owners.extend(
                    textures.iter().map(|texture| texture["owner"]["username"].as_str().expect("a name").to_owned()),
                );
                page += 1;
                if textures.len() < 100 {
                    break;
                }
            }
        }
        let (_, _, file) = text(server, "/sitemaps/creators-1.xml").await;
        let listed: Vec<&str> = file.lines().filter(|line| line.starts_with("<url>")).collect();
        let wanted: Vec<String> =
            owners.iter().map(|owner| format!("<url><loc>{PUBLIC_URL}/creators/{owner}</loc></url>")).collect();
        assert_eq!(listed, wanted);
        assert_eq!(text(server, &format!("/creators/{}", owners.first().expect("an owner"))).await.0, 200);
        assert_eq!(text(server, "/sitemaps/creators-2.xml").await.0, 404);
    }
}

#[tokio::test]
async fn feeds_hold_the_newest_items() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let (status, content_type, feed) = text(server, "/feeds/servers.xml").await;
        assert_eq!((status, content_type.as_deref()), (200, Some("application/rss+xml")));
        let newest = &server.get("/servers?limit=1").await.data()["servers"][0];
        let slug = newest["slug"].as_str().expect("a slug");
        let first = feed.split("<item>").nth(1).expect("an item");
        assert!(first.contains(&format!("<link>{PUBLIC_URL}/servers/{slug}</link>")), "{first}");
        let (_, _, feed) = text(server, "/feeds/updates.xml").await;
        assert!(feed.matches("<item>").count() > 3);
        let with_posts = feed.split("/servers/").nth(2).and_then(|rest| rest.split('#').next()).expect("a slug");
        let (_, _, own) = text(server, &format!("/servers/{with_posts}/feed.xml")).await;
        let updates = server.get(&format!("/servers/{with_posts}/updates")).await.data();
        assert_eq!(own.matches("<item>").count() as u64, updates["total"].as_u64().expect("a total").min(50));
        assert_eq!(text(server, "/servers/no-such-server/feed.xml").await.0, 404);
    }
}

#[tokio::test]
async fn the_manifest_is_json_with_icons() {
    let (status, content_type, manifest) = text(shared(Engine::Sqlite), "/manifest.webmanifest").await;
    assert_eq!((status, content_type.as_deref()), (200, Some("application/manifest+json")));
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!((manifest["start_url"].as_str(), manifest["icons"].as_array().map(Vec::len)), (Some("/"), Some(3)));
}
