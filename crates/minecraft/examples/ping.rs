//! Pings one server: `cargo run -p rollcall-minecraft --example ping -- play.example.org[:PORT] [--bedrock]`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line example")]

use std::process::ExitCode;
use std::time::Duration;

use rollcall_minecraft::{Edition, PingClient, PingReply, PingRequest, Resolver, SsrfGuard, split_port};

const TIMEOUT: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> ExitCode {
    let mut edition = Edition::Java;
    let mut target = None;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--bedrock" => edition = Edition::Bedrock,
            _ => target = Some(argument),
        }
    }
    let Some(target) = target else {
        eprintln!("usage: ping HOST[:PORT] [--bedrock]");
        return ExitCode::from(2);
    };
    match ping(&target, edition).await {
        Ok(reply) => {
            print(&reply);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{target}: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn ping(target: &str, edition: Edition) -> Result<PingReply, Box<dyn std::error::Error>> {
    let (host, port) = split_port(target)?;
    let client = PingClient { resolver: Resolver::dns(None)?, guard: SsrfGuard::new(false), timeout: TIMEOUT };
    let request = PingRequest::new(host.parse()?, port.unwrap_or(edition.default_port()), edition);
    Ok(client.ping(&request).await?)
}

fn print(reply: &PingReply) {
    let status = &reply.status;
    println!("Address  {} ({})", reply.address, reply.protocol.name());
    println!("Version  {} (protocol {})", status.version, status.protocol);
    println!("Players  {} of {}", status.players, status.max_players);
    println!("MOTD     {}", status.motd_raw.replace('\n', "\n         "));
    println!("Latency  {} ms", reply.latency_ms);
}
