//! Uploads that copy a skin or cape of this site, or the skin of a player.

use rollcall_model::time::MINUTE;
use rollcall_store::values;
use serde_json::json;

use super::fake_session_server::{
    FakeSessionServer, NAMES, NOTCH, PICTURE, PROFILE, json_response, profile, redirect, response,
};
use super::*;
use crate::harness::{Engine, NOW, Server};
use crate::moderation::{command, server, server_with};

const NO_ANSWER: &str = "The session server gave no usable answer. Try again later, or choose a file.";

fn from_address(address: &str) -> Form<'_> {
    Form { address, ..Form::default() }
}

fn from_player(player: &str) -> Form<'_> {
    Form { player, ..Form::default() }
}

/// A service that asks this session server.
fn asking(engine: Engine, sessions: &FakeSessionServer) -> Server {
    let url = sessions.url.clone();
    server_with(engine, move |config| {
        config.linking.auth_url = format!("{url}/session");
        config.linking.account_url = format!("{url}/account");
    })
}

fn uploads(server: &Server) -> Vec<(String, Option<String>)> {
    let sql = "select name, model from texture_uploads order by name";
    server.store.change(|conn| conn.query(sql, values![], |row| (row.get(0), row.get(1))))
}

#[test]
fn a_copy_of_a_public_texture_leads_to_it() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            let html = ada.get(NEW).await.html();
            assert!(html.contains("name=\"address\"") && !html.contains("name=\"player\""), "{html}");
            // Generated capes may have the same picture; a copy leads to the first.
            let sql = "select slug, png from textures where kind = 'cape' order by n limit 1";
            let (slug, png) = server
                .store
                .change(|conn| conn.query_one(sql, values![], |row| (row.get::<String>(0), row.get::<String>(1))));
            let (cape_page, cape_picture) = (format!("/capes/{slug}"), format!("{PUBLIC_URL}/media/{png}"));
            let skin = server.get("/skins/default-slim").await.data()["skin"].clone();
            let skin_picture = skin["pngPath"].as_str().expect("a URL").replace(PUBLIC_URL, "");
            for (address, page) in [
                ("/skins/default-slim", "/skins/default-slim"),
                (&skin_picture, "/skins/default-slim"),
                // The address says that it is a cape.
                (&cape_page, &cape_page),
                (&cape_picture, &cape_page),
            ] {
                let copied = upload(&mut ada, b"", &from_address(address)).await;
                assert_eq!(copied.redirect_target(), page, "{address}");
            }
            // An upload of somebody else, once it is public.
            command(&server, &["account", "trust", "ada"]);
            upload(&mut ada, &super::skin(1), &Form::default()).await;
            server.until("/skins/red-fox", |r| r.status == 200).await;
            let mut eve = Browser::signed_up(&server, "eve").await;
            let skin = server.get("/skins/red-fox").await.data()["skin"].clone();
            let picture = skin["pngPath"].as_str().expect("a URL");
            for address in [&format!("{PUBLIC_URL}/skins/red-fox?done=worn"), picture] {
                assert_eq!(upload(&mut eve, b"", &from_address(address)).await.redirect_target(), "/skins/red-fox");
            }
            assert_eq!(uploads(&server).len(), 1);
        });
    }
}

#[test]
fn only_public_textures_of_this_site_are_copied() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            let waiting = id_of(&upload(&mut ada, &skin(1), &Form::default()).await);
            command(&server, &["account", "trust", "ada"]);
            let unlisted = Form { name: "Unlisted", visibility: "UNLISTED", ..Form::default() };
            upload(&mut ada, &skin(2), &unlisted).await;
            let sql = "select png from texture_uploads where id = $1";
            let png = server.store.change(|conn| conn.query_one(sql, values![&waiting], |row| row.get::<String>(0)));
            let (private, absent) = (format!("/media/{png}"), format!("/media/{}", png.replace("upload/", "skin/")));
            let mut eve = Browser::signed_up(&server, "eve").await;
            for (address, reason) in [
                ("/skins/red-fox", "There is no public skin or cape at “/skins/red-fox”."),
                ("/skins/unlisted", "There is no public skin or cape at “/skins/unlisted”."),
                ("/capes/default-slim", "There is no public skin or cape at “/capes/default-slim”."),
                (&absent, "There is no public skin or cape at"),
                (&private, "There is no public skin or cape at"),
                ("/media/skin/../upload/a.png", "is not the address"),
                ("https://other.example/skins/default-slim", "such as https://rollcall.test/skins/red-fox. From other"),
                ("file:///etc/passwd", "is not the address"),
                ("http://127.0.0.1/skins/default-slim", "is not the address"),
            ] {
                let refused = upload(&mut eve, b"", &from_address(address)).await;
                assert_eq!(refused.status, 422, "{address}");
                assert!(refused.notice().contains(reason), "{address}: {}", refused.notice());
                assert_eq!(refused.field("address"), address, "what was entered stays");
            }
            let both = upload(&mut eve, &skin(3), &from_address("/skins/default-slim")).await;
            assert_eq!(both.notice(), "Choose a file, or one thing to copy, not several.");
            let disabled = upload(&mut eve, b"", &from_player("Notch")).await;
            assert_eq!((disabled.status, disabled.notice().as_str()), (422, "Skins of players cannot be copied here."));
            assert_eq!(uploads(&server).len(), 2);
        });
    }
}

#[test]
fn the_skin_of_a_player_is_copied_with_its_model() {
    for engine in Engine::BOTH {
        for (model, entered, stored) in
            [(Some("slim"), "", "slim"), (None, "", "classic"), (Some("slim"), "classic", "classic")]
        {
            // Its pixels suggest slim arms; what the player or the uploader says counts.
            let sessions = FakeSessionServer::with_notch(&skin(7), model);
            let server = asking(engine, &sessions);
            server.run(async {
                let mut ada = Browser::signed_up(&server, "ada").await;
                assert!(ada.get(NEW).await.html().contains("name=\"player\""));
                let form = Form { kind: "cape", model: entered, ..from_player("notch") };
                let copied = upload(&mut ada, b"", &form).await;
                assert!(copied.redirect_target().ends_with("?done=upload-held"), "{}", copied.notice());
                assert_eq!(uploads(&server), [("Red fox".to_owned(), Some(stored.to_owned()))]);
                let wanted = [format!("POST {NAMES} [\"notch\"]"), format!("GET {PROFILE}"), format!("GET {PICTURE}")];
                assert_eq!(sessions.requests(), wanted);
                // It is the picture.
                let again = upload(&mut ada, &skin(7), &Form::default()).await;
                assert!(again.redirect_target().ends_with("?done=upload-duplicate"), "{}", again.notice());
            });
        }
    }
}

#[test]
fn unknown_players_and_wrong_forms_are_named() {
    for engine in Engine::BOTH {
        let sessions = FakeSessionServer::with_notch(&skin(7), None);
        let server = asking(engine, &sessions);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            for name in ["two words", "é", "seventeen_letters"] {
                let refused = upload(&mut ada, b"", &from_player(name)).await;
                assert_eq!(refused.status, 422);
                assert!(refused.notice().starts_with(&format!("“{name}” cannot be the name")), "{}", refused.notice());
            }
            let nameless = Form { name: "", ..from_player("Notch") };
            assert_eq!(upload(&mut ada, b"", &nameless).await.notice(), "Enter a name.");
            assert_eq!(sessions.requests(), [""; 0], "none of these is worth a request");
            let empty = json!({"id": NOTCH, "name": "Notch", "properties": []});
            for (path, answer, reason) in [
                (NAMES, json_response(&json!([])), "There is no player with the name “Notch”."),
                (
                    NAMES,
                    json_response(&json!([{"id": NOTCH, "name": "Jeb"}])),
                    "There is no player with the name “Notch”.",
                ),
                (NAMES, response("204 No Content", "text/plain", b""), "There is no player with the name “Notch”."),
                (PROFILE, response("204 No Content", "text/plain", b""), "There is no player with the name “Notch”."),
                (PROFILE, json_response(&empty), "Notch wears a skin of the game itself, which need not be copied."),
                (
                    PROFILE,
                    json_response(&profile("{\"textures\":{}}")),
                    "Notch wears a skin of the game itself, which need not be copied.",
                ),
            ] {
                sessions.know_notch(&skin(7), None);
                sessions.set(path, &answer);
                let refused = upload(&mut ada, b"", &from_player("Notch")).await;
                assert_eq!((refused.status, refused.notice().as_str()), (422, reason));
                assert_eq!(refused.field("player"), "Notch", "what was entered stays");
            }
            assert!(uploads(&server).is_empty());
        });
    }
}

/// What a hostile server answers in place of what is right: a name for it, the path and the response.
fn hostile_answers(own_picture: &str, inside_picture: &str) -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let with_skin = |url: &str| json_response(&profile(&json!({"textures": {"SKIN": {"url": url}}}).to_string()));
    let mut answers = vec![
        ("a redirected name", NAMES, redirect(inside_picture)),
        ("a huge list", NAMES, json_response(&json!([{"id": NOTCH, "name": "x".repeat(20_000)}]))),
        ("no list", NAMES, json_response(&json!({"id": NOTCH, "name": "Notch"}))),
        ("no UUID", NAMES, json_response(&json!([{"id": "../../admin", "name": "Notch"}]))),
        ("an error", NAMES, response("500 Oops", "application/json", b"[]")),
        ("no account server", NAMES, response("404 Not Found", "text/html", b"")),
        ("a redirected profile", PROFILE, redirect(inside_picture)),
        ("a huge profile", PROFILE, json_response(&profile(&" ".repeat(20_000)))),
        ("no JSON", PROFILE, response("200 OK", "text/html", b"<h1>Hello</h1>")),
        ("no base64", PROFILE, json_response(&json!({"properties": [{"name": "textures", "value": "<>"}]}))),
        ("no textures", PROFILE, json_response(&profile("[]"))),
        ("a redirected picture", PICTURE, redirect(inside_picture)),
        ("a huge picture", PICTURE, response("200 OK", "image/png", &[skin(7), vec![0; 600_000]].concat())),
        ("HTML named PNG", PICTURE, response("200 OK", "image/png", b"<!doctype html><script>alert(1)</script>")),
        ("no picture", PICTURE, response("404 Not Found", "image/png", &skin(7))),
        ("a cut picture", PICTURE, b"HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n\x89PNG\r\n\x1a\n".to_vec()),
    ];
    for url in [
        inside_picture,
        &inside_picture.replace("http://", "https://"),
        &own_picture.replace("http://", "http://me@"),
        "https://127.0.0.1/skin.png",
        "http://127.0.0.1/skin.png",
        "https://[::1]/skin.png",
        "https://[::ffff:127.0.0.1]/skin.png",
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/skin.png",
        "file:///etc/passwd",
        "/textures/skin.png",
        "",
    ] {
        answers.push(("a skin elsewhere", PROFILE, with_skin(url)));
    }
    answers
}

#[test]
fn hostile_session_servers_get_nothing_stored_and_nowhere() {
    for engine in Engine::BOTH {
        let sessions = FakeSessionServer::with_notch(&skin(7), None);
        let inside = FakeSessionServer::start();
        inside.set(PICTURE, &response("200 OK", "image/png", &skin(8)));
        let server = asking(engine, &sessions);
        let picture = |server: &FakeSessionServer| format!("{}{PICTURE}", server.url);
        let answers = hostile_answers(&picture(&sessions), &picture(&inside));
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            for (at, (what, path, answer)) in (1..).zip(answers) {
                // Lookups are limited per minute.
                server.clock.set(NOW + at * MINUTE);
                sessions.know_notch(&skin(7), None);
                sessions.set(path, &answer);
                let refused = upload(&mut ada, b"", &from_player("Notch")).await;
                assert_eq!((refused.status, refused.notice().as_str()), (502, NO_ANSWER), "{what}");
                assert!(uploads(&server).is_empty(), "{what}");
            }
        });
        assert_eq!(inside.requests(), [""; 0], "nobody else is asked");
    }
}

#[test]
fn lookups_are_limited_per_account() {
    for engine in Engine::BOTH {
        let sessions = FakeSessionServer::with_notch(&skin(7), None);
        sessions.set(NAMES, &json_response(&json!([])));
        let server = asking(engine, &sessions);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            for _ in 0..10 {
                assert_eq!(upload(&mut ada, b"", &from_player("Notch")).await.status, 422);
            }
            let limited = upload(&mut ada, b"", &from_player("Notch")).await;
            assert_eq!((limited.status, limited.header("retry-after").is_some()), (429, true), "{}", limited.notice());
            assert_eq!(sessions.requests().len(), 10);
            let mut eve = Browser::signed_up(&server, "eve").await;
            assert_eq!(upload(&mut eve, b"", &from_player("Notch")).await.status, 422);
        });
    }
}
