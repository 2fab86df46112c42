//! Verifies players who join: `cargo run -p rollcall-minecraft --example verify -- [AUTH_URL [ADDRESS]]`
//!
//! Prints one JSON line with its address, and one for each verified account or failure. Ends when its input ends. Without
//! arguments it asks Mojang's session server and listens on a free port of this machine.

#![expect(clippy::print_stdout, reason = "a command-line example")]

use std::error::Error;
use std::net::IpAddr;

use rand::RngExt;
use rollcall_minecraft::join_verify::{Failure, Limits, OnVerified, SessionServer, Settings, Verifier};
use serde_json::json;
use tokio::net::TcpListener;
use uuid::Uuid;

const MOJANG: &str = "https://sessionserver.mojang.com";
const ANY_PORT: &str = "127.0.0.1:0";
/// Without characters that look alike.
const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH: usize = 8;

struct PrintCodes;

impl OnVerified for PrintCodes {
    async fn on_verified(&self, uuid: Uuid, name: String, ip: IpAddr) -> Result<String, String> {
        let mut random = rand::rng();
        let code: String =
            (0..CODE_LENGTH).map(|_| char::from(ALPHABET[random.random_range(0..ALPHABET.len())])).collect();
        println!("{}", json!({"uuid": uuid.to_string(), "name": name, "ip": ip, "code": code}));
        Ok(format!("Your code: {code}"))
    }

    fn on_failed(&self, ip: IpAddr, failure: &Failure) {
        println!("{}", json!({"ip": ip, "failure": format!("{failure:?}")}));
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let auth_url = arguments.first().map_or(MOJANG, String::as_str);
    let address = arguments.get(1).map_or(ANY_PORT, String::as_str);
    let mut settings = Settings::new(SessionServer::new(auth_url)?, "Join to get your code");
    // All peers of the tests come from one address.
    settings.limits = Limits { connections_per_ip: 64, logins_per_ip: 64, ..Limits::default() };
    let verifier = Verifier::start(TcpListener::bind(address).await?, settings, PrintCodes).await?;
    println!("{}", json!({"host": verifier.address().ip(), "port": verifier.address().port()}));
    tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink())).await??;
    verifier.stop().await;
    Ok(())
}
