//! Vote receivers of a demo world, as NuVotifier on its servers would be. Most servers have one; a few of those are down, so that
//! all states of a delivery can be seen.

use std::io;
use std::net::{Ipv4Addr, TcpListener};

use super::servers;
use super::world::DemoWorld;
use rollcall_minecraft::HostTable;
use rollcall_minecraft::votifier::fake_receiver::{FakeReceiver, Settings};
use rollcall_store::{Conn, Result, demo_data};

/// Votifier's port.
pub(crate) const PORT: u16 = 8192;
/// One server in this many has no receiver.
const WITHOUT_RECEIVER: usize = 4;
/// The receiver of one server in this many is down.
const DOWN: usize = 10;

/// The running receivers. They stop when this is dropped.
#[derive(Default)]
pub struct DemoVoteReceivers {
    /// Row number, host and token of each server with a receiver.
    settings: Vec<(i64, String, String)>,
    _running: Vec<FakeReceiver>,
}

impl DemoVoteReceivers {
    /// Starts the receivers and adds their addresses to `hosts`. Must be called inside a Tokio runtime.
    pub(crate) fn start(world: &DemoWorld, hosts: &mut HostTable) -> io::Result<Self> {
        let (mut settings, mut running) = (Vec::new(), Vec::new());
        for (index, server) in world.servers.iter().enumerate() {
            if index % WITHOUT_RECEIVER == WITHOUT_RECEIVER - 1 {
                continue;
            }
            let token = format!("demo-token-{index}");
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            hosts.insert((server.hostname(), PORT), listener.local_addr()?);
            // The address of a receiver that is down has no listener.
            if index % DOWN != 0 {
                running.push(FakeReceiver::over(listener, Settings::with_token(&token))?);
            }
            settings.push((servers::row_n(index), server.hostname(), token));
        }
        Ok(Self { settings, _running: running })
    }

    /// Tells the service where to send votes.
    pub(crate) fn store(&self, conn: &mut Conn, now: i64) -> Result<()> {
        demo_data::set_vote_receivers(conn, &self.settings, i64::from(PORT), now)
    }
}
