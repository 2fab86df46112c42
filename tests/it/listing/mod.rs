//! Servers that people submit, claim and manage themselves: through the pages, with game servers on loopback.

mod claims;
mod ownership;
mod submission;
mod txt_record;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rollcall::config::{Config, Flags};
use rollcall::tracker::Tracker;
use rollcall_demo::fake_servers::{FakeServer, FakeStatus};
use rollcall_minecraft::{Edition, PingClient, PingRequest, Resolver, SsrfGuard};
use rollcall_store::media::Media;
use rollcall_store::{Connections, Pool, values};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::harness::{Browser, DEADLINE, Engine, Server, TestResponse, run_blocking, until};

/// A service over an empty store that may ping this machine.
fn service(engine: Engine) -> Server {
    service_with(engine, |_| {})
}

fn service_with(engine: Engine, change: impl Fn(&mut Config) + Send) -> Server {
    Server::empty_with(engine, move |config| {
        config.tracker.allow_private_addresses = true;
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
        change(config);
    })
}

/// A game server whose MOTD the test sets.
struct Game {
    motd: Arc<Mutex<String>>,
    address: SocketAddr,
    _server: FakeServer,
}

impl Game {
    fn open(port: u16, motd: &str) -> Self {
        let motd = Arc::new(Mutex::new(motd.to_owned()));
        let shown = motd.clone();
        let status = move || {
            let motd = json!(*shown.lock().expect("no panic while locked"));
            let sample = vec![("Ada".to_owned(), "b50ad385-829d-3141-a216-7e7d7539ba7f".to_owned())];
            Some(FakeStatus {
                version: "1.21.4".to_owned(),
                protocol: 769,
                players: 7,
                max_players: 40,
                sample,
                motd,
                icon: None,
                delay: Duration::ZERO,
            })
        };
        let game = FakeServer::java([127, 0, 0, 1].into(), port, Arc::new(status)).expect("a free port on loopback");
        Self { motd, address: game.address(), _server: game }
    }

    /// Sets the MOTD and waits until a ping returns it.
    async fn show(&self, text: &str) {
        text.clone_into(&mut self.motd.lock().expect("no panic while locked"));
        let resolver = Resolver::dns(None).expect("a resolver");
        let client = PingClient { resolver, guard: SsrfGuard::new(true), timeout: DEADLINE };
        let host = self.address.ip().to_string().parse().expect("an address");
        let request = PingRequest::new(host, self.address.port(), Edition::Java);
        until(async || match client.ping(&request).await.expect("a reply").status.motd_raw {
            motd if motd == text => Ok(()),
            motd => Err(format!("the MOTD of the game server is {motd:?}, not {text:?}")),
        })
        .await;
    }

    fn text(&self) -> String {
        self.address.to_string()
    }
}

/// An address at which nothing listens; a [`Game`] can be opened there later.
fn unused_address() -> SocketAddr {
    Game::open(0, "").address
}

/// Runs a tracker over the store of a service, as `rollcall serve` does.
fn track(server: &Server) -> JoinHandle<()> {
    let pool = run_blocking(|| Pool::open(&server.store.database, Connections::default())).expect("the store opens");
    let media = Media::in_folder(&server.store.path().join("media")).expect("a folder");
    let mut settings = Config::load(&Flags::default()).expect("the defaults").tracker;
    settings.allow_private_addresses = true;
    let pinger = Arc::new(settings.ping_client(Resolver::dns(None).expect("a resolver")));
    let tracker =
        Tracker::new(&settings, true, pinger, Vec::new(), pool, media, server.clock.clone()).expect("polling is on");
    server.spawn(tracker.run(std::future::pending()))
}

/// Waits until a query over one number returns `wanted`.
async fn until_stored(server: &Server, sql: &str, wanted: i64) {
    until(async || {
        let found: i64 = server.store.change(|conn| conn.query_one(sql, values![], |row| row.get(0)));
        if found == wanted { Ok(()) } else { Err(format!("{sql} is {found}, not {wanted}")) }
    })
    .await;
}

/// Submits a server as the form of the second step does.
async fn submit(browser: &mut Browser<'_>, address: &str, fields: &[(&str, &str)]) -> TestResponse {
    browser.get("/dashboard/add-server").await;
    let common = [("step", "submit"), ("address", address), ("edition", "java"), ("visibility", "PUBLIC")];
    let common: Vec<(&str, &str)> =
        common.into_iter().filter(|(name, _)| fields.iter().all(|(field, _)| field != name)).collect();
    browser.send("/dashboard/add-server", &[&common[..], fields].concat()).await
}

/// Submits a server and returns its slug.
async fn submitted(browser: &mut Browser<'_>, address: &str, name: &str) -> String {
    let response = submit(browser, address, &[("name", name)]).await;
    let target = response.redirect_target().to_owned();
    let slug = target.strip_prefix("/dashboard/servers/").and_then(|rest| rest.split('/').next());
    slug.unwrap_or_else(|| panic!("{target}: {}", response.html())).to_owned()
}

/// Starts a claim and returns its code.
async fn start_claim(browser: &mut Browser<'_>, slug: &str) -> String {
    let path = format!("/dashboard/servers/{slug}/claim");
    browser.get(&path).await;
    assert_eq!(browser.send(&path, &[]).await.redirect_target(), path);
    code_of(&browser.get(&path).await)
}

fn code_of(page: &TestResponse) -> String {
    let html = page.html();
    let code = html.split("<code>rollcall-").nth(1).and_then(|rest| rest.split('<').next());
    format!("rollcall-{}", code.unwrap_or_else(|| panic!("no code: {html}")))
}

/// Looks for the code.
async fn check_claim(browser: &mut Browser<'_>, slug: &str) -> TestResponse {
    browser.send(&format!("/dashboard/servers/{slug}/claim/check"), &[]).await
}

/// Submits and claims a server by its MOTD; returns its slug.
async fn owned_server(browser: &mut Browser<'_>, game: &Game, name: &str) -> String {
    let slug = submitted(browser, &game.text(), name).await;
    let code = start_claim(browser, &slug).await;
    game.show(&code).await;
    let claimed = check_claim(browser, &slug).await;
    assert_eq!(claimed.redirect_target(), format!("/dashboard/servers/{slug}/settings?done=server-claimed"));
    slug
}
