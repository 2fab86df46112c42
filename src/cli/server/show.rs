//! `server list` and `server show`: servers as text or JSON.

use serde_json::{Map, Value, json};

use super::{OneArgs, not_found, open_for_reading};
use crate::cli::output::print_line;
use crate::cli::{Failure, ListArgs};
use crate::transfer;
use rollcall_model::score::format_count;
use rollcall_model::text::is_control_or_bidi;
use rollcall_model::{motd, time};
use rollcall_store::outages::{self, Outage};
use rollcall_store::servers::{self, ServerListing};
use rollcall_store::tracking;

/// Outages shown.
const MAX_OUTAGES: i64 = 10;

pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let mut conn = open_for_reading(&args.store)?;
    let servers = servers::list(&mut conn, None)?;
    if args.output.json {
        return print_line(&Value::Array(servers.iter().map(as_json).collect()).to_string());
    }
    if servers.is_empty() {
        return print_line("No servers yet; `rollcall server add HOST` adds one.");
    }
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["SLUG", "NAME", "ADDRESS", "EDITION", "STATUS", "TRUST", "PLAYERS", "LAST PING"]);
    for server in &servers {
        table.add_row([
            server.slug.clone(),
            without_control_characters(&server.name),
            server.address(),
            server.edition.clone(),
            status(server).to_owned(),
            server.trust().name().to_owned(),
            format!("{}/{}", server.players, server.max_players),
            server.last_ping.map_or_else(|| "never".into(), time::iso),
        ]);
    }
    print_line(&table.trim_fmt())
}

fn status(server: &ServerListing) -> &'static str {
    match (server.is_tracked, server.last_ping, server.is_online) {
        (false, ..) => "not tracked",
        (_, None, _) => "not pinged yet",
        (.., true) => "online",
        (.., false) => "offline",
    }
}

fn as_json(server: &ServerListing) -> Value {
    json!({
        "id": server.id,
        "slug": server.slug,
        "name": server.name,
        "ip": server.ip,
        "port": server.port,
        "edition": server.edition,
        "queryPort": server.query_port,
        "isTracked": server.is_tracked,
        "visibility": server.visibility,
        "trust": server.trust().name(),
        "trustSetBy": if server.operator_trust.is_some() { "operator" } else { "tracker" },
        "suspicion": server.suspected_at.map(|at| json!({"at": time::iso(at), "evidence": server.suspicion})),
        "isOnline": server.is_online,
        "currentPlayers": server.players,
        "maxPlayers": server.max_players,
        "version": server.version,
        "latency": server.latency,
        "country": server.country,
        "uptime": server.uptime,
        "motd": motd::plain(&server.motd_raw),
        "lastPing": server.last_ping.map(time::iso),
    })
}

/// A server with everything that `server show` prints.
struct ShownServer {
    listing: ServerListing,
    /// Problems of the last status.
    note: String,
    outages: Vec<Outage>,
    /// The line of `servers.ndjson`.
    line: Map<String, Value>,
}

pub fn show(args: &OneArgs) -> Result<(), Failure> {
    let mut conn = open_for_reading(&args.store)?;
    let listing =
        servers::list(&mut conn, Some(&args.slug))?.into_iter().next().ok_or_else(|| not_found(&args.slug))?;
    let server = ShownServer {
        note: tracking::note(&mut conn, listing.n)?,
        outages: outages::of_server(&mut conn, listing.n, MAX_OUTAGES)?,
        line: transfer::server_line(&mut conn, &args.slug)?.unwrap_or_default(),
        listing,
    };
    if args.output.json {
        let value = server.as_json();
        return print_line(&serde_json::to_string_pretty(&value).expect("JSON serializes"));
    }
    print_line(&server.as_text())
}

impl ShownServer {
    fn as_json(&self) -> Value {
        let mut value = as_json(&self.listing);
        value["note"] = json!(self.note);
        for key in [
            "shortDescription",
            "tags",
            "gameMode",
            "website",
            "chatUrl",
            "storeUrl",
            "videoUrl",
            "ownerId",
            "createdAt",
        ] {
            value[key] = self.line.get(key).cloned().unwrap_or_default();
        }
        let outage = |outage: &Outage| {
            json!({
                "beganAt": time::iso(outage.began_at),
                "endedAt": outage.ended_at.map(time::iso),
                "reason": outage.reason,
            })
        };
        value["outages"] = self.outages.iter().map(outage).collect();
        value
    }

    fn as_text(&self) -> String {
        let title = format!("{} ({})", without_control_characters(&self.listing.name), self.listing.slug);
        let note = Some(&self.note).filter(|note| !note.is_empty()).map(|note| field("Note", note));
        let parts = [vec![title], self.status_lines(), self.setting_lines(), Vec::from_iter(note), self.outage_lines()];
        parts.concat().join("\n")
    }

    fn status_lines(&self) -> Vec<String> {
        let server = &self.listing;
        vec![
            field("Address", &format!("{} ({})", server.address(), server.edition)),
            field("Status", &format!("{}, {}", status(server), server.visibility.to_lowercase())),
            field("Trust", &trust_in_words(server)),
            field("Players", &format!("{} of {}", format_count(server.players), format_count(server.max_players))),
            field("Version", &server.version),
            field("Country", &server.country),
            field("Latency", &format!("{} ms", server.latency)),
            field("Uptime", &format!("{} % of the last 30 days", server.uptime)),
            field("MOTD", &motd::plain(&server.motd_raw).replace('\n', " / ")),
            field("Last ping", &server.last_ping.map_or_else(|| "never".into(), time::iso)),
        ]
    }

    /// The settings that have a value.
    fn setting_lines(&self) -> Vec<String> {
        let query = self.listing.query_port.map(|port| field("Query", &format!("port {port}")));
        let settings = [
            ("About", "shortDescription"),
            ("Tags", "tags"),
            ("Mode", "gameMode"),
            ("Website", "website"),
            ("Chat", "chatUrl"),
            ("Store", "storeUrl"),
            ("Video", "videoUrl"),
        ];
        let setting = |(name, key): (&str, &str)| {
            let text = match self.line.get(key)? {
                Value::String(text) => text.clone(),
                Value::Array(tags) => tags.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
                _ => return None,
            };
            (!text.is_empty()).then(|| field(name, &text))
        };
        query.into_iter().chain(settings.into_iter().filter_map(setting)).collect()
    }

    fn outage_lines(&self) -> Vec<String> {
        let heads = std::iter::once("Outages").chain(std::iter::repeat(""));
        let line = |(outage, head): (&Outage, &str)| {
            // A running outage is known up to the last ping.
            let end = outage.ended_at.or(self.listing.last_ping).unwrap_or(outage.began_at);
            let lasted = format_duration(end - outage.began_at);
            let rest = if outage.ended_at.is_some() { "" } else { " at the last ping" };
            field(head, &format!("{}  for {lasted}{rest}: {}", time::iso(outage.began_at), outage.reason))
        };
        self.outages.iter().zip(heads).map(line).collect()
    }
}

/// The trust level, who set it, and the evidence.
fn trust_in_words(server: &ServerListing) -> String {
    let trust = server.trust().name();
    match (server.operator_trust, server.suspected_at) {
        (Some(_), _) => format!("{trust}, set by an operator"),
        (None, Some(at)) => format!("{trust}: {} ({})", server.suspicion, time::iso(at)),
        (None, None) => trust.to_owned(),
    }
}

fn field(name: &str, value: &str) -> String {
    format!("  {name:10} {}", without_control_characters(value))
}

/// Imported text may hold terminal escape sequences.
fn without_control_characters(text: &str) -> String {
    text.chars().map(|c| if is_control_or_bidi(c) { '\u{fffd}' } else { c }).collect()
}

/// `2 d 3 h`, `5 min`: the two largest units.
fn format_duration(ms: i64) -> String {
    if ms < time::MINUTE {
        return format!("{} s", (ms / time::SECOND).max(0));
    }
    let minutes = ms / time::MINUTE;
    let (days, hours) = (minutes / 1440, minutes / 60 % 24);
    match (days, hours) {
        (0, 0) => format!("{minutes} min"),
        (0, _) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {hours} h"),
    }
}
