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
            if ["/key", "/events/stream"].contains(&endpoint.path) {
                assert_eq!(target(&page), "/v1/servers", "{} has no form", endpoint.path);
                continue;
            }
            for name in endpoint.params.iter().map(|param| param.name()) {
                assert!(page.contains(&format!("id=\"field-{name}\"")), "{} {name}", endpoint.path);
            }
            let call = target(&page);
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
async fn an_address_of_the_api_opens_as_a_call() {
    let server = shared(Engine::Sqlite);
    for (call, shown) in [
        ("/v1/servers%3Fsort%3Dvotes%26limit%3D3", "/v1/servers?limit=3&sort=votes"),
        ("%2Fv1%2Fplayers%2FA%2520B", "/v1/players/A%20B"),
        ("/v1/servers%3Fsearch%3D%253Cb%253E", "/v1/servers?search=%3Cb%3E"),
        ("/v1/servers%3Fapi_key%3Drc_secret", "/v1/servers"),
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
