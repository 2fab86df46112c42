//! The servers of a demo world report about themselves, as plugins on them would: some by AzLink, the others in our own format,
//! all through the public door of the service. A few have no plugin.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::population::Population;
use super::servers;
use super::world::DemoWorld;
use rollcall_model::clock::Clock;
use rollcall_model::server_token::ServerToken;
use rollcall_store::{Pool, demo_data};

/// How often each server reports.
const INTERVAL: Duration = Duration::from_secs(60);
const TIMEOUT: Duration = Duration::from_secs(5);
/// One server in this many has no plugin.
const WITHOUT_PLUGIN: usize = 5;
/// One in this many has AzLink.
const WITH_AZLINK: usize = 2;
/// The service bounds reports to 64 KiB.
const MAX_LISTED: usize = 500;

pub struct DemoReporters {
    world: Arc<DemoWorld>,
    population: Arc<Population>,
    clock: Clock,
}

/// A server with a plugin.
struct Reporter {
    index: usize,
    token: ServerToken,
}

impl DemoReporters {
    pub(crate) fn new(world: Arc<DemoWorld>, population: Arc<Population>, clock: Clock) -> Self {
        Self { world, population, clock }
    }

    /// Sends reports to the service until it stops.
    pub async fn run(self: Arc<Self>, pool: Pool, service: SocketAddr) {
        let indexes = (0..self.world.servers.len()).filter(|index| index % WITHOUT_PLUGIN != WITHOUT_PLUGIN - 1);
        let reporters: Vec<Reporter> =
            indexes.map(|index| Reporter { index, token: ServerToken::generate() }).collect();
        let tokens =
            reporters.iter().map(|reporter| (servers::row_n(reporter.index), reporter.token.clone())).collect();
        let now = self.clock.now();
        if let Err(error) = pool.write(move |conn| demo_data::set_server_tokens(conn, tokens, now)).await {
            tracing::warn!(%error, "the servers of the demo have no tokens and send no reports");
            return;
        }
        let mut ticks = tokio::time::interval(INTERVAL / u32::try_from(reporters.len().max(1)).unwrap_or(u32::MAX));
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        for (sent, reporter) in reporters.iter().cycle().enumerate() {
            // The first reports come at once: the servers have been running for long.
            if sent >= reporters.len() {
                ticks.tick().await;
            }
            if let Some((path, header, body)) = self.report(reporter) {
                let outcome = tokio::time::timeout(TIMEOUT, post(service, path, &header, &body)).await;
                if !matches!(outcome, Ok(Ok(()))) {
                    tracing::debug!(?outcome, path, "a report of the demo was not accepted");
                }
            }
        }
    }

    /// Path, token header and body of a report; `None` while the server is offline.
    fn report(&self, reporter: &Reporter) -> Option<(&'static str, String, Value)> {
        let server = &self.world.servers[reporter.index];
        let now = server.curve.at(self.clock.now());
        if !now.online {
            return None;
        }
        let tps = now.tps.unwrap_or(20.0);
        let mut present = self.population.on_server(reporter.index, now.at, now.players);
        present.truncate(MAX_LISTED);
        let players: Vec<Value> = present.iter().map(|(name, uuid)| json!({"name": name, "uuid": uuid})).collect();
        let token = reporter.token.reveal();
        Some(if reporter.index.is_multiple_of(WITH_AZLINK) {
            let body = json!({
                "platform": {"type": "BUKKIT", "name": "Paper", "version": server.version.label}, "version": "1.3.9",
                "players": players, "maxPlayers": server.max_players, "system": {"ram": 2_048.0, "cpu": 12.5},
                "worlds": {"tps": tps, "chunks": 441, "entities": 120}, "full": true,
            });
            ("/api/azlink", format!("Azuriom-Link-Token: {token}"), body)
        } else {
            let software = format!("Fabric {}", server.version.label);
            let body =
                json!({"software": software, "tps": tps, "mspt": 1_000.0 / tps.max(1.0) - 20.0, "players": players});
            ("/report/v1", format!("Authorization: Bearer {token}"), body)
        })
    }
}

/// One request, one connection. The answer is read up to its status.
async fn post(service: SocketAddr, path: &str, header: &str, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {service}\r\n{header}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(service).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut status = [0; "HTTP/1.1 200".len()];
    stream.read_exact(&mut status).await?;
    if &status == b"HTTP/1.1 200" { Ok(()) } else { Err(std::io::Error::other(String::from_utf8_lossy(&status))) }
}
