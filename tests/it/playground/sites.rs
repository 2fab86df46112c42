//! Only our own page may spend what a visitor's address has.

use super::*;
use crate::harness::PUBLIC_URL;

#[tokio::test]
async fn another_sites_page_is_refused_and_uses_up_nothing() {
    let server = serving(Engine::Sqlite, |_| {});
    let (token, payload) = (pass(&server).await, solution(&server).await);
    let own = format!("https://{}", server.address);
    // What came over the open network speaks for nobody who comes by https.
    let open = format!("http://{}", server.address);
    for (headers, let_in) in [
        (&[("sec-fetch-site", "cross-site")][..], false),
        (&[("sec-fetch-site", "same-site")], false),
        (&[("sec-fetch-site", "none")], false),
        (&[("sec-fetch-site", "same-origin"), ("origin", "https://evil.example")], false),
        (&[("origin", "https://evil.example")], false),
        (&[("origin", "null")], false),
        (&[("origin", "https://rollcall.test.evil.example")], false),
        (&[("origin", PUBLIC_URL), ("sec-fetch-site", "same-origin")], true),
        (&[("origin", own.as_str())], true),
        (&[("origin", open.as_str())], false),
    ] {
        let ran = run_as(&server, &token, "/servers", headers).await;
        let asked = server.raw(Method::GET, "/human/challenge?for=playground", headers).await;
        assert_eq!((ran.status, asked.status), if let_in { (200, 200) } else { (403, 403) }, "{headers:?}");
        if !let_in {
            assert!(refusal(&ran).1.starts_with("Only "));
            assert_eq!(refusal(&hand_in(&server, &payload, headers).await).0, 403, "{headers:?}");
        }
        assert_closed(&asked);
    }
    assert_eq!(told(&run(&server, &token, "/servers").await)[4], Some(27));
    assert_eq!(hand_in(&server, &payload, &[("origin", PUBLIC_URL)]).await.status, 200);
}

#[tokio::test]
async fn a_form_of_another_site_cannot_hand_in_a_solution() {
    let server = serving(Engine::Sqlite, |_| {});
    let body = json!({"solution": solution(&server).await}).to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""] {
        let headers = [("content-type", kind)];
        let answer = server.exchange(Method::POST, "/playground/pass", &headers, body.clone()).await;
        assert_eq!(refusal(&answer), (415, "A solution is sent as application/json".to_owned()), "{kind}");
    }
    let headers = [("content-type", "application/json; charset=utf-8")];
    assert_eq!(server.exchange(Method::POST, "/playground/pass", &headers, body).await.status, 200);
}

#[tokio::test]
async fn what_the_edge_refuses_is_in_the_envelope_and_closed_to_others_too() {
    let server = serving(Engine::Sqlite, |_| {});
    let long = format!("/playground/v1/servers?search={}", "x".repeat(9000));
    let answer = server.raw(Method::GET, &long, &[]).await;
    assert_eq!(refusal(&answer), (414, "The address of the request must not exceed 8 KiB".to_owned()));
}
