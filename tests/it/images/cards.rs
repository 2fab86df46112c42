//! `/card/…`, `/render/banner/…` and the icons of the site.

use reqwest::Method;

use super::{assert_public, get, png_size};
use crate::harness::{Engine, both, shared};

#[tokio::test]
async fn cards_have_the_size_that_other_sites_want() {
    let server = both("/servers?limit=1").await.data()["servers"][0]["slug"].as_str().unwrap().to_owned();
    let player = both("/players?limit=1").await.data()["players"][0]["mainNickname"].as_str().unwrap().to_owned();
    for engine in Engine::BOTH {
        for path in [format!("/card/server/{server}.png"), format!("/card/player/{player}.png")] {
            let card = assert_public(shared(engine), &path, "image/png").await;
            assert_eq!(png_size(&card.body), (1200, 630), "{path}");
        }
        for path in
            ["/card/server/none.png", "/card/player/no-such-player.png", "/card/server/%ff.png", "/card/player/x"]
        {
            assert_eq!(get(shared(engine), path).await.status, 404, "{path}");
        }
    }
}

#[tokio::test]
async fn banners_are_drawn_once_or_twice_as_large() {
    let server = &both("/servers?limit=1").await.data()["servers"][0];
    let slug = server["slug"].as_str().unwrap();
    for engine in Engine::BOTH {
        for (query, size) in [("", (468, 60)), ("?scale=1", (468, 60)), ("?scale=2", (936, 120))] {
            let path = format!("/render/banner/{slug}.png{query}");
            let banner = assert_public(shared(engine), &path, "image/png").await;
            assert_eq!(png_size(&banner.body), size, "{path}");
        }
        for scale in ["0", "3", "2.0", "-1", "x"] {
            let answer = get(shared(engine), &format!("/render/banner/{slug}.png?scale={scale}")).await;
            assert_eq!((answer.status, answer.body.as_slice()), (400, &b"scale must be 1 or 2\n"[..]), "{scale}");
        }
        assert_eq!(get(shared(engine), "/render/banner/none.png").await.status, 404);
    }
}

#[tokio::test]
async fn the_icons_of_the_manifest_exist() {
    let server = shared(Engine::Sqlite);
    for size in [180, 192, 512] {
        let path = format!("/icon-{size}.png");
        let icon = get(server, &path).await;
        assert_eq!((icon.status, icon.header("content-type")), (200, Some("image/png")), "{path}");
        assert_eq!(icon.header("cache-control"), Some("public, max-age=86400"));
        assert_eq!(png_size(&icon.body), (size, size));
        let tag = icon.header("etag").expect("an ETag");
        assert_eq!(server.raw(Method::GET, &path, &[("if-none-match", tag)]).await.status, 304);
    }
}
