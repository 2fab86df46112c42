//! `/operator/invitations`: open invitations are listed and revoked.

use rollcall_model::time::DAY;
use rollcall_store::audit::Author;

use crate::harness::{Browser, Engine, NOW, PASSWORD, PUBLIC_URL, Server};

/// The ids of the listed invitations, newest first.
fn listed(html: &str) -> Vec<String> {
    let forms = html.split("action=\"/operator/invitations/").skip(1);
    forms.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect()
}

#[tokio::test]
async fn invitations_are_listed_with_their_makers_and_ends_and_revoked() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| {
            config.accounts.sign_up = rollcall::config::SignUp::Invitation;
        });
        let mut root = Browser::operator(&server, "root").await;
        assert!(root.get("/operator/invitations").await.html().contains("No open invitations."));
        let html = root.send("/operator/invitations", &[]).await.html();
        let link = html.split(&format!("<code>{PUBLIC_URL}")).nth(1).and_then(|rest| rest.split('<').next());
        let link = link.expect("a link").to_owned();
        let command = Author::command_line(NOW - DAY);
        server.store.change(|conn| {
            rollcall::accounts::invitations::create(conn, PUBLIC_URL, 1, &command)?;
            rollcall::accounts::invitations::create(conn, PUBLIC_URL, 9, &command).map(drop)
        });
        let html = root.get("/operator/invitations").await.html();
        let rows: Vec<&str> = html.split("<tr>\n").skip(1).collect();
        assert_eq!(rows.len(), 2, "the one that has ended is not shown");
        assert!(
            rows[0].contains("By: </span>root</td>") && rows[0].contains("2026-06-10T14:00:00.000Z"),
            "{}",
            rows[0]
        );
        assert!(rows[1].contains("By: </span>command line</td>") && rows[1].contains("2026-06-11T14:00:00.000Z"));
        let ids = listed(&html);
        let revoke = format!("/operator/invitations/{}/revoke", ids[0]);
        assert_eq!(root.send(&revoke, &[]).await.heading(), "Not confirmed");
        assert_eq!(listed(&root.get("/operator/invitations").await.html()), ids);
        let done = root.send(&revoke, &[("sure", "yes")]).await;
        assert_eq!(done.redirect_target(), "/operator/invitations?done=invitation-revoked");
        let shown = root.get(done.redirect_target()).await;
        assert_eq!(shown.notice(), "Invitation revoked. Its link no longer works.");
        assert_eq!(listed(&shown.html()), ids[1..]);
        assert_eq!(root.send(&revoke, &[("sure", "yes")]).await.status, 404, "revoked before");
        let mut eve = Browser::new(&server);
        let code = eve.get(&link).await.field("invitation");
        let fields = [("username", "eve"), ("password", PASSWORD), ("again", PASSWORD), ("invitation", &code)];
        assert_eq!(eve.send("/sign-up", &fields).await.status, 422);
        let log = root.get("/operator/log").await.html();
        assert!(log.contains("<strong>invitation revoked</strong><br><span class=\"soft\">created by root</span>"));
    }
}
