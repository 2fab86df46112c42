//! Users cannot see or change the resources of others.

use super::forms::FormsFixture;
use super::stored_rows;
use crate::harness::{Browser, Engine, Server, TestResponse};

/// A well-formed id that does not exist.
const UNKNOWN_ID: &str = "00000000000000000000";

/// A page without its footer, whose links hold the address of the page.
fn content(answer: &TestResponse) -> String {
    let html = answer.html();
    html.split("<footer").next().expect("a page").to_owned()
}

/// Where a visitor goes who submits a form: to sign in, and then to the page with the form, as after a reload.
async fn sign_in_for(stranger: &mut Browser<'_>, form: &str) -> String {
    let reloaded = stranger.get(form).await.redirect_target().to_owned();
    if reloaded.starts_with("/sign-in?") { reloaded } else { format!("/sign-in?next={reloaded}") }
}

#[tokio::test]
async fn resources_of_others_are_not_found() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let fixture = FormsFixture::new(&server).await;
        let mut eve = Browser::signed_up(&server, "eve").await;
        let nowhere = eve.get("/dashboard/keys/nothing").await;
        assert_eq!((nowhere.status, nowhere.heading().as_str()), (404, "Page not found"));
        let before = stored_rows(&server.store);
        for id in &fixture.of_ada {
            let forms = fixture.forms.iter().filter(|form| form.path.contains(id.as_str()));
            let forms = forms.filter(|form| !form.path.starts_with("/operator"));
            for form in forms {
                for path in [form.path.clone(), form.path.replace(id.as_str(), UNKNOWN_ID)] {
                    let answer = eve.send(&path, &form.fields()).await;
                    assert_eq!((answer.status, content(&answer)), (404, content(&nowhere)), "{path}");
                }
            }
            for tab in ["", "/usage", "/security", "/settings", "/live", "/usage.csv"] {
                let path = format!("/dashboard/keys/{id}{tab}");
                if fixture.of_ada[..2].contains(id) {
                    assert_eq!(fixture.ada.clone().get(&path).await.status, 200, "{path}");
                }
                let answer = eve.get(&path).await;
                assert_eq!((answer.status, content(&answer)), (404, content(&nowhere)), "{path}");
            }
        }
        for odd in ["%00", "%ff", "..%2f..", "%3Cscript%3E", "'%20or%201=1--"] {
            for path in [format!("/dashboard/keys/{odd}"), format!("/dashboard/keys/{odd}/usage.csv")] {
                let answer = eve.get(&path).await;
                assert_eq!((answer.status, content(&answer)), (404, content(&nowhere)), "{path}");
            }
            for path in [format!("/dashboard/keys/{odd}/disable"), format!("/dashboard/account/sign-ins/{odd}/end")] {
                assert_eq!(eve.send(&path, &[]).await.status, 404, "{path}");
            }
        }
        assert_eq!(stored_rows(&server.store), before);
        // Eve's own pages and CSV do not mention Ada's resources either.
        for path in ["/dashboard", "/dashboard/usage.csv", "/dashboard/log", "/dashboard/account"] {
            let html = eve.get(path).await.html();
            assert!(!fixture.of_ada.iter().any(|id| html.contains(id.as_str())), "{path}");
            // As a whole word: the CSRF token may contain these letters.
            let mut words = html.split(|letter: char| !letter.is_alphanumeric());
            assert!(!words.any(|word| word == "ada"), "{path}");
        }
    }
}

#[tokio::test]
async fn admin_pages_are_not_found_for_others() {
    const PAGES: [&str; 9] = [
        "/operator/add-server",
        "/operator/servers",
        "/operator",
        "/operator/accounts",
        "/operator/invitations",
        "/operator/keys",
        "/operator/limit-requests",
        "/operator/live",
        "/operator/log",
    ];
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let fixture = FormsFixture::new(&server).await;
        let mut eve = Browser::signed_up(&server, "eve").await;
        let before = stored_rows(&server.store);
        let nowhere = eve.get("/dashboard/keys/nothing").await;
        let mut stranger = fixture.stranger.clone();
        for page in PAGES {
            assert_eq!(fixture.root.clone().get(page).await.status, 200);
            let answer = eve.get(page).await;
            assert_eq!((answer.status, content(&answer)), (404, content(&nowhere)), "{page}");
            assert_eq!(stranger.get(page).await.redirect_target(), format!("/sign-in?next={page}"));
        }
        let forms: Vec<_> = fixture.forms.iter().filter(|form| form.path.starts_with("/operator")).collect();
        assert_eq!(forms.len(), 16);
        for form in forms {
            let answer = eve.send(&form.path, &form.fields()).await;
            assert_eq!((answer.status, content(&answer)), (404, content(&nowhere)), "{}", form.path);
            let sign_in = sign_in_for(&mut stranger, &form.path).await;
            let answer = stranger.send(&form.path, &form.fields()).await;
            assert_eq!(answer.redirect_target(), sign_in, "{}", form.path);
        }
        for form in fixture.forms.iter().filter(|form| form.path.starts_with("/dashboard")) {
            let sign_in = sign_in_for(&mut stranger, &form.path).await;
            let answer = stranger.send(&form.path, &form.fields()).await;
            assert_eq!(answer.redirect_target(), sign_in, "{}", form.path);
        }
        assert_eq!(stored_rows(&server.store), before);
        // Operators also get 404 for ids that do not exist.
        let mut root = fixture.root.clone();
        let acts = [
            "limit-requests/ID",
            "keys/ID/disable",
            "keys/ID/enable",
            "keys/ID/limits",
            "accounts/ID/disable",
            "accounts/ID/enable",
            "accounts/ID/role",
            "accounts/ID/trust",
            "accounts/ID/sign-out",
            "accounts/ID/password",
            "accounts/ID/delete",
            "invitations/ID/revoke",
            "servers/ID",
            "servers/ID/remove",
        ];
        for path in acts {
            for id in [UNKNOWN_ID, "%00"] {
                let path = format!("/operator/{}", path.replace("ID", id));
                assert_eq!(root.send(&path, &[("decision", "refuse"), ("sure", "yes")]).await.status, 404, "{path}");
            }
        }
        assert_eq!(stored_rows(&server.store), before);
    }
}
