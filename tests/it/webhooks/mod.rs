//! Webhooks, to receivers on this machine.

mod alerts;
mod dashboard;
mod delivery;
mod fan_out;

use std::sync::Arc;

use rollcall_model::event::EventKind;
use rollcall_model::secret::Secret;
use rollcall_model::webhook::{ServerScope, WebhookFormat, WebhookType};
use rollcall_store::audit::Author;
use rollcall_store::events::{self, NewEvent};
use rollcall_store::webhooks::{self, WebhookSettings};
use rollcall_store::{revision, values};

use crate::harness::{Engine, NOW, Server, Store, until};

const SECRET: &str = "whsec_dGhlIHNlY3JldCBvZiB0aGUgdGVzdHMgb2Ygd2ViaG9va3M=";

/// A server over the demo world that may send webhooks to this machine.
fn server(engine: Engine) -> Server {
    let world = Server::own(engine).stop();
    node(world)
}

/// Another process over the same store.
fn node(store: Arc<Store>) -> Server {
    Server::set_up(store, NOW, |config| {
        config.tracker.allow_private_addresses = true;
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
    })
}

/// The numbers of the first public servers.
fn public_servers(server: &Server, count: i64) -> Vec<i64> {
    let sql = "select n from servers where visibility = 'PUBLIC' order by n limit $1";
    server.store.change(|conn| conn.query(sql, values![count], |row| row.get(0)))
}

/// Writes events of these kinds and servers, as polls would; returns their ids.
fn write(server: &Server, at: i64, told: &[(EventKind, i64)]) -> Vec<String> {
    let events: Vec<NewEvent> = told.iter().map(|(kind, n)| NewEvent::of_server(*kind, at, *n)).collect();
    server.store.change(|conn| {
        revision::bump(conn)?;
        events::write(conn, &events)?;
        let last = events::newest_number(conn)?;
        let ids = (last - events.len() as i64 + 1..=last).map(rollcall_model::event::id);
        Ok(ids.collect())
    })
}

/// The settings of an endpoint for these types of all servers.
pub fn settings(url: &str, types: &[&str]) -> WebhookSettings {
    WebhookSettings {
        name: "Test".into(),
        host: "127.0.0.1".into(),
        url: Secret::from(url),
        format: WebhookFormat::Standard,
        types: types.iter().map(|name| WebhookType::parse(name).expect("a type")).collect(),
        scope: ServerScope::All,
        servers: Vec::new(),
    }
}

/// Adds an endpoint of a new account.
pub fn create(server: &Server, id: &str, settings: &WebhookSettings) {
    let author = Author::command_line(NOW);
    server.store.change(|conn| {
        let name = format!("owner-of-{id}");
        let new = rollcall_store::accounts::NewAccount {
            id: &name,
            username: &name,
            avatar: "",
            password: "",
            operator: false,
            password_expires_at: None,
        };
        let n = rollcall_store::accounts::create(conn, &new, &author)?.expect("a new name");
        webhooks::create(conn, (n, id), settings, &Secret::from(SECRET), 10, &author)
    });
}

/// `(state, attempts, status)` of the deliveries of an endpoint, in the order of their events.
fn deliveries(server: &Server, id: &str) -> Vec<(String, i64, i64)> {
    let sql = "select d.state, d.attempts, d.status from webhook_deliveries d join webhooks w on w.n = d.webhook_n
               where w.id = $1 order by d.event_n";
    server.store.change(|conn| conn.query(sql, values![id], |row| (row.get(0), row.get(1), row.get(2))))
}

/// Waits until the deliveries of an endpoint are these.
async fn until_deliveries(server: &Server, id: &str, wanted: &[(&str, i64, i64)]) {
    let wanted: Vec<(String, i64, i64)> =
        wanted.iter().map(|(state, attempts, status)| ((*state).to_owned(), *attempts, *status)).collect();
    until(async || {
        let found = deliveries(server, id);
        if found == wanted { Ok(()) } else { Err(format!("the deliveries of {id} are {found:?}, not {wanted:?}")) }
    })
    .await;
}

/// Waits until a node has looked for events and for deliveries that are due now. What it did not begin to send waits for
/// another time; an attempt counts as soon as it begins.
pub async fn until_nothing_is_due(node: &Server) {
    node.until_run("webhook_events").await;
    node.until_run("webhook_deliveries").await;
}
