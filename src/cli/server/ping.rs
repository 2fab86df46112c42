//! `rollcall server ping`: pings once and prints the result.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::cli::output::{OutputArgs, print_line};
use crate::cli::{Failure, StoreArgs, load};
use crate::tracker::own_addresses;
use rollcall_minecraft::{
    Edition, Host, LegacyVersion, ListedPlayer, PingClient, PingProtocol, PingReply, PingRequest, Resolver, split_port,
};
use rollcall_model::{country, motd};

#[derive(Args)]
pub struct PingArgs {
    /// HOST or HOST:PORT
    address: String,
    /// Edition of the game
    #[arg(long, value_parser = super::edition_parser(), default_value = "java")]
    edition: Edition,
    /// Also request the whole player list by GameSpy Query [default port: that of the game]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    query: Option<u16>,
    /// Use only this version of the protocol [default: try all, newest first]
    #[arg(long, value_enum)]
    form: Option<JavaForm>,
    /// Allow private networks and this machine
    #[arg(long)]
    allow_private_addresses: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum JavaForm {
    Modern,
    #[value(name = "1.6")]
    V1_6,
    #[value(name = "1.4")]
    V1_4,
    Beta,
}

impl From<JavaForm> for PingProtocol {
    fn from(form: JavaForm) -> Self {
        match form {
            JavaForm::Modern => Self::Modern,
            JavaForm::V1_6 => Self::Legacy(LegacyVersion::V1_6),
            JavaForm::V1_4 => Self::Legacy(LegacyVersion::V1_4),
            JavaForm::Beta => Self::Legacy(LegacyVersion::Beta),
        }
    }
}

pub fn run(args: &PingArgs) -> Result<(), Failure> {
    let mut flags = args.store.flags();
    flags.allow_private_addresses = args.allow_private_addresses;
    let config = load(&flags)?;
    let (host, port) = split_port(&args.address).map_err(Failure::Usage)?;
    let port = port.unwrap_or(args.edition.default_port());
    let request = PingRequest {
        host: host.parse::<Host>().map_err(Failure::Usage)?,
        port,
        edition: args.edition,
        query_port: args.query.map(|given| if given == 0 { port } else { given }),
        protocol: args.form.map(PingProtocol::from),
        no_fallback: args.form.is_some(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let reply = runtime.block_on(async {
        let settings = &config.tracker;
        let resolver = Resolver::dns(settings.name_server).map_err(Failure::Failed)?;
        let timeout = Duration::from_secs(settings.deadline);
        let client = PingClient { resolver, guard: settings.guard(), timeout };
        client.guard.set_own_addresses(own_addresses(&client.resolver, &config.own_hosts()).await.0);
        client.ping(&request).await.map_err(|failure| {
            // The setting of the service is a flag here.
            let reason = failure.to_string().replace("set allow_private_addresses", "use --allow-private-addresses");
            Failure::Failed(format!("{}: {reason}", args.address))
        })
    })?;
    if args.output.json { print_line(&as_json(&reply, &request)) } else { print_line(&as_text(&reply, &request)) }
}

fn as_json(reply: &PingReply, request: &PingRequest) -> String {
    let status = &reply.status;
    let sample: Vec<_> = players(reply).iter().map(|seen| json!({"name": seen.name, "uuid": seen.uuid})).collect();
    let value = json!({
        "address": reply.address.to_string(),
        "edition": request.edition.name(),
        "form": reply.protocol.name(),
        "latency": reply.latency_ms,
        "version": status.version,
        "protocol": status.protocol,
        "players": status.players,
        "maxPlayers": status.max_players,
        "sample": sample,
        "queried": request.query_port.map(|_| reply.query_players.is_some()),
        "motd": motd::plain(&status.motd_raw),
        "motdRaw": status.motd_raw,
        "icon": status.icon.as_ref().map(|png| STANDARD.encode(png)),
    });
    serde_json::to_string_pretty(&value).expect("JSON serializes")
}

/// The player list of the query, else the sample in the status.
fn players(reply: &PingReply) -> &[ListedPlayer] {
    reply.query_players.as_deref().unwrap_or(&reply.status.sample)
}

fn as_text(reply: &PingReply, request: &PingRequest) -> String {
    let status = &reply.status;
    let place = iptocc::country_code(reply.address.ip()).and_then(country::by_code);
    let mut lines = vec![
        format!("{:10} {}", "Address", reply.address),
        format!("{:10} {} ms", "Latency", reply.latency_ms),
        format!(
            "{:10} {} (protocol {}, pinged as {})",
            "Version",
            status.version,
            status.protocol,
            reply.protocol.name()
        ),
        format!("{:10} {} of {}", "Players", status.players, status.max_players),
    ];
    if let Some(country) = place {
        lines.insert(1, format!("{:10} {}", "Country", country.name));
    }
    for (line, head) in motd::plain(&status.motd_raw).lines().zip(std::iter::once("MOTD").chain(std::iter::repeat("")))
    {
        lines.push(format!("{head:10} {line}"));
    }
    lines.push(format!(
        "{:10} {}",
        "Icon",
        status.icon.as_ref().map_or("none".into(), |png| format!("{} bytes", png.len()))
    ));
    let names: Vec<&str> =
        players(reply).iter().filter(|seen| seen.is_player()).map(|seen| seen.name.as_str()).collect();
    if !names.is_empty() {
        lines.push(format!("{:10} {}", "Seen", names.join(", ")));
    }
    if let Some(port) = request.query_port.filter(|_| reply.query_players.is_none()) {
        lines.push(format!("{:10} no reply on port {port}", "Query"));
    }
    lines.join("\n")
}
