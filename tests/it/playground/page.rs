//! The page: its form is rendered on the server, with values of this installation.

use reqwest::Method;
use rollcall::v1::ENDPOINTS;

use crate::harness::{Engine, Server, shared};

async fn html(server: &Server, path: &str) -> String {
    let answer = server.raw(Method::GET, path, &[("accept", "text/html")]).await;
    assert_eq!(answer.status, 200, "{path}");
    String::from_utf8(answer.body).expect("UTF-8")
}

/// The request line that the page shows.
fn target(page: &str) -> String {
    let shown = page.split("<code id=\"target\">").nth(1).and_then(|rest| rest.split("</code>").next());
    shown.expect("a request line").replace("&#38;", "&")
}

#[tokio::test]
async fn every_endpoint_has_a_form_that_can_be_run_at_once() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        for endpoint in ENDPOINTS {
            let page = html(server, &format!("/playground?endpoint={}", endpoint.name)).await;
            for name in endpoint.params.iter().map(|param| param.name()) {
                assert!(page.contains(&format!("id=\"field-{name}\"")), "{} {name}", endpoint.path);
            }
            let call = target(&page);
            // It never ends.
            if call == "/v1/events/stream" {
                continue;
            }
            assert_eq!(server.get(call.strip_prefix("/v1").unwrap()).await.status, 200, "{call}");
            // Each example is accepted, too.
            for link in page.split("class=\"example\" href=\"").skip(1) {
                let link = link.split('"').next().unwrap().replace("&#38;", "&");
                let call = target(&html(server, &link).await);
                assert_eq!(server.get(call.strip_prefix("/v1").unwrap()).await.status, 200, "{call}");
            }
        }
    }
}

#[tokio::test]
async fn what_needs_a_key_asks_for_one_of_the_visitor_and_names_no_pass() {
    let server = shared(Engine::Sqlite);
    for endpoint in ENDPOINTS {
        let page = html(server, &format!("/playground?endpoint={}", endpoint.name)).await;
        let needs_key = ["/key", "/events/stream"].contains(&endpoint.path);
        let notice = "This endpoint needs an API key of your own. <a href=\"/dashboard\">";
        for (text, is_shown) in [
            (notice, needs_key),
            (" data-needs-key", needs_key),
            ("id=\"missing-own-key\"", needs_key),
            ("The limit is", !needs_key),
            (" data-stream", endpoint.path == "/events/stream"),
            ("id=\"panel-python\"", endpoint.path != "/events/stream"),
        ] {
            assert_eq!(page.contains(text), is_shown, "{} {text}", endpoint.path);
        }
        assert_eq!(page.matches("id=\"own-key\"").count(), 1, "{}", endpoint.path);
    }
}

#[tokio::test]
async fn a_stream_is_read_without_a_buffer() {
    let page = html(shared(Engine::Sqlite), "/playground?endpoint=eventsStream&type=vote.created").await;
    let code = page.split("id=\"panel-curl\"").nth(1).and_then(|rest| rest.split("</rc-copy>").next()).expect("code");
    assert!(code.contains(">curl</span> -G -N -H "), "{code}");
    assert!(code.contains("--data-urlencode") && code.contains("type=vote.created"), "{code}");
}

#[tokio::test]
async fn an_address_of_the_api_opens_as_a_call() {
    let server = shared(Engine::Sqlite);
    for (call, shown) in [
        ("/v1/servers%3Fsort%3Dvotes%26limit%3D3", "/v1/servers?limit=3&sort=votes"),
        ("%2Fv1%2Fplayers%2FA%2520B", "/v1/players/A%20B"),
        ("/v1/servers%3Fsearch%3D%253Cb%253E", "/v1/servers?search=%3Cb%3E"),
        ("/v1/servers%3Fapi_key%3Drc_secret", "/v1/servers"),
        ("/v1/key%3Fapi_key%3Drc_secret", "/v1/key"),
        ("/v1/events/stream%3Fafter%3Dstart", "/v1/events/stream?after=start"),
        ("https://example.org/v1/live", "/v1/servers"),
        ("javascript:alert(1)", "/v1/servers"),
    ] {
        let page = html(server, &format!("/playground?call={call}")).await;
        assert_eq!(target(&page), shown);
        assert!(!page.contains("<b>"), "{call}");
    }
}

#[tokio::test]
async fn an_empty_store_shows_the_examples_of_the_document() {
    let server = Server::empty(Engine::Sqlite);
    let page = html(&server, "/playground?endpoint=serverDetail").await;
    assert_eq!(target(&page), "/v1/servers/aurora-vale");
    assert_eq!(target(&html(&server, "/playground?endpoint=search").await), "/v1/search?q=an");
}

#[tokio::test]
async fn pages_link_their_data_to_the_playground_or_to_the_reference() {
    use rollcall::config::Check;
    let page = html(shared(Engine::Sqlite), "/servers").await;
    assert!(page.contains("<a href=\"/playground?call=%2Fv1%2Fservers"), "the link to the playground");
    let off = Server::empty_with(Engine::Sqlite, |config| config.playground.check = Check::Off);
    let page = html(&off, "/servers").await;
    assert!(page.contains("<p class=\"as-json small soft\"><a href=\"/docs\""), "the link to the reference");
}
