//! Where signing up is by invitation.

use rollcall::config::SignUp;
use rollcall_model::clock::Clock;
use rollcall_model::time::DAY;

use super::exists;
use crate::harness::{Answer, Engine, Guest, NOW, PASSWORD, PUBLIC_URL, Server};

const NOT_INVITED: &str = "Signing up takes an invitation here, and this one is not good, was used, or is over.";

fn by_invitation(engine: Engine) -> Server {
    Server::empty_with(engine, |config| config.accounts.sign_up = SignUp::Invitation)
}

/// Signs up with the link that somebody was sent.
async fn follow(guest: &mut Guest<'_>, link: &str, name: &str) -> Answer {
    let invitation = guest.get(link).await.field("invitation");
    let fields = [("username", name), ("password", PASSWORD), ("again", PASSWORD), ("invitation", &invitation)];
    guest.send("/sign-up", &fields).await
}

/// An operator makes a link on their page.
async fn invited_by(operator: &mut Guest<'_>) -> String {
    let answer = operator.send("/operator/invitations", &[]).await;
    let html = answer.html();
    let link = html.split(&format!("<code>{PUBLIC_URL}")).nth(1).and_then(|rest| rest.split('<').next());
    link.unwrap_or_else(|| panic!("{html}")).to_owned()
}

#[tokio::test]
async fn a_link_is_good_once_and_for_a_week() {
    for engine in Engine::BOTH {
        let server = by_invitation(engine);
        let mut root = Guest::operator(&server, "root").await;
        let link = invited_by(&mut root).await;
        assert!(!root.get("/operator").await.html().contains(&link[22..]), "it is shown once");
        Guest::signed_in(&server, "root").await;
        // A name that is taken, or a password that is weak, does not use it up.
        let mut ada = Guest::new(&server);
        assert_eq!(follow(&mut ada, &link, "root").await.notice(), "The name root is taken.");
        assert_eq!(follow(&mut ada, &link, "ada").await.leads_to(), "/dashboard?done=welcome");
        for wrong in [link.as_str(), "/sign-up", "/sign-up?invitation=x", &format!("/sign-up?invitation={:064}", 7)] {
            let answer = follow(&mut Guest::new(&server), wrong, "eve").await;
            assert_eq!((answer.status, answer.notice().as_str()), (422, NOT_INVITED), "{wrong}");
        }
        let late = invited_by(&mut root).await;
        server.clock.set(NOW + 7 * DAY);
        assert_eq!(follow(&mut Guest::new(&server), &late, "eve").await.status, 422);
        assert!(!exists(&server, "eve"));
        server.clock.set(NOW + 7 * DAY - 1);
        assert_eq!(follow(&mut Guest::new(&server), &late, "bob").await.status, 303);
    }
}

#[tokio::test]
async fn of_many_who_follow_a_link_at_once_one_gets_in_and_the_others_hear_why_not() {
    for engine in Engine::BOTH {
        let server = by_invitation(engine);
        let link = invited_by(&mut Guest::operator(&server, "root").await).await;
        let names = ["one", "two", "three", "four"];
        let tries = names.map(|name| {
            let (mut guest, link) = (Guest::new(&server), link.clone());
            async move { follow(&mut guest, &link, name).await }
        });
        let answers = futures_util::future::join_all(tries).await;
        let (luckily, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 303);
        assert_eq!(luckily.len(), 1);
        for answer in refused {
            assert_eq!((answer.status, answer.notice().as_str()), (422, NOT_INVITED));
        }
        assert_eq!(names.iter().filter(|name| exists(&server, name)).count(), 1);
    }
}

#[tokio::test]
async fn the_command_line_invites_too() {
    for engine in Engine::BOTH {
        let server = by_invitation(engine);
        server.clock.set(Clock::System.now());
        let mut command = server.store.command(&["account", "invite", "--days", "1"]);
        let output = command.env("ROLLCALL_PUBLIC_URL", PUBLIC_URL).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let link = String::from_utf8(output.stdout).unwrap();
        let link = link.trim_end().strip_prefix(PUBLIC_URL).expect("a link to us");
        server.clock.set(Clock::System.now() + DAY);
        assert_eq!(follow(&mut Guest::new(&server), link, "ada").await.status, 422, "it was for a day");
        server.clock.set(Clock::System.now());
        assert_eq!(follow(&mut Guest::new(&server), link, "ada").await.status, 303);
    }
}
