//! Only our own page may use the playground routes.

use super::*;
use crate::harness::PUBLIC_URL;

#[tokio::test]
async fn requests_of_other_sites_are_rejected_and_use_no_quota() {
    let server = serving(Engine::Sqlite, |_| {});
    let (token, payload) = (pass(&server).await, solution(&server).await);
    let own = format!("https://{}", server.address);
    // An http origin is not trusted on an https site.
    let open = format!("http://{}", server.address);
    for (headers, accepted) in [
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
        assert_eq!((ran.status, asked.status), if accepted { (200, 200) } else { (403, 403) }, "{headers:?}");
        if !accepted {
            assert!(error_of(&ran).1.starts_with("Only "));
            assert_eq!(error_of(&send_solution(&server, &payload, headers).await).0, 403, "{headers:?}");
        }
        assert_same_origin_only(&asked);
    }
    assert_eq!(rate_headers(&run(&server, &token, "/servers").await)[4], Some(27));
    assert_eq!(send_solution(&server, &payload, &[("origin", PUBLIC_URL)]).await.status, 200);
}

#[tokio::test]
async fn simple_forms_of_other_sites_cannot_send_solutions() {
    let server = serving(Engine::Sqlite, |_| {});
    let body = json!({"solution": solution(&server).await}).to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""] {
        let headers = [("content-type", kind)];
        let answer = server.exchange(Method::POST, "/playground/pass", &headers, body.clone()).await;
        assert_eq!(error_of(&answer), (415, "Send the solution as application/json".to_owned()), "{kind}");
    }
    let headers = [("content-type", "application/json; charset=utf-8")];
    assert_eq!(server.exchange(Method::POST, "/playground/pass", &headers, body).await.status, 200);
}

#[tokio::test]
async fn router_errors_use_the_envelope_and_are_same_origin() {
    let server = serving(Engine::Sqlite, |_| {});
    let long = format!("/playground/v1/servers?search={}", "x".repeat(9000));
    let answer = server.raw(Method::GET, &long, &[]).await;
    assert_eq!(error_of(&answer), (414, "The request URI must not exceed 8 KiB".to_owned()));
}
