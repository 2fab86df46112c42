//! Finds servers that are listed already under another name of the same address.

use std::net::SocketAddr;

use futures_util::future::join_all;

use super::Listings;
use rollcall_minecraft::{Edition, Host, PingRequest};
use rollcall_store::listings::{self, AnsweredAt, SameAddress};

/// Stands for no server, where one is left out.
pub(super) const NO_SERVER: i64 = 0;

/// Where a server answered that was pinged at `port`. The IP address is written as the tracker stores it.
pub(super) fn answered_at(address: SocketAddr, port: u16, edition: Edition) -> AnsweredAt {
    AnsweredAt {
        ip: address.ip().to_string(),
        ports: [i64::from(port), i64::from(address.port())],
        edition: edition.name().to_owned(),
    }
}

impl Listings {
    /// The servers that answer where this one does, also through SRV records; without the one with the number `except`.
    pub(super) async fn at_same_address(
        &self,
        at: &AnsweredAt,
        except: i64,
    ) -> rollcall_store::Result<Vec<SameAddress>> {
        let place = at.clone();
        let mut found = self.pool.read(move |conn| listings::at_same_address(conn, &place, except)).await?;
        // Only names without a port have SRV records.
        let srv_port = i64::from(Edition::Java.default_port());
        if at.edition != Edition::Java.name() || at.ports.contains(&srv_port) {
            return Ok(found);
        }
        let place = at.clone();
        let others = self.pool.read(move |conn| listings::at_other_port(conn, &place, srv_port, except)).await?;
        let hosts: Vec<String> = others.iter().map(|server| server.host.clone()).collect();
        let ports = join_all(hosts.into_iter().map(|host| self.port_of(host, srv_port, Edition::Java))).await;
        found.extend(
            others.into_iter().zip(ports).filter(|(_, port)| at.ports.contains(port)).map(|(server, _)| server),
        );
        Ok(found)
    }

    /// The port that a ping of the host reaches; the given one if DNS names no other.
    pub(super) async fn port_of(&self, host: String, port: i64, edition: Edition) -> i64 {
        let (Ok(host), Ok(typed)) = (host.parse::<Host>(), u16::try_from(port)) else { return port };
        let addresses = self.pinger.resolve(&PingRequest::new(host, typed, edition)).await.unwrap_or_default();
        addresses.first().map_or(port, |address| i64::from(address.port()))
    }
}
