//! The body of `POST /report/v1`. Unknown fields are ignored, so that newer plugins work with older servers.

use serde_json::Value;

use super::bounds::{self, ParsedReport};
use super::json_fields::{self, entry_text};
use rollcall_minecraft::ListedPlayer;
use rollcall_model::link_code::LinkCode;
use rollcall_model::time::SECOND;
use rollcall_store::reports::{MAX_MOVE_AGE, MoveKind, PlayerMove};

pub fn parse(body: &[u8], now: i64) -> Result<ParsedReport, String> {
    let fields = json_fields::parse("The report", body)?;
    let tps = json_fields::number(&fields, "tps")?;
    let list = |name| json_fields::list(&fields, name).map(Option::unwrap_or_default);
    let mut report = ParsedReport {
        id: json_fields::text(&fields, "id")?.map(bounds::report_id).transpose()?,
        software: bounds::software(json_fields::text(&fields, "software")?.unwrap_or_default()),
        tps: tps.map(bounds::tps).transpose()?,
        mspt: json_fields::number(&fields, "mspt")?.map(bounds::mspt).transpose()?,
        notes: tps.and_then(bounds::tps_note).into_iter().collect(),
        ..ParsedReport::default()
    };
    if let Some(entries) = json_fields::list(&fields, "players")? {
        let mut listed = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some(player) = player(entry) else {
                report.non_players += 1;
                continue;
            };
            let uuid = player.uuid.clone().unwrap_or_default();
            let counters = entry.get("counters").and_then(Value::as_object);
            report.counters.extend(counters.and_then(|counters| bounds::counters(&uuid, counters)));
            listed.push(player);
        }
        report.players = Some(listed);
    }
    for (name, kind) in [("joins", MoveKind::Join), ("leaves", MoveKind::Leave)] {
        for entry in list(name)? {
            let ago = move_age(entry)?;
            match player(entry) {
                Some(player) => report.moves.push(PlayerMove { player, at: now - ago, kind }),
                None => report.non_players += 1,
            }
        }
    }
    for entry in list("links")? {
        match (LinkCode::parse(entry_text(entry, "code")), player(entry)) {
            (Some(code), Some(player)) => report.links.extend(bounds::link(&code, &player)),
            (None, Some(_)) => report.non_codes += 1,
            (_, None) => report.non_players += 1,
        }
    }
    Ok(report)
}

/// `None` if a list entry is no player.
fn player(entry: &Value) -> Option<ListedPlayer> {
    bounds::player(entry_text(entry, "name"), entry_text(entry, "uuid"))
}

/// Milliseconds between a join or leave and the report: clocks of game servers are often wrong.
fn move_age(entry: &Value) -> Result<i64, String> {
    let rule = || format!("ago must be a number of seconds from 0 to {}", MAX_MOVE_AGE / SECOND);
    let Some(ago) = entry.get("ago").filter(|ago| !ago.is_null()) else { return Ok(0) };
    let seconds = ago.as_f64().ok_or_else(rule)?;
    let millis = seconds * SECOND as f64;
    if !(0.0..=MAX_MOVE_AGE as f64).contains(&millis) {
        return Err(format!("{}, not {seconds}", rule()));
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
    fn entries_that_are_no_players_are_left_out() {
        let text = r#"{"players":[7,null,{"name":5},{"name":"Ada","uuid":"069a79f444e94726a5befca90e38aaf5","counters":[]}],
            "joins":["Ada"],"links":[[]],"leaves":null,"tps":null}"#;
        let report = parse(text.as_bytes(), NOW).expect("a valid report");
        assert_eq!((report.players.as_ref().map(Vec::len), report.non_players), (Some(1), 5));
        assert!(report.moves.is_empty() && report.links.is_empty() && report.counters.is_empty());
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
            ("[]", "The report must be a JSON object, not a list"),
            ("null", "The report must be a JSON object, not null"),
            (r#"{"tps":"20"}"#, "tps must be a number, not a text"),
            (r#"{"mspt":{}}"#, "mspt must be a number, not an object"),
            (r#"{"id":7}"#, "id must be a text, not a number"),
            (r#"{"players":{}}"#, "players must be a list, not an object"),
            (r#"{"joins":true}"#, "joins must be a list, not true or false"),
            (r#"{"tps":-1}"#, "tps must be a number from 0 to 20, not -1"),
            (r#"{"id":""}"#, "id must have 1 to 64 ASCII characters without spaces"),
            (r#"{"joins":[{"ago":901}]}"#, "ago must be a number of seconds from 0 to 900, not 901"),
            (r#"{"leaves":[{"ago":-1}]}"#, "ago must be a number of seconds from 0 to 900, not -1"),
            (r#"{"leaves":[{"ago":"5"}]}"#, "ago must be a number of seconds from 0 to 900"),
        ] {
            assert_eq!(parse(text.as_bytes(), NOW).expect_err(text), expected, "{text}");
        }
        let deep = format!("{{\"x\":{}", "[".repeat(30_000));
        assert!(parse(deep.as_bytes(), NOW).is_err());
    }
}
