//! No other site can send our forms.

use super::forms::World;
use super::kept;
use crate::harness::{Engine, Guest, PUBLIC_URL, Server};

#[tokio::test]
async fn a_form_is_taken_only_from_our_own_page_and_from_whom_it_was_shown() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let world = World::new(&server).await;
        let (ours, before) = (("origin", PUBLIC_URL), kept(&server.store));
        let mut eve = Guest::new(&server);
        eve.get("/sign-in").await;
        for form in &world.forms {
            let own = form.sender.token.as_str();
            for (headers, token) in [
                (vec![], own),
                (vec![("origin", "https://evil.example")], own),
                (vec![("origin", "null")], own),
                (vec![("origin", "")], own),
                (vec![("origin", "http://rollcall.test")], own),
                (vec![("origin", "https://rollcall.test:444")], own),
                (vec![("origin", "https://rollcall.test.evil.example")], own),
                (vec![("origin", "https://rollcall.testing")], own),
                (vec![("origin", "https://evil@rollcall.test")], own),
                (vec![("origin", "https://sub.rollcall.test")], own),
                (vec![("origin", "https://evil.example"), ("host", "rollcall.test")], own),
                (vec![ours, ("sec-fetch-site", "cross-site")], own),
                (vec![ours, ("sec-fetch-site", "same-site")], own),
                (vec![ours, ("sec-fetch-site", "none")], own),
                // From a page of ours, but not from one that was shown to whom it speaks for.
                (vec![ours], ""),
                (vec![ours], "0000000000000000000000000000000000000000000000000000000000000000"),
                (vec![ours], &eve.token),
                (vec![ours], if own == world.root.token { &world.ada.token } else { &world.root.token }),
            ] {
                let mut body = format!("token={token}");
                for (name, value) in form.fields() {
                    body += &format!("&{name}={}", value.replace(' ', "+"));
                }
                let answer = form.sender.clone().post(&form.path, &headers, body.into_bytes()).await;
                assert_eq!(answer.status, 403, "{} {headers:?} {token}", form.path);
                assert!(answer.cookies().is_empty(), "{} {headers:?}", form.path);
            }
            let body = form.fields().iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
            let answer = form.sender.clone().post(&form.path, &[ours], body.join("&").into_bytes()).await;
            assert_eq!(answer.status, 403, "{} without any token", form.path);
            // Nor does a link, which any site can show, do what a form does.
            let link = format!("{}?token={own}&{}", form.path, body.join("&").replace(' ', "+"));
            assert!(form.sender.clone().get(&link).await.cookies().is_empty(), "{}", form.path);
        }
        assert_eq!(kept(&server.store), before, "something was done");
        // What was refused was refused for this alone.
        for form in &world.forms {
            let answer = form.sender.clone().send(&form.path, &form.fields()).await;
            assert!(matches!(answer.status, 200 | 303), "{} {}: {}", form.path, answer.status, answer.notice());
        }
        assert_ne!(kept(&server.store), before);
    }
}

#[tokio::test]
async fn the_token_of_a_page_from_before_signing_in_or_out_is_worth_nothing() {
    for engine in Engine::BOTH {
        let server = super::desk(engine);
        let mut ada = Guest::new(server);
        ada.get("/sign-up").await;
        let before = ada.token.clone();
        ada.sign_up("old-token").await;
        let refused = ada.send("/dashboard/keys", &[("token", &before), ("name", "forged")]).await;
        assert_eq!((refused.status, refused.heading().as_str()), (403, "This form is no longer good"));
        ada.get("/dashboard").await;
        let inside = ada.token.clone();
        ada.send("/sign-out", &[]).await;
        ada.sign_in("old-token", crate::harness::PASSWORD).await;
        assert_eq!(ada.send("/dashboard/keys", &[("token", &inside), ("name", "forged")]).await.status, 403);
        assert!(!ada.get("/dashboard").await.html().contains("forged"));
    }
}
