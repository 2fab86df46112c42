//! The body that the AzLink plugin sends to `/api/azlink` every minute.

use serde::Deserialize;

use super::bounds::{self, ParsedReport};

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    platform: Platform,
    /// Of the plugin.
    version: Option<String>,
    #[serde(default)]
    players: Vec<Player>,
    /// Only in full reports, every 15 minutes.
    worlds: Option<Worlds>,
}

#[derive(Default, Deserialize)]
struct Platform {
    #[serde(rename = "type")]
    kind: Option<String>,
    name: Option<String>,
    version: Option<String>,
}

#[derive(Deserialize)]
struct Player {
    #[serde(default)]
    name: String,
    #[serde(default)]
    uuid: String,
}

#[derive(Deserialize)]
struct Worlds {
    tps: Option<f64>,
}

pub fn parse(body: &[u8]) -> Result<ParsedReport, String> {
    let body: Body = serde_json::from_slice(body).map_err(|error| bounds::not_a_report("The AzLink report", &error))?;
    let platform = body.platform.name.or(body.platform.kind).unwrap_or_default();
    let parts = [Some(platform), body.platform.version, body.version.map(|version| format!("AzLink {version}"))];
    let software: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    // Proxies have no ticks and send 0.
    let tps = body.worlds.and_then(|worlds| worlds.tps).filter(|tps| *tps > 0.0);
    let sent = body.players.len();
    let players: Vec<_> = body.players.iter().filter_map(|entry| bounds::player(&entry.name, &entry.uuid)).collect();
    Ok(ParsedReport {
        software: bounds::software(&software.join(" ")),
        tps: tps.map(bounds::tps).transpose()?,
        non_players: sent - players.len(),
        players: Some(players),
        ..ParsedReport::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_report() {
        let text = r#"{"platform":{"type":"BUKKIT","name":"Paper","version":"1.21.4-DEV"},"version":"1.3.9",
            "players":[{"name":"Ada","uuid":"069a79f4-44e9-4726-a5be-fca90e38aaf5"}],"maxPlayers":20,
            "system":{"ram":1234.5,"cpu":12.3},"worlds":{"tps":20.0000001,"chunks":441,"entities":12},"full":true}"#;
        let report = parse(text.as_bytes()).expect("a valid report");
        assert_eq!((report.software.as_str(), report.tps), ("Paper 1.21.4-DEV AzLink 1.3.9", Some(20.0)));
        assert_eq!((report.players.as_ref().map(Vec::len), report.non_players), (Some(1), 0));
    }

    #[test]
    fn a_short_report_of_a_proxy() {
        let text = r#"{"platform":{"type":"VELOCITY"},"version":"1.3.9","players":[],"maxPlayers":100,"worlds":{"tps":0},"full":false}"#;
        let report = parse(text.as_bytes()).expect("a valid report");
        assert_eq!((report.software.as_str(), report.tps), ("VELOCITY AzLink 1.3.9", None));
        assert!(parse(b"null").is_err() && parse(b"{}").is_ok());
    }
}
