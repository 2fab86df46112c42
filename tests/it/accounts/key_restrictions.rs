//! Restrictions of a key: IP ranges, origins and endpoints.

use reqwest::Method;

use super::{behind_a_proxy, until_status};
use crate::harness::{self, Browser, Engine, Server, TestResponse};

/// Calls the API until the answer has this status; changes of a key take up to a second.
async fn until(server: &Server, path: &str, headers: &[(&str, &str)], status: u16) -> TestResponse {
    harness::until(async || {
        let answer = server.send(Method::GET, path, headers).await;
        if answer.status == status { Ok(answer) } else { Err(format!("still {}, not {status}", answer.status)) }
    })
    .await
}

#[tokio::test]
async fn a_restricted_key_is_refused_with_the_reason_and_uses_no_quota() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (id, secret) = ada.make_key("mine").await;
        until_status(&server, &secret, 200).await;
        let (page, restrict) = (format!("/dashboard/keys/{id}/security"), format!("/dashboard/keys/{id}/restrict"));
        let key = ("x-api-key", secret.as_str());
        let from = |address: &'static str| ("x-forwarded-for", address);
        // The response is cached before the restriction: a cached one is refused as well.
        assert_eq!(server.send(Method::GET, "/capes", &[key, from("192.0.2.7")]).await.status, 200);
        let save = async |ada: &mut Browser<'_>, fields: &[(&str, &str)]| {
            assert_eq!(ada.send(&restrict, fields).await.redirect_target(), format!("{page}?done=restricted"));
        };
        save(&mut ada, &[("networks", "198.51.100.0/24\r\n2001:db8::/32\r\n")]).await;
        let refused = until(&server, "/capes", &[key, from("192.0.2.7")], 403).await;
        assert_eq!(refused.error(), "API key not allowed from this IP address");
        assert_eq!(refused.header("x-ratelimit-remaining-day"), None);
        for (address, status) in [("198.51.100.9", 200), ("198.51.101.9", 403), ("2001:db8:1::1", 200)] {
            let answer = server.send(Method::GET, "/capes", &[key, from(address)]).await;
            assert_eq!(answer.status, status, "{address}");
        }
        let left = |answer: &TestResponse| answer.header("x-ratelimit-remaining-day").unwrap().parse::<u32>().unwrap();
        let first = left(&server.send(Method::GET, "/capes", &[key, from("198.51.100.9")]).await);
        server.send(Method::GET, "/capes", &[key, from("192.0.2.7")]).await;
        let second = left(&server.send(Method::GET, "/capes", &[key, from("198.51.100.9")]).await);
        assert_eq!(second, first - 1, "a refused request uses no quota");

        save(&mut ada, &[("origins", "https://maps.example")]).await;
        let answer = until(&server, "/capes", &[key, ("origin", "https://maps.example")], 200).await;
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        for origin in [Some(("origin", "https://evil.example")), None] {
            let headers: Vec<_> = [key].into_iter().chain(origin).collect();
            let refused = server.send(Method::GET, "/capes", &headers).await;
            assert_eq!((refused.status, refused.error().as_str()), (403, "API key not allowed for this origin"));
        }

        save(&mut ada, &[("endpoint /capes", "yes"), ("endpoint /servers/{slug}", "yes")]).await;
        until(&server, "/capes", &[key], 200).await;
        let refused = server.send(Method::GET, "/skins", &[key]).await;
        assert_eq!(refused.error(), "API key not allowed for this endpoint");
        assert_eq!(server.send(Method::GET, "/capes", &[key]).await.status, 200);
        assert_eq!(server.send(Method::GET, "/servers/none", &[key]).await.status, 404);
        assert_eq!(server.send(Method::GET, "/nothing/at/all", &[key]).await.status, 404, "an unknown path");
        let shown = ada.get(&page).await.html();
        assert!(shown.contains("name=\"endpoint /capes\" value=\"yes\" checked"), "{shown}");
        assert!(shown.contains("<span class=\"pill\">restricted</span>"));

        save(&mut ada, &[]).await;
        until(&server, "/skins", &[key], 200).await;
        let log = ada.get("/dashboard/log").await.html();
        assert_eq!(log.matches("restrictions changed").count(), 4);
    }
}

#[tokio::test]
async fn wrong_restrictions_are_named_and_keep_what_was_entered() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let (id, _) = ada.make_key("mine").await;
        let restrict = format!("/dashboard/keys/{id}/restrict");
        for (field, value, error) in [
            ("networks", "10.0.0.0/33", "“10.0.0.0/33” is no IP address or range"),
            ("networks", "<b>", "“<b>” is no IP address or range"),
            ("origins", "maps.example", "“maps.example” is no origin"),
        ] {
            let refused = ada.send(&restrict, &[(field, value)]).await;
            assert_eq!(refused.status, 422, "{value}");
            assert!(!refused.html().contains("<b>"), "escaped");
            let shown = value.replace('<', "&#60;").replace('>', "&#62;");
            assert!(refused.html().contains(&format!(">{shown}</textarea>")), "{}", refused.html());
            let notice = refused.notice().replace("&#60;", "<").replace("&#62;", ">");
            assert!(notice.starts_with(error), "{notice}");
        }
    }
}

#[test]
fn the_command_line_sets_shows_and_removes_restrictions() {
    use crate::harness::Store;
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        assert!(store.rollcall(&["key", "create", "--name", "mine"]).status.success());
        let run = |args: &[&str]| {
            let output = store.rollcall(&[&["key"], args].concat());
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            (output.status.code(), text(&output.stdout), text(&output.stderr))
        };
        let listed: serde_json::Value = serde_json::from_str(&run(&["list", "--json"]).1).unwrap();
        let id = listed[0]["id"].as_str().unwrap();
        assert_eq!(listed[0]["restrictions"], serde_json::Value::Null);
        let set = ["restrict", id, "--ip", "192.0.2.7/24", "--endpoint", "/capes", "--endpoint", "/skins", "--json"];
        let shown: serde_json::Value = serde_json::from_str(&run(&set).1).unwrap();
        let expected =
            serde_json::json!({"networks": ["192.0.2.0/24"], "origins": [], "endpoints": ["/capes", "/skins"]});
        assert_eq!(shown["restrictions"], expected);
        // A list that is not given stays.
        let (code, printed, _) = run(&["restrict", id, "--endpoint", "any", "--origin", "https://maps.example"]);
        assert_eq!(code, Some(0));
        assert!(printed.contains("Only these IP ranges: 192.0.2.0/24\nOnly these origins: https://maps.example\n"));
        let (_, shown, _) = run(&["show", id]);
        assert!(shown.contains("Only these origins: https://maps.example") && !shown.contains("endpoints"));
        for (args, error) in [
            (&["--ip", "here"][..], "“here” is no IP address or range"),
            (&["--endpoint", "/nothing"], "“/nothing” is no endpoint of the API"),
            (&[], "required"),
        ] {
            let (code, _, printed) = run(&[&["restrict", id], args].concat());
            assert!(code == Some(2) && printed.contains(error), "{args:?}: {code:?} {printed}");
        }
        run(&["restrict", id, "--ip", "any", "--origin", "any"]);
        assert!(!run(&["show", id]).1.contains("Only these"));
    }
}
