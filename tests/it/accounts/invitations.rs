//! Sign-up by invitation.

use rollcall::config::SignUp;
use rollcall_model::clock::Clock;
use rollcall_model::time::DAY;

use super::exists;
use crate::harness::{Browser, Engine, NOW, PASSWORD, PUBLIC_URL, Server, TestResponse};

const INVALID_INVITATION: &str = "Signing up needs an invitation, and this one is invalid, used or expired.";

fn by_invitation(engine: Engine) -> Server {
    Server::empty_with(engine, |config| config.accounts.sign_up = SignUp::Invitation)
}

/// Signs up with an invitation link.
async fn sign_up_with(browser: &mut Browser<'_>, link: &str, name: &str) -> TestResponse {
    let invitation = browser.get(link).await.field("invitation");
    let fields = [("username", name), ("password", PASSWORD), ("again", PASSWORD), ("invitation", &invitation)];
    browser.send("/sign-up", &fields).await
}

/// Creates a link on the operator page.
async fn create_invitation(operator: &mut Browser<'_>) -> String {
    let answer = operator.send("/operator/invitations", &[]).await;
    let html = answer.html();
    let link = html.split(&format!("<code>{PUBLIC_URL}")).nth(1).and_then(|rest| rest.split('<').next());
    link.unwrap_or_else(|| panic!("{html}")).to_owned()
}

#[tokio::test]
async fn a_link_works_once_within_a_week() {
    for engine in Engine::BOTH {
        let server = by_invitation(engine);
        let mut root = Browser::operator(&server, "root").await;
        let link = create_invitation(&mut root).await;
        assert!(!root.get("/operator/invitations").await.html().contains(&link[22..]), "it is shown once");
        Browser::signed_in(&server, "root").await;
        // A taken username does not use up the invitation.
        let mut ada = Browser::new(&server);
        assert_eq!(sign_up_with(&mut ada, &link, "root").await.notice(), "The username root is taken.");
        assert_eq!(sign_up_with(&mut ada, &link, "ada").await.redirect_target(), "/dashboard?done=welcome");
        for wrong in [link.as_str(), "/sign-up", "/sign-up?invitation=x", &format!("/sign-up?invitation={:064}", 7)] {
            let answer = sign_up_with(&mut Browser::new(&server), wrong, "eve").await;
            assert_eq!((answer.status, answer.notice().as_str()), (422, INVALID_INVITATION), "{wrong}");
        }
        let late = create_invitation(&mut root).await;
        server.clock.set(NOW + 7 * DAY);
        assert_eq!(sign_up_with(&mut Browser::new(&server), &late, "eve").await.status, 422);
        assert!(!exists(&server, "eve"));
        server.clock.set(NOW + 7 * DAY - 1);
        assert_eq!(sign_up_with(&mut Browser::new(&server), &late, "bob").await.status, 303);
    }
}

#[tokio::test]
async fn only_one_of_several_concurrent_sign_ups_uses_the_link() {
    for engine in Engine::BOTH {
        let server = by_invitation(engine);
        let link = create_invitation(&mut Browser::operator(&server, "root").await).await;
        let names = ["one", "two", "three", "four"];
        let tries = names.map(|name| {
            let (mut browser, link) = (Browser::new(&server), link.clone());
            async move { sign_up_with(&mut browser, &link, name).await }
        });
        let answers = futures_util::future::join_all(tries).await;
        let (accepted, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 303);
        assert_eq!(accepted.len(), 1);
        for answer in refused {
            assert_eq!((answer.status, answer.notice().as_str()), (422, INVALID_INVITATION));
        }
        assert_eq!(names.iter().filter(|name| exists(&server, name)).count(), 1);
    }
}

#[tokio::test]
async fn the_command_line_creates_invitations() {
    for engine in Engine::BOTH {
        let server = by_invitation(engine);
        server.clock.set(Clock::System.now());
        let mut command = server.store.command(&["account", "invite", "--days", "1"]);
        let output = command.env("ROLLCALL_PUBLIC_URL", PUBLIC_URL).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let link = String::from_utf8(output.stdout).unwrap();
        let link = link.trim_end().strip_prefix(PUBLIC_URL).expect("a link to us");
        server.clock.set(Clock::System.now() + DAY);
        assert_eq!(sign_up_with(&mut Browser::new(&server), link, "ada").await.status, 422, "it was for a day");
        server.clock.set(Clock::System.now());
        assert_eq!(sign_up_with(&mut Browser::new(&server), link, "ada").await.status, 303);
    }
}
