//! The body of `POST /report/v1`. Unknown fields are ignored, so that newer plugins work with older servers.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::bounds::{self, ParsedReport};
use rollcall_model::link_code::LinkCode;
use rollcall_model::time::SECOND;
use rollcall_store::reports::{MAX_MOVE_AGE, MoveKind, PlayerMove};

#[derive(Deserialize)]
struct Body {
    id: Option<String>,
    software: Option<String>,
    tps: Option<f64>,
    mspt: Option<f64>,
    players: Option<Vec<Player>>,
    #[serde(default)]
    joins: Vec<Move>,
    #[serde(default)]
    leaves: Vec<Move>,
    #[serde(default)]
    links: Vec<Link>,
}

#[derive(Deserialize)]
struct Player {
    #[serde(default)]
    name: String,
    #[serde(default)]
    uuid: String,
    #[serde(default)]
    counters: Map<String, Value>,
}

/// A code that a player entered in the game.
#[derive(Deserialize)]
struct Link {
    #[serde(default)]
    code: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    uuid: String,
}

#[derive(Deserialize)]
struct Move {
    #[serde(default)]
    name: String,
    #[serde(default)]
    uuid: String,
    /// Seconds before this report: clocks of game servers are often wrong.
    #[serde(default)]
    ago: f64,
}

pub fn parse(body: &[u8], now: i64) -> Result<ParsedReport, String> {
    let body: Body = serde_json::from_slice(body).map_err(|error| bounds::not_a_report("The report", &error))?;
    let mut report = ParsedReport {
        id: body.id.as_deref().map(bounds::report_id).transpose()?,
        software: bounds::software(body.software.as_deref().unwrap_or_default()),
        tps: body.tps.map(bounds::tps).transpose()?,
        mspt: body.mspt.map(bounds::mspt).transpose()?,
        notes: body.tps.and_then(bounds::tps_note).into_iter().collect(),
        ..ParsedReport::default()
    };
    if let Some(players) = body.players {
        let mut listed = Vec::with_capacity(players.len());
        for entry in players {
            let Some(player) = bounds::player(&entry.name, &entry.uuid) else {
                report.non_players += 1;
                continue;
            };
            let uuid = player.uuid.clone().unwrap_or_default();
            report.counters.extend(bounds::counters(&uuid, &entry.counters));
            listed.push(player);
        }
        report.players = Some(listed);
    }
    for (entries, kind) in [(body.joins, MoveKind::Join), (body.leaves, MoveKind::Leave)] {
        for entry in entries {
            let ago = move_age(entry.ago)?;
            match bounds::player(&entry.name, &entry.uuid) {
                Some(player) => report.moves.push(PlayerMove { player, at: now - ago, kind }),
                None => report.non_players += 1,
            }
        }
    }
    for entry in body.links {
        match (LinkCode::parse(&entry.code), bounds::player(&entry.name, &entry.uuid)) {
            (Some(code), Some(player)) => report.links.extend(bounds::link(&code, &player)),
            (None, Some(_)) => report.non_codes += 1,
            (_, None) => report.non_players += 1,
        }
    }
    Ok(report)
}

fn move_age(seconds: f64) -> Result<i64, String> {
    let millis = seconds * SECOND as f64;
    if !(0.0..=MAX_MOVE_AGE as f64).contains(&millis) {
        return Err(format!("ago must be a number of seconds from 0 to {}, not {seconds}", MAX_MOVE_AGE / SECOND));
    }
    Ok(millis as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_780_495_200_000;

    #[test]
    fn a_whole_report() {
        let text = r#"{"id":"r1","software":"Paper 1.21.4","tps":19.5,"mspt":12.345,"unknown":{"x":[1]},
            "players":[{"name":"Ada","uuid":"069a79f4-44e9-4726-a5be-fca90e38aaf5","counters":{"kills":3}},{"name":"NPC"}],
            "joins":[{"name":"Ada","uuid":"069a79f444e94726a5befca90e38aaf5","ago":12.5}],
            "links":[{"name":"Ada","uuid":"069a79f444e94726a5befca90e38aaf5","code":"abcd-2345"},
                     {"name":"Ada","uuid":"069a79f444e94726a5befca90e38aaf5","code":"0"}]}"#;
        let report = parse(text.as_bytes(), NOW).expect("a valid report");
        assert_eq!((report.id.as_deref(), report.software.as_str()), (Some("r1"), "Paper 1.21.4"));
        assert_eq!((report.tps, report.mspt, report.non_players), (Some(19.5), Some(12.35), 1));
        assert_eq!(report.players.as_ref().map(Vec::len), Some(1));
        assert_eq!((report.moves.len(), report.moves[0].at, report.counters.len()), (1, NOW - 12_500, 1));
        assert_eq!((report.links.len(), report.non_codes), (1, 1));
    }

    #[test]
    fn a_report_may_say_nothing() {
        let report = parse(b"{}", NOW).expect("a valid report");
        assert!(report.notes.is_empty() && report.players.is_none() && report.tps.is_none() && report.moves.is_empty());
    }

    #[test]
    fn more_ticks_than_the_game_has_are_cut_with_a_note() {
        for (text, tps, notes) in [
            (r#"{"tps":20.02}"#, 20.0, vec![]),
            (r#"{"tps":25}"#, 20.0, vec!["tps 25 counts as 20, the most that a server has"]),
        ] {
            let report = parse(text.as_bytes(), NOW).expect("a valid report");
            assert_eq!((report.tps, report.notes), (Some(tps), notes.into_iter().map(str::to_owned).collect()));
        }
    }

    #[test]
    fn wrong_values_say_what_is_right() {
        for (text, expected) in [
            ("", "The report is not JSON: the error is at line 1 column 0"),
            ("tps=20", "The report is not JSON: the error is at line 1 column 2"),
            ("[]", "The report is not valid: invalid type: map, expected"),
            (
                r#"{"tps":"20"}"#,
                "The report is not valid: invalid type: string \"20\", expected f64 at line 1 column 11",
            ),
            (r#"{"tps":-1}"#, "tps must be a number from 0 to 20, not -1"),
            (r#"{"id":""}"#, "id must have 1 to 64 ASCII characters without spaces"),
            (r#"{"joins":[{"ago":901}]}"#, "ago must be a number of seconds from 0 to 900, not 901"),
            (r#"{"leaves":[{"ago":-1}]}"#, "ago must be a number of seconds from 0 to 900, not -1"),
        ] {
            let error = parse(text.as_bytes(), NOW).expect_err(text);
            assert!(
                error == expected || text == "[]" && error.starts_with("The report is not valid"),
                "{text}: {error}"
            );
        }
        let deep = format!("{{\"x\":{}", "[".repeat(30_000));
        assert!(parse(deep.as_bytes(), NOW).is_err());
    }
}
