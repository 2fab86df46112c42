//! `rollcall server ping`: asks once, and says what came back or why nothing did.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::cli::output::say;
use crate::cli::{Failure, StoreArgs, load};
use rollcall_model::{country, motd};
use rollcall_ping::{Answer, Asker, Edition, Form, Host, Legacy, Names, Question, Seen, split_port};

#[derive(Args)]
pub struct PingArgs {
    /// HOST or HOST:PORT
    address: String,
    /// Which game is spoken there
    #[arg(long, value_parser = super::edition_parser(), default_value = "java")]
    edition: Edition,
    /// Ask for the whole list of players, too (GameSpy Query) [default port: that of the game]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    query: Option<u16>,
    /// Speak only this form of the protocol [default: all, one after the other]
    #[arg(long, value_enum)]
    form: Option<JavaForm>,
    /// Ask addresses of private networks and of this machine, too
    #[arg(long)]
    allow_private_addresses: bool,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
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

impl From<JavaForm> for Form {
    fn from(form: JavaForm) -> Self {
        match form {
            JavaForm::Modern => Self::Modern,
            JavaForm::V1_6 => Self::Legacy(Legacy::V1_6),
            JavaForm::V1_4 => Self::Legacy(Legacy::V1_4),
            JavaForm::Beta => Self::Legacy(Legacy::Beta),
        }
    }
}

pub fn run(args: &PingArgs) -> Result<(), Failure> {
    let mut flags = args.store.flags();
    flags.allow_private_addresses = args.allow_private_addresses;
    let config = load(&flags)?.tracker;
    let (host, port) = split_port(&args.address).map_err(Failure::Usage)?;
    let port = port.unwrap_or(args.edition.default_port());
    let question = Question {
        host: host.parse::<Host>().map_err(Failure::Usage)?,
        port,
        edition: args.edition,
        query_port: args.query.map(|given| if given == 0 { port } else { given }),
        form: args.form.map(Form::from),
        only_form: args.form.is_some(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = runtime.block_on(async {
        let names = Names::dns(config.name_server).map_err(Failure::Failed)?;
        let deadline = Duration::from_secs(config.deadline);
        let asker = Asker { names, allow_private: config.allow_private_addresses, deadline };
        asker.ask(&question).await.map_err(|failure| Failure::Failed(format!("{}: {failure}", args.address)))
    })?;
    if args.json { say(&machine(&answer, &question)) } else { say(&words(&answer, &question)) }
}

fn machine(answer: &Answer, question: &Question) -> String {
    let status = &answer.status;
    let sample: Vec<_> = players(answer).iter().map(|seen| json!({"name": seen.name, "uuid": seen.uuid})).collect();
    let told = json!({
        "address": answer.address.to_string(),
        "edition": question.edition.name(),
        "form": answer.form.name(),
        "latency": answer.latency_ms,
        "version": status.version,
        "protocol": status.protocol,
        "players": status.players,
        "maxPlayers": status.max_players,
        "sample": sample,
        "queried": question.query_port.map(|_| answer.everybody.is_some()),
        "motd": motd::plain(&status.motd_raw),
        "motdRaw": status.motd_raw,
        "icon": status.icon.as_ref().map(|png| STANDARD.encode(png)),
    });
    serde_json::to_string_pretty(&told).expect("a value serialises")
}

/// What a query told, else what the answer's own sample did.
fn players(answer: &Answer) -> &[Seen] {
    answer.everybody.as_deref().unwrap_or(&answer.status.sample)
}

fn words(answer: &Answer, question: &Question) -> String {
    let status = &answer.status;
    let place = iptocc::country_code(answer.address.ip()).and_then(country::by_code);
    let mut lines = vec![
        format!("{:10} {}", "Address", answer.address),
        format!("{:10} {} ms", "Latency", answer.latency_ms),
        format!("{:10} {} (protocol {}, asked as {})", "Version", status.version, status.protocol, answer.form.name()),
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
        players(answer).iter().filter(|seen| seen.is_player()).map(|seen| seen.name.as_str()).collect();
    if !names.is_empty() {
        lines.push(format!("{:10} {}", "Seen", names.join(", ")));
    }
    if let Some(port) = question.query_port.filter(|_| answer.everybody.is_none()) {
        lines.push(format!("{:10} no answer on port {port}", "Query"));
    }
    lines.join("\n")
}
