//! `/badge/{slug}.svg` and `/badge/{slug}.json`

use serde_json::json;

use super::{assert_public, get};
use crate::harness::{Engine, both, shared};

async fn online_server() -> serde_json::Value {
    let servers = both("/servers?limit=50").await.data();
    let servers = servers["servers"].as_array().expect("servers").clone();
    servers.into_iter().find(|server| server["isOnline"] == true).expect("a server that is online")
}

#[tokio::test]
async fn badges_are_pictures_with_a_title() {
    let server = online_server().await;
    let (slug, name) = (server["slug"].as_str().unwrap(), server["name"].as_str().unwrap());
    for engine in Engine::BOTH {
        for style in ["flat", "flat-square", "for-the-badge"] {
            for metric in ["players", "status", "uptime", "rating"] {
                let path = format!("/badge/{slug}.svg?metric={metric}&style={style}");
                let badge = assert_public(shared(engine), &path, "image/svg+xml").await;
                let policy = badge.header("content-security-policy");
                assert_eq!(policy, Some("default-src 'none'; frame-ancestors 'none'; sandbox"));
                let svg = String::from_utf8(badge.body).expect("UTF-8");
                assert!(svg.starts_with("<svg ") && svg.contains(&format!("<title>{name}: {metric} ")), "{svg}");
            }
        }
    }
}

#[tokio::test]
async fn shields_get_the_same_figures() {
    let server = online_server().await;
    let slug = server["slug"].as_str().unwrap();
    for engine in Engine::BOTH {
        let badge = assert_public(shared(engine), &format!("/badge/{slug}.json"), "application/json").await;
        let players = format!("{}/{}", grouped(&server["currentPlayers"]), grouped(&server["maxPlayers"]));
        let expected = json!({"schemaVersion": 1, "label": "players", "message": players, "color": "#1f7a4d"});
        assert_eq!(badge.json(), expected);
        let status = get(shared(engine), &format!("/badge/{slug}.json?metric=status")).await.json();
        assert_eq!((&status["label"], &status["message"]), (&json!("status"), &json!("online")));
    }
}

fn grouped(number: &serde_json::Value) -> String {
    let number = number.as_i64().expect("a number");
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

#[tokio::test]
async fn wrong_parameters_are_told_what_is_right() {
    let server = shared(Engine::Sqlite);
    let slug = online_server().await["slug"].as_str().unwrap().to_owned();
    let metric = get(server, &format!("/badge/{slug}.svg?metric=%3Cscript%3E")).await;
    assert_eq!(
        (metric.status, metric.body.as_slice()),
        (400, &b"metric must be one of players, status, uptime, rating\n"[..])
    );
    let style = get(server, &format!("/badge/{slug}.svg?style=plastic")).await;
    assert_eq!(
        (style.status, style.body.as_slice()),
        (400, &b"style must be one of flat, flat-square, for-the-badge\n"[..])
    );
    for path in ["/badge/none.svg", "/badge/none.json", "/badge/none.png", "/badge/.svg", "/badge/%00.svg"] {
        assert_eq!(get(server, path).await.status, 404, "{path}");
    }
}
