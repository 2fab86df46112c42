//! Sends one vote: `cargo run -p rollcall-minecraft --example send_vote -- HOST[:PORT] TOKEN|PUBLIC_KEY USERNAME`
//!
//! Prints the outcome; ends with 0 only if the vote was delivered. Private addresses are allowed.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line example")]

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use rollcall_minecraft::votifier::{InvalidPublicKey, Outcome, Protocol, PublicKey, Receiver, Vote, send};
use rollcall_minecraft::{Resolver, SsrfGuard, split_port};
use tokio::time::Instant;

/// The vote's time; receivers only show it.
const VOTED_AT_MS: i64 = 1_767_225_600_000;
const DEFAULT_PORT: u16 = 8192;
const TIMEOUT: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, secret, username] = arguments.as_slice() else {
        eprintln!("usage: send_vote HOST[:PORT] TOKEN|PUBLIC_KEY USERNAME");
        return ExitCode::from(2);
    };
    match deliver(target, secret, username).await {
        Ok(Outcome::Delivered) => {
            println!("delivered");
            return ExitCode::SUCCESS;
        }
        Ok(Outcome::NotSent(reason)) => println!("not sent: {reason}"),
        Ok(Outcome::Uncertain(reason)) => println!("uncertain: {reason}"),
        Ok(Outcome::Rejected(reason)) => println!("rejected: {reason}"),
        Err(error) => eprintln!("{error}"),
    }
    ExitCode::FAILURE
}

async fn deliver(target: &str, secret: &str, username: &str) -> Result<Outcome, Box<dyn Error>> {
    let (host, port) = split_port(target)?;
    let protocol = match secret.parse::<PublicKey>() {
        Ok(key) => Protocol::V1(Box::new(key)),
        Err(error @ InvalidPublicKey::WrongSize(_)) => return Err(error.into()),
        Err(_) => Protocol::V2(secret.parse()?),
    };
    let receiver = Receiver { host: host.parse()?, port: port.unwrap_or(DEFAULT_PORT), protocol };
    let vote = Vote::new("Rollcall", username, "198.51.100.7", VOTED_AT_MS, None)?;
    Ok(send(&vote, &receiver, &Resolver::dns(None)?, &SsrfGuard::new(true), Instant::now() + TIMEOUT).await)
}
