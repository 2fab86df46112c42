//! A TXT record that a DNS server of others serves: Knot DNS, which `./test` installs.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rollcall_minecraft::{Host, Resolver};

use super::{Game, check_claim, service_with, start_claim, submitted};
use crate::harness::{Browser, Engine, skip_or_fail, until};

const KNOTD: &str = "/usr/sbin/knotd";
/// Not the loopback address of the other tests: their connections, also closed ones, keep ports of it that Knot then cannot
/// bind for UDP and TCP both.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 53);

/// Knot DNS with the zone `example.org` in a directory of its own.
struct Knot {
    folder: tempfile::TempDir,
    address: SocketAddr,
    process: Child,
}

impl Knot {
    async fn start() -> Self {
        let knot = Self::spawn();
        knot.until_it_serves(0).await;
        knot
    }

    fn spawn() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let address = TcpListener::bind((ADDRESS, 0)).and_then(|socket| socket.local_addr()).expect("a free port");
        write_zone(folder.path(), 1, "");
        let path = folder.path().display();
        let settings = format!(
            "server:\n  rundir: {path}\n  listen: {ADDRESS}@{}\n  udp-workers: 1\n  tcp-workers: 1\n  background-workers: 1\n\
             database:\n  storage: {path}\nlog:\n  - target: {path}/log\n    any: info\nzone:\n  - domain: example.org\n    \
             storage: {path}\n    file: example.org.zone\n    journal-content: none\n",
            address.port()
        );
        fs::write(folder.path().join("knot.conf"), settings).expect("a file");
        let mut command = Command::new(KNOTD);
        command.arg("-c").arg(folder.path().join("knot.conf")).stdout(Stdio::null()).stderr(Stdio::null());
        Self { process: command.spawn().expect("knotd starts"), folder, address }
    }

    async fn publish(&self, code: &str) {
        write_zone(self.folder.path(), 2, &format!("_rollcall.play 0 IN TXT \"{code}\"\n"));
        let reloaded = Command::new("kill").args(["-HUP", &self.process.id().to_string()]).status();
        assert!(reloaded.expect("kill runs").success());
        self.until_it_serves(1).await;
    }

    /// Waits until it serves the zone with `count` TXT records.
    async fn until_it_serves(&self, count: usize) {
        let host: Host = "play.example.org".parse().expect("a name");
        until(async || {
            // A new one each time: it remembers names that do not exist yet.
            let resolver = Resolver::dns(Some(self.address)).expect("a resolver");
            let is_up = !resolver.addresses("play.example.org").await.is_empty();
            match is_up && resolver.txt_records("_rollcall", &host).await.is_ok_and(|texts| texts.len() == count) {
                true => Ok(()),
                false => Err(format!("Knot DNS does not serve {count} TXT records; its log:\n{}", self.log())),
            }
        })
        .await;
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_else(|error| error.to_string())
    }
}

impl Drop for Knot {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn write_zone(folder: &Path, serial: u32, more: &str) {
    let zone = format!(
        "$ORIGIN example.org.\n@ 0 IN SOA ns hostmaster {serial} 60 60 60 0\n@ 0 IN NS ns\nns 0 IN A 127.0.0.1\n\
         play 0 IN A 127.0.0.1\n{more}"
    );
    fs::write(folder.join("example.org.zone"), zone).expect("a file");
}

#[tokio::test]
#[ignore = "slow, ./test runs it"]
async fn a_txt_record_of_knot_proves_ownership() {
    if !Path::new(KNOTD).exists() {
        return skip_or_fail("a_txt_record_of_knot_proves_ownership", "Knot DNS (apt-get install knot)");
    }
    for engine in Engine::BOTH {
        let knot = Knot::start().await;
        let name_server = knot.address;
        let server = service_with(engine, move |config| config.tracker.name_server = Some(name_server));
        let game = Game::open(0, "no code");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = submitted(&mut ada, &format!("play.example.org:{}", game.address.port()), "Named").await;
        let code = start_claim(&mut ada, &slug).await;
        let not_found = check_claim(&mut ada, &slug).await;
        assert_eq!(not_found.status, 422, "{}", not_found.html());
        knot.publish(&code).await;
        let found = check_claim(&mut ada, &slug).await;
        assert_eq!(found.status, 303, "{}", found.html());
    }
}
