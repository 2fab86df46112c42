//! Passwords that operators make: their users must replace them, and they expire.

use rollcall::accounts::passwords;
use rollcall_model::time::DAY;
use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::audit::Author;

use super::stored_rows;
use crate::harness::{Browser, Engine, NOW, PASSWORD, PASSWORD_MEMORY_KIB, Server};

const NEW: &str = "dHk3.pQ-z81x over the hill";
const PAGE: &str = "/dashboard/account/password";

/// An account as `rollcall account create` leaves it.
fn create(server: &Server, name: &str) {
    let (id, password) = (format!("made-{name}"), passwords::hash(PASSWORD, PASSWORD_MEMORY_KIB));
    let password_expires_at = Some(NOW + 7 * DAY);
    let new =
        NewAccount { id: &id, username: name, avatar: "", password: &password, operator: true, password_expires_at };
    server.store.change(|conn| accounts::create(conn, &new, &Author::command_line(NOW)));
}

#[tokio::test]
async fn the_user_must_choose_a_password_before_anything_else() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        create(&server, "ada");
        let mut ada = Browser::new(&server);
        assert_eq!(ada.sign_in("ada", PASSWORD).await.redirect_target(), "/dashboard");
        for path in
            ["/dashboard", "/dashboard/account", "/dashboard/account/second-factor", "/dashboard/log", "/operator"]
        {
            assert_eq!(ada.get(path).await.redirect_target(), PAGE, "{path}");
        }
        let page = ada.get(PAGE).await;
        assert!(page.html().contains("An operator made your password. Choose your own to continue."));
        let before = stored_rows(&server.store);
        for (path, fields) in [
            ("/dashboard/keys", vec![("name", "mine")]),
            ("/operator/invitations", vec![]),
            ("/dashboard/account/delete", vec![("password", PASSWORD), ("sure", "yes")]),
        ] {
            assert_eq!(ada.send(path, &fields).await.redirect_target(), PAGE, "{path}");
        }
        let same = [("password", PASSWORD), ("new", PASSWORD), ("again", PASSWORD)];
        let refused = ada.send(PAGE, &same).await;
        let words = "The new password must differ from the one that the operator made.";
        assert_eq!((refused.status, refused.notice().as_str()), (422, words));
        assert_eq!(stored_rows(&server.store), before);
        let own = [("password", PASSWORD), ("new", NEW), ("again", NEW)];
        assert_eq!(ada.send(PAGE, &own).await.redirect_target(), "/dashboard/account?done=password");
        for path in ["/dashboard", "/dashboard/account", "/operator", PAGE] {
            assert_eq!(ada.get(path).await.status, 200, "{path}");
        }
        server.clock.set(NOW + 8 * DAY);
        assert_eq!(Browser::new(&server).sign_in("ada", NEW).await.status, 200, "it is theirs now");
    }
}

#[tokio::test]
async fn an_unused_password_expires() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        create(&server, "ada");
        server.clock.set(NOW + 7 * DAY - 1);
        let mut early = Browser::new(&server);
        assert_eq!(early.sign_in("ada", PASSWORD).await.status, 303);
        assert_eq!(early.get(PAGE).await.status, 200);
        server.clock.set(NOW + 7 * DAY);
        // Sessions that began with it end, too.
        assert_eq!(early.get(PAGE).await.status, 303);
        let mut ada = Browser::new(&server);
        let refused = ada.sign_in("ada", PASSWORD).await;
        assert_eq!(refused.status, 403);
        assert!(refused.notice().starts_with("This password has expired"), "{}", refused.notice());
        assert_eq!(ada.get("/dashboard").await.status, 303);
        // Without the password nobody learns of it.
        assert_eq!(Browser::new(&server).sign_in("ada", "wrong horse battery").await.status, 422);
    }
}
