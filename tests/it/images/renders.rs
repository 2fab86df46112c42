//! `/render/…`: players, skins and capes.

use super::{assert_public, get, png_size};
use crate::harness::{Engine, NOW, Server, both, shared};

async fn first(path: &str, list: &str, field: &str) -> String {
    both(path).await.data()[list][0][field].as_str().expect("text").to_owned()
}

#[tokio::test]
async fn players_are_drawn_by_id_uuid_and_nickname() {
    let players = both("/players?limit=1").await.data();
    let player = &players["players"][0];
    let nickname = player["mainNickname"].as_str().expect("a nickname");
    for engine in Engine::BOTH {
        let server = shared(engine);
        for (kind, width, height) in [("face", 64, 64), ("head", 64, 64), ("body", 32, 64)] {
            let path = |name: &str| format!("/render/{kind}/{name}.png?size=64");
            let id = player["id"].as_str().expect("an id");
            let picture = assert_public(server, &path(id), "image/png").await;
            assert_eq!(png_size(&picture.body), (width, height), "{kind}");
            let uuid = player["gameUuid"].as_str().expect("a UUID");
            for name in [uuid, &uuid.replace('-', ""), nickname, &nickname.to_uppercase()] {
                assert!(get(server, &path(name)).await.body == picture.body, "{kind} {name}");
            }
        }
    }
}

#[tokio::test]
async fn the_worn_skin_counts() {
    let server = shared(Engine::Sqlite);
    let players = both("/players?limit=50").await.data();
    for player in players["players"].as_array().expect("players").iter().take(8) {
        let worn = player["linkedSkinPngPath"].as_str().expect("a skin");
        let texture = get(server, worn.strip_prefix(crate::harness::PUBLIC_URL).expect("our URL")).await.body;
        let id = player["id"].as_str().expect("an id");
        let detail = both(&format!("/players/{id}")).await.data();
        let model = match detail["player"]["linkedSkin"]["model"].as_str() {
            Some("slim") => rollcall_paint::ArmModel::Slim,
            _ => rollcall_paint::ArmModel::Classic,
        };
        let skin = rollcall_paint::WornSkin::decode(&texture, model).expect("a texture");
        let body = get(server, &format!("/render/body/{id}.png?size=32")).await.body;
        assert!(body == rollcall_paint::render_body(&skin, 32), "{id}");
    }
}

#[tokio::test]
async fn skins_and_capes_are_twice_as_high_as_wide() {
    let (skin, cape) = (first("/skins", "skins", "slug").await, first("/capes", "capes", "slug").await);
    for engine in Engine::BOTH {
        for (path, height) in [
            (format!("/render/skin/{skin}.png?size=128"), 128),
            (format!("/render/skin/{skin}.png"), 256),
            (format!("/render/cape/{cape}.png?size=512"), 512),
        ] {
            let picture = assert_public(shared(engine), &path, "image/png").await;
            assert_eq!(png_size(&picture.body), (height / 2, height), "{path}");
        }
    }
}

#[tokio::test]
async fn unknown_players_have_the_default_skin_and_others_nothing() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        for name in ["nobody-has-this-name", "%00", "%D9%A0", "..", "a%2F..%2Fb", "%27%3B--", &"x".repeat(3000)] {
            let face = get(server, &format!("/render/face/{name}.png?size=32")).await;
            assert_eq!((face.status, face.header("content-type")), (404, Some("image/png")), "{name}");
            assert_eq!(png_size(&face.body), (32, 32));
        }
        for path in ["/render/skin/none.png", "/render/cape/none.png", "/render/face/none", "/render/skin/.png"] {
            let answer = get(server, path).await;
            assert_eq!(
                (answer.status, answer.header("content-type")),
                (404, Some("text/plain; charset=utf-8")),
                "{path}"
            );
        }
        assert_eq!(get(server, "/render/skin/%ff.png").await.status, 404);
    }
}

#[tokio::test]
async fn a_wrong_size_is_told_what_is_right() {
    let server = shared(Engine::Sqlite);
    for size in ["0", "1", "33", "513", "4096", "-64", "64.0", "1e2", "99999999999999999999", "%00"] {
        let answer = get(server, &format!("/render/face/x.png?size={size}")).await;
        let body = "size must be one of 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512\n";
        assert_eq!((answer.status, answer.body.as_slice()), (400, body.as_bytes()), "{size}");
    }
    let answer = get(server, "/render/body/x.png?size=48").await;
    assert_eq!(answer.body, b"size must be one of 32, 64, 96, 128, 192, 256, 384, 512\n");
}

#[tokio::test]
async fn a_client_ip_gets_a_bounded_number_of_pictures_per_minute() {
    let server = Server::empty_with(Engine::Sqlite, |config| config.http.pictures_per_minute = 3);
    for _ in 0..3 {
        assert_eq!(get(&server, "/render/skin/default-classic.png").await.status, 200);
    }
    let refused = get(&server, "/render/skin/default-classic.png").await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("60")));
    assert_eq!(get(&server, "/healthz").await.status, 200);
    server.clock.set(NOW + 60_000);
    assert_eq!(get(&server, "/render/skin/default-classic.png").await.status, 200);
}
