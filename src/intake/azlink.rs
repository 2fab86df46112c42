//! The body that the AzLink plugin sends to `/api/azlink` every minute.

use super::bounds::{self, ParsedReport};
use super::json_fields::{self, Fields, entry_text};

pub fn parse(body: &[u8]) -> Result<ParsedReport, String> {
    let fields = json_fields::parse("The AzLink report", body)?;
    // Only in full reports, every 15 minutes.
    let worlds = json_fields::object(&fields, "worlds")?;
    let tps = worlds.map(|worlds| json_fields::number(worlds, "tps")).transpose()?.flatten();
    let entries = json_fields::list(&fields, "players")?.unwrap_or_default();
    let player = |entry| bounds::player(entry_text(entry, "name"), entry_text(entry, "uuid"));
    let players: Vec<_> = entries.iter().filter_map(player).collect();
    Ok(ParsedReport {
        software: bounds::software(&software(&fields)?),
        // Proxies have no ticks and send 0.
        tps: tps.filter(|tps| *tps > 0.0).map(bounds::tps).transpose()?,
        non_players: entries.len() - players.len(),
        players: Some(players),
        ..ParsedReport::default()
    })
}

/// The game server with its version, and the plugin with its own.
fn software(fields: &Fields) -> Result<String, String> {
    let nothing = Fields::new();
    let platform = json_fields::object(fields, "platform")?.unwrap_or(&nothing);
    let [name, kind, version] = ["name", "type", "version"].map(|name| json_fields::text(platform, name));
    let plugin = json_fields::text(fields, "version")?.map(|version| format!("AzLink {version}"));
    let parts = [name?.or(kind?), version?, plugin.as_deref()];
    Ok(parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
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
    }

    #[test]
    fn null_is_nothing() {
        let report = parse(b"{}").expect("a valid report");
        assert_eq!((report.software.as_str(), report.players.map(|players| players.len())), ("", Some(0)));
        let text = r#"{"platform":null,"version":null,"players":null,"worlds":null}"#;
        assert_eq!(parse(text.as_bytes()).expect("a valid report").players.map(|players| players.len()), Some(0));
        let text = r#"{"platform":{"name":null,"type":"NUKKIT"},"players":[{"name":"Ada","uuid":null},{"name":"Bob Smith",
            "uuid":"00000000-0000-0000-0009-01f64f65c7c3"}],"worlds":{"tps":null}}"#;
        let report = parse(text.as_bytes()).expect("a valid report");
        assert_eq!((report.software.as_str(), report.non_players, report.tps), ("NUKKIT", 1, None));
        assert_eq!(report.players.expect("a list")[0].name, "Bob Smith");
    }

    #[test]
    fn wrong_values_say_what_is_right() {
        for (text, expected) in [
            ("null", "The AzLink report must be a JSON object, not null"),
            (r#"{"platform":"Paper"}"#, "platform must be an object, not a text"),
            (r#"{"players":7}"#, "players must be a list, not a number"),
            (r#"{"worlds":{"tps":"20"}}"#, "tps must be a number, not a text"),
        ] {
            assert_eq!(parse(text.as_bytes()).expect_err(text), expected);
        }
    }
}
