//! Accounts that are linked with players, and what their users choose.

mod joining;
mod joining_client;
mod player_settings;

use std::net::SocketAddr;
use std::sync::Arc;

use rollcall_model::link_code::LinkCode;
use rollcall_store::link_codes::{self, VerifiedPlayer};

use crate::harness::{Browser, Engine, NOW, Server, Store, TestResponse};
use joining_client::SessionServer;

pub const NOTCH: &str = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
pub const JEB: &str = "853c80ef-3c37-49fd-aa49-938b674adae6";

/// A service with a listener for players and its session server.
struct LinkingFixture {
    sessions: SessionServer,
    auth_url: String,
    server: Server,
}

impl LinkingFixture {
    fn new(engine: Engine) -> Self {
        let (sessions, auth_url) = SessionServer::start();
        let store = Server::own(engine).stop();
        Self { server: node(store, &auth_url, NOW), sessions, auth_url }
    }

    fn listener(&self) -> SocketAddr {
        self.server.verifier.as_ref().expect("a listener").address()
    }

    /// Ends the service as kill -9 would, and starts it again.
    fn restart(self) -> Self {
        let (now, store) = (self.server.clock.now(), self.server.crash());
        Self { server: node(store, &self.auth_url, now), sessions: self.sessions, auth_url: self.auth_url }
    }
}

/// A process over a store.
fn node(store: Arc<Store>, auth_url: &str, now: i64) -> Server {
    let auth_url = auth_url.to_owned();
    Server::set_up(store, now, move |config| {
        config.linking.listen = "127.0.0.1:0".parse().ok();
        config.linking.auth_url.clone_from(&auth_url);
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
    })
}

/// A code as the listener gives it to a player who joins.
pub fn join_code(store: &Store, uuid: &str, name: &str, now: i64) -> String {
    let code = LinkCode::generate();
    let player = VerifiedPlayer { game_uuid: uuid.to_owned(), nickname: name.to_owned() };
    store.change(|conn| link_codes::issue_to_player(conn, &player, &code, now));
    code.reveal().to_owned()
}

/// Enters a code on the page.
pub async fn enter(browser: &mut Browser<'_>, code: &str) -> TestResponse {
    browser.get("/dashboard/player").await;
    browser.send("/dashboard/player/link", &[("code", code)]).await
}

/// Links an account with a player who proves it by joining.
pub async fn link(browser: &mut Browser<'_>, uuid: &str, name: &str) {
    let code = join_code(&browser.server.store, uuid, name, browser.server.clock.now());
    let linked = enter(browser, &code).await;
    assert_eq!(linked.redirect_target(), "/dashboard/player?done=player-linked");
}
