use reqwest::Method;
use rollcall_store::{revision, values};

use super::{attributes, escaped, links, page};
use crate::harness::{Engine, Server, shared};

#[tokio::test]
async fn the_grids_are_the_api_with_every_sort_and_filter() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        for (kind, sorts) in [
            ("skins", "recent popular likes favorites views downloads name usage"),
            ("capes", "recent popular likes favorites views downloads name"),
        ] {
            let first = server.get(&format!("/{kind}?limit=1")).await.data()[kind][0].clone();
            let owner = first["owner"]["username"].as_str().unwrap();
            let mut queries: Vec<String> = sorts.split(' ').map(|sort| format!("?sort={sort}")).collect();
            queries.extend([String::new(), "?limit=7&page=2".into(), format!("?owner={owner}"), "?search=a".into()]);
            if kind == "skins" {
                queries.push("?model=slim".into());
            }
            for query in queries {
                let list = server.get(&format!("/{kind}{query}")).await.data();
                let (answer, html) = page(server, &format!("/{kind}{query}")).await;
                assert_eq!(answer.status, 200, "/{kind}{query}");
                let slugs =
                    list[kind].as_array().unwrap().iter().map(|t| format!("/{kind}/{}", t["slug"].as_str().unwrap()));
                assert_eq!(links(&html, &format!("/{kind}/")), slugs.collect::<Vec<_>>(), "{query}");
                assert!(html.contains(&format!("<code>GET /v1/{kind}{}</code>", escaped(&query))), "{query}");
            }
        }
    }
}

#[tokio::test]
async fn wrong_parameters_are_told_on_the_page() {
    for engine in Engine::BOTH {
        for (path, told) in [
            ("/skins?model=wide", "model must be one of classic, slim, not &#34;wide&#34;"),
            ("/capes?sort=usage", "sort must be one of recent, popular, likes, favorites, views, downloads, name, not"),
        ] {
            let (answer, html) = page(shared(engine), path).await;
            assert!(answer.status == 200 && html.contains(told), "{path}");
        }
        let (_, html) = page(shared(engine), "/skins?tag=%3Cb%3E").await;
        assert!(html.contains("Nothing found") && html.contains("value=\"&#60;b&#62;\""));
    }
}

#[tokio::test]
async fn a_page_shows_viewer_download_wearers_tags_and_owner() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        for kind in ["skins", "capes"] {
            let list = server.get(&format!("/{kind}?sort=popular&limit=20")).await.data()[kind].clone();
            let tagged = list.as_array().unwrap().iter().find(|t| !t["tags"].as_array().unwrap().is_empty()).unwrap();
            let slug = tagged["slug"].as_str().unwrap();
            let one = &kind[..4];
            let detail = server.get(&format!("/{kind}/{slug}")).await.data()[one].clone();
            let (answer, html) = page(server, &format!("/{kind}/{slug}")).await;
            assert_eq!(answer.status, 200);
            let png = detail["pngPath"].as_str().unwrap().strip_prefix("https://rollcall.test").unwrap();
            assert!(html.contains(&format!("href=\"/{kind}/{slug}/download\" download=\"{slug}.png\"")), "{slug}");
            assert_eq!(server.raw(Method::GET, png, &[]).await.header("content-type"), Some("image/png"));
            assert!(html.contains(&format!("src=\"/render/{one}/{slug}.png?size=384\"")));
            let viewer = attributes(&html, "script")[0];
            assert_eq!(server.raw(Method::GET, viewer, &[]).await.header("content-type"), Some("text/javascript"));
            let owner = detail["owner"]["username"].as_str().unwrap();
            assert!(
                html.contains(&format!("href=\"/skins?owner={owner}\""))
                    && html.contains(&format!("href=\"/capes?owner={owner}\""))
            );
            for tag in detail["tags"].as_array().unwrap() {
                assert!(html.contains(&format!("<bdi>{}</bdi></a>", escaped(tag.as_str().unwrap()))), "{tag}");
            }
            let wearers = detail["playersUsing"].as_array().unwrap();
            assert_eq!(links(&html, "/players/").len(), wearers.len());
            for count in ["viewCount", "likeCount", "favoriteCount", "downloadCount", "playersUsingCount"] {
                assert!(html.contains(&format!("<data value=\"{}\">", detail[count])), "{count}");
            }
        }
        for nowhere in ["/skins/nothing", "/capes/nothing", "/skins/%3Cb%3E"] {
            assert_eq!(page(server, nowhere).await.0.status, 404, "{nowhere}");
        }
    }
}

#[tokio::test]
async fn hostile_names_tags_and_descriptions_are_text() {
    let hostile = "\"><script>alert(1)</script>\u{202e}";
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        server.store.change(|conn| {
            let rev = revision::bump(conn)?;
            conn.execute(
                "update textures set name = $1, description = $1, rev = $2 where slug = 'default-classic'",
                values![hostile, rev],
            )
        });
        server.until("/skins/default-classic", |response| response.data()["skin"]["name"] == hostile).await;
        for path in ["/skins", "/skins/default-classic"] {
            let (_, html) = page(&server, path).await;
            assert!(html.contains(&escaped(hostile)) && !html.contains("<script>alert"), "{path}");
        }
    }
}
