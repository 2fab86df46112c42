//! Runs every server of a demo world as a fake server that follows its activity curve.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::fake_servers::{FakeServer, FakeStatus, StatusSource};
use super::generate::Error;
use super::live_activity::LiveActivity;
use super::population::{MAX_SAMPLE, Population};
use super::reporters::DemoReporters;
use super::servers::DemoServer;
use super::vote_receivers::DemoVoteReceivers;
use super::world::DemoWorld;
use super::world_size::WorldSize;
use rollcall_minecraft::HostTable;
use rollcall_model::clock::Clock;
use rollcall_store::media::Media;
use rollcall_store::{Conn, demo_data};

/// PNG bytes by server id.
pub type ServerIcons = HashMap<String, Arc<[u8]>>;

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The running fake servers of a demo world. They stop when this is dropped.
pub struct DemoServers {
    /// Where Java (TCP) and Bedrock (UDP) servers and vote receivers listen, by hostname and port.
    pub games: HostTable,
    /// Where servers answer Query (UDP), by hostname and port.
    pub queries: HostTable,
    /// Votes and reviews from now on.
    pub activity: Arc<LiveActivity>,
    /// Reports that the servers send about themselves.
    pub reporters: Arc<DemoReporters>,
    _servers: Vec<FakeServer>,
}

/// Reads the icons of all servers from the store. Blocking.
pub fn read_icons(conn: &mut Conn, media: &Media) -> Result<ServerIcons, Error> {
    let paths = demo_data::server_icons(conn)?;
    let mut icons = ServerIcons::with_capacity(paths.len());
    for (id, path) in paths {
        if let Some(bytes) = media.get_blocking(&path)? {
            icons.insert(id, Arc::from(&*bytes));
        }
    }
    Ok(icons)
}

/// Starts the servers of the world that was generated from `seed` at `generated_at` in this size. Must be called inside
/// a Tokio runtime.
pub fn start_demo_servers(
    seed: u64,
    generated_at: i64,
    size: &WorldSize,
    icons: &ServerIcons,
    clock: &Clock,
) -> io::Result<DemoServers> {
    let world = Arc::new(DemoWorld::generate(seed, generated_at, size));
    let population = Population::new(Arc::clone(&world));
    let mut games = HostTable::new();
    let receivers = DemoVoteReceivers::start(&world, &mut games)?;
    let activity = Arc::new(LiveActivity::new(Arc::clone(&world), receivers));
    let reporters = Arc::new(DemoReporters::new(Arc::clone(&world), Arc::clone(&population), clock.clone()));
    let mut running = DemoServers { games, queries: HostTable::new(), activity, reporters, _servers: Vec::new() };
    for (index, server) in world.servers.iter().enumerate() {
        let icon = icons.get(&server.id).cloned();
        let (world, population) = (Arc::clone(&world), Arc::clone(&population));
        ServerSimulation { world, index, icon, population, clock: clock.clone() }.start(&mut running)?;
    }
    Ok(running)
}

/// Computes the current status of one demo server.
struct ServerSimulation {
    world: Arc<DemoWorld>,
    index: usize,
    icon: Option<Arc<[u8]>>,
    population: Arc<Population>,
    clock: Clock,
}

impl ServerSimulation {
    fn server(&self) -> &DemoServer {
        &self.world.servers[self.index]
    }

    fn start(self, running: &mut DemoServers) -> io::Result<()> {
        let (hostname, bedrock) = (self.server().hostname(), self.server().version.bedrock);
        let to_u16 = |port: i64| u16::try_from(port).map_err(io::Error::other);
        let game_key = (hostname.clone(), to_u16(self.server().port)?);
        let query_port = self.server().query_port();
        let simulation = Arc::new(self);
        let source = |max_names: usize| -> StatusSource {
            let simulation = Arc::clone(&simulation);
            Arc::new(move || simulation.status(max_names))
        };
        let game = if bedrock {
            FakeServer::bedrock(LOCALHOST, 0, source(0))
        } else {
            FakeServer::java(LOCALHOST, 0, source(MAX_SAMPLE))
        }?;
        running.games.insert(game_key, game.address());
        running._servers.push(game);
        if let Some(query_port) = query_port {
            let query = FakeServer::query(LOCALHOST, 0, source(usize::MAX))?;
            running.queries.insert((hostname, to_u16(query_port)?), query.address());
            running._servers.push(query);
        }
        Ok(())
    }

    /// `None` while the server is offline.
    fn status(&self, max_names: usize) -> Option<FakeStatus> {
        let server = self.server();
        let now = server.curve.at(self.clock.now());
        let mut sample = self.population.on_server(self.index, now.at, now.players);
        sample.truncate(max_names);
        now.online.then(|| FakeStatus {
            version: server.version.label.to_owned(),
            protocol: server.version.protocol,
            players: now.players,
            max_players: server.max_players,
            sample,
            motd: Value::String(server.motd_raw.clone()),
            icon: self.icon.clone(),
            delay: Duration::from_millis(now.latency_ms.unsigned_abs()),
        })
    }
}
