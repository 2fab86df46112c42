//! The demo's servers, each as a host of its own that lives along its curve.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::host::Host;
use super::population::{Crowd, SAMPLE};
use super::status::{Says, Source};
use crate::rng::Seed;
use crate::servers::Server;
use crate::{Error, Scale, players, servers};
use rollcall_model::clock::Clock;
use rollcall_ping::Places;
use rollcall_store::Conn;
use rollcall_store::media::Media;

/// The bytes of icons, by the ids of servers.
pub type Icons = HashMap<String, Arc<[u8]>>;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Ends with its last reference: keep it for as long as anyone may ask.
pub struct World {
    /// Java over TCP and Bedrock over UDP.
    pub games: Places,
    /// Query, over UDP.
    pub queries: Places,
    _hosts: Vec<Host>,
}

/// The icons as they are kept. Blocking, like everything that reads the store.
pub fn read_icons(conn: &mut Conn, media: &Media) -> Result<Icons, Error> {
    let paths: Vec<(String, String)> =
        conn.query("select id, icon from servers", &[], |row| (row.get(0), row.get(1)))?;
    let mut icons = Icons::with_capacity(paths.len());
    for (id, path) in paths {
        if let Some(bytes) = media.get_blocking(&path)? {
            icons.insert(id, Arc::from(&*bytes));
        }
    }
    Ok(icons)
}

/// Opens the world that was generated from this seed, at this moment (`demo_until`), in this scale. Needs a runtime around it.
pub fn open_world(seed: u64, now: i64, scale: &Scale, icons: &Icons, clock: &Clock) -> io::Result<World> {
    let seed = Seed(seed);
    let servers = servers::imagine(seed, now, scale);
    let crowd = Crowd::new(seed, &players::imagine(seed, now, scale), &servers);
    let mut world = World { games: Places::new(), queries: Places::new(), _hosts: Vec::new() };
    for (index, server) in servers.into_iter().enumerate() {
        let icon = icons.get(&server.id).cloned();
        let one = One { server, index, icon, crowd: Arc::clone(&crowd), clock: clock.clone() };
        one.open(&mut world)?;
    }
    Ok(world)
}

struct One {
    server: Server,
    index: usize,
    icon: Option<Arc<[u8]>>,
    crowd: Arc<Crowd>,
    clock: Clock,
}

impl One {
    fn open(self, world: &mut World) -> io::Result<()> {
        let (name, bedrock) = (self.server.host(), self.server.edition.bedrock);
        let port = |port: i64| u16::try_from(port).map_err(io::Error::other);
        let at = (name.clone(), port(self.server.port)?);
        let query_port = self.server.query_port();
        let one = Arc::new(self);
        let telling = |names: usize| -> Source {
            let one = Arc::clone(&one);
            Arc::new(move || one.says(names))
        };
        let host = if bedrock { Host::bedrock(HERE, 0, telling(0)) } else { Host::java(HERE, 0, telling(SAMPLE)) }?;
        world.games.insert(at, host.address());
        world._hosts.push(host);
        if let Some(query_port) = query_port {
            let host = Host::query(HERE, 0, telling(usize::MAX))?;
            world.queries.insert((name, port(query_port)?), host.address());
            world._hosts.push(host);
        }
        Ok(())
    }

    fn says(&self, names: usize) -> Option<Says> {
        let server = &self.server;
        let now = server.curve.at(self.clock.now());
        let mut sample = self.crowd.at(self.index, now.at, now.players);
        sample.truncate(names);
        now.online.then(|| Says {
            version: server.edition.label.to_owned(),
            protocol: server.edition.protocol,
            players: now.players,
            max_players: server.max_players,
            sample,
            motd: Value::String(server.motd_raw.clone()),
            icon: self.icon.clone(),
            delay: Duration::from_millis(now.latency_ms.unsigned_abs()),
        })
    }
}
