//! A TXT record that a DNS server of others serves: Knot DNS, which `./test` installs.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rollcall_ping::{Host, Resolver};

use super::{Game, SOON, check_claim, service_with, start_claim, submitted};
use crate::harness::{Browser, Engine, skip_or_fail};

const KNOTD: &str = "/usr/sbin/knotd";

/// Knot DNS with the zone `example.org` in a directory of its own.
struct Knot {
    folder: tempfile::TempDir,
    address: SocketAddr,
    process: Child,
}

impl Knot {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let address = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
        write_zone(folder.path(), 1, "");
        let path = folder.path().display();
        let settings = format!(
            "server:\n  rundir: {path}\n  listen: 127.0.0.1@{}\ndatabase:\n  storage: {path}\nzone:\n  - domain: example.org\n    \
             storage: {path}\n    file: example.org.zone\n",
            address.port()
        );
        fs::write(folder.path().join("knot.conf"), settings).expect("a file");
        let mut command = Command::new(KNOTD);
        command.arg("-c").arg(folder.path().join("knot.conf")).stdout(Stdio::null()).stderr(Stdio::null());
        Self { process: command.spawn().expect("knotd starts"), folder, address }
    }

    fn publish(&self, code: &str) {
        write_zone(self.folder.path(), 2, &format!("_rollcall.play 0 IN TXT \"{code}\"\n"));
        let reloaded = Command::new("kill").args(["-HUP", &self.process.id().to_string()]).status();
        assert!(reloaded.expect("kill runs").success());
    }

    /// Waits until it serves `count` TXT records.
    async fn until_serving(&self, count: usize) {
        let host: Host = "play.example.org".parse().expect("a name");
        let started = Instant::now();
        loop {
            // A new one each time: it remembers names that do not exist yet.
            let resolver = Resolver::dns(Some(self.address)).expect("a resolver");
            let is_up = !resolver.addresses("play.example.org").await.is_empty();
            if is_up && resolver.txt_records("_rollcall", &host).await.is_ok_and(|texts| texts.len() == count) {
                return;
            }
            assert!(started.elapsed() < SOON, "Knot does not serve the zone");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
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
async fn a_txt_record_of_knot_proves_ownership() {
    if !Path::new(KNOTD).exists() {
        return skip_or_fail("a_txt_record_of_knot_proves_ownership", "Knot DNS (apt-get install knot)");
    }
    for engine in Engine::BOTH {
        let knot = Knot::start();
        let name_server = knot.address;
        knot.until_serving(0).await;
        let server = service_with(engine, move |config| config.tracker.name_server = Some(name_server));
        let game = Game::open(0, "no code");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = submitted(&mut ada, &format!("play.example.org:{}", game.address.port()), "Named").await;
        let code = start_claim(&mut ada, &slug).await;
        assert_eq!(check_claim(&mut ada, &slug).await.status, 422);
        knot.publish(&code);
        knot.until_serving(1).await;
        assert_eq!(check_claim(&mut ada, &slug).await.status, 303);
    }
}
