//! Bounds of reports in all formats. Single entries that are wrong are left out and noted; the rest
//! counts.

use super::Sender;
use rollcall_minecraft::{Edition, ListedPlayer};
use rollcall_model::id;
use rollcall_model::link_code::LinkCode;
use rollcall_model::text::is_control_or_bidi;
use rollcall_store::reports::{LinkClaim, PlayerCounters, PlayerMove, Report};
use serde_json::{Map, Value};

/// Ticks per second of a healthy server; more is the same.
const MAX_TPS: f64 = 20.0;
/// Milliseconds per tick: a minute.
const MAX_MSPT: f64 = 60_000.0;
const MAX_SOFTWARE_CHARS: usize = 100;
const MAX_ID_BYTES: usize = 64;
/// Entries of a list; a longer one is cut.
const MAX_PLAYERS: usize = 2_000;
const MAX_MOVES: usize = 200;
const MAX_WITH_COUNTERS: usize = 200;
const MAX_LINKS: usize = 20;
const MAX_COUNTERS: usize = 16;
const MAX_COUNTER_NAME_BYTES: usize = 32;

/// A report before it is compared with what is stored.
#[derive(Clone, Debug, Default)]
pub struct ParsedReport {
    pub id: Option<String>,
    pub software: String,
    pub tps: Option<f64>,
    pub mspt: Option<f64>,
    pub players: Option<Vec<ListedPlayer>>,
    pub moves: Vec<PlayerMove>,
    pub counters: Vec<PlayerCounters>,
    pub links: Vec<LinkClaim>,
    /// Notes about changed values.
    pub notes: Vec<String>,
    /// Entries that are no codes.
    pub non_codes: usize,
    /// Entries that are no players.
    pub non_players: usize,
}

impl ParsedReport {
    /// The report to store, with notes on what was left out.
    pub fn into_report(mut self, sender: &Sender, at: i64, format: &'static str) -> Report {
        let mut notes = self.notes;
        match self.non_players {
            0 => {}
            1 => notes.push("1 entry is not a player: players need a valid name and a UUID".to_owned()),
            n => notes.push(format!("{n} entries are not players: players need a valid name and a UUID")),
        }
        if self.non_codes > 0 {
            notes.push(format!("{} of the links have no valid code", self.non_codes));
        }
        let mut cut = |what: &str, length: usize, max: usize| {
            if length > max {
                notes.push(format!("only the first {max} of {length} {what} are counted"));
            }
        };
        if let Some(players) = &mut self.players {
            cut("players", players.len(), MAX_PLAYERS);
            players.truncate(MAX_PLAYERS);
        }
        cut("joins and leaves", self.moves.len(), MAX_MOVES);
        self.moves.truncate(MAX_MOVES);
        self.moves.sort_by_key(|step| step.at);
        cut("players with counters", self.counters.len(), MAX_WITH_COUNTERS);
        self.counters.truncate(MAX_WITH_COUNTERS);
        cut("links", self.links.len(), MAX_LINKS);
        self.links.truncate(MAX_LINKS);
        Report {
            server_n: sender.server.n,
            token_hash: sender.token_hash.clone(),
            at,
            id: self.id,
            format,
            software: self.software,
            tps: self.tps,
            mspt: self.mspt,
            players: self.players,
            moves: self.moves,
            counters: self.counters,
            links: self.links,
            max_new_players: 0,
            tells_players: false,
            notes,
        }
    }
}

/// What the owner reads about ticks that are cut. Servers report a little more than 20, which needs no word.
pub fn tps_note(value: f64) -> Option<String> {
    let is_cut = value >= MAX_TPS + 0.5;
    is_cut.then(|| format!("tps {value} counts as {MAX_TPS}, the most that a server has"))
}

/// Ticks per second with two digits; more than the game allows is a full score.
pub fn tps(value: f64) -> Result<f64, String> {
    if !value.is_finite() || value < 0.0 {
        return Err(format!("tps must be a number from 0 to 20, not {value}"));
    }
    Ok((value.min(MAX_TPS) * 100.0).round() / 100.0)
}

pub fn mspt(value: f64) -> Result<f64, String> {
    if !(0.0..=MAX_MSPT).contains(&value) {
        return Err(format!("mspt must be a number of milliseconds from 0 to 60000, not {value}"));
    }
    Ok((value * 100.0).round() / 100.0)
}

/// Without spaces, which separate stored ids.
pub fn report_id(text: &str) -> Result<String, String> {
    let is_valid = (1..=MAX_ID_BYTES).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    if !is_valid {
        return Err("id must have 1 to 64 ASCII characters without spaces".to_owned());
    }
    Ok(text.to_owned())
}

pub fn software(text: &str) -> String {
    text.chars().filter(|c| !is_control_or_bidi(*c)).take(MAX_SOFTWARE_CHARS).collect::<String>().trim().to_owned()
}

/// `None` if this cannot be a player. Servers of either edition have players of Bedrock Edition, whose names may have spaces. The
/// ids that we give to players without one of the game are ours alone.
pub fn player(name: &str, uuid: &str) -> Option<ListedPlayer> {
    let uuid = id::parse_uuid(uuid).filter(|uuid| !id::is_name_only_uuid(uuid))?;
    let player = ListedPlayer { name: name.to_owned(), uuid: Some(uuid) };
    player.is_player_of(Edition::Bedrock).then_some(player)
}

/// A player who entered a code in the game.
pub fn link(code: &LinkCode, player: &ListedPlayer) -> Option<LinkClaim> {
    Some(LinkClaim { hash: code.hash(), uuid: player.uuid.clone()? })
}

/// Counters with valid names and whole numbers; `None` if there is none.
pub fn counters(uuid: &str, given: &Map<String, Value>) -> Option<PlayerCounters> {
    let is_name = |name: &str| {
        (1..=MAX_COUNTER_NAME_BYTES).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    };
    let is_count = |value: &Value| value.as_i64().is_some_and(|count| (0..=i64::from(i32::MAX)).contains(&count));
    let valid = given.iter().filter(|(name, value)| is_name(name) && is_count(value)).take(MAX_COUNTERS);
    let counters: Map<String, Value> = valid.map(|(name, value)| (name.clone(), value.clone())).collect();
    (!counters.is_empty()).then(|| PlayerCounters { uuid: uuid.to_owned(), counters })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_bounded() {
        assert_eq!([tps(19.987), tps(0.0), tps(1e300)], [Ok(19.99), Ok(0.0), Ok(20.0)]);
        assert!(tps(-0.1).is_err() && tps(f64::NAN).is_err() && mspt(60_001.0).is_err() && mspt(f64::NAN).is_err());
        assert_eq!(report_id("a-1"), Ok("a-1".to_owned()));
        for id in ["", "two words", "é", &"x".repeat(65)] {
            assert!(report_id(id).is_err(), "{id}");
        }
        assert_eq!(software("Paper\u{202e} 1.21\n"), "Paper 1.21");
        assert_eq!(software(&"x".repeat(1_000)).len(), MAX_SOFTWARE_CHARS);
    }

    #[test]
    fn only_players_are_players() {
        let uuid = "069a79f444e94726a5befca90e38aaf5";
        assert_eq!(player("Notch", uuid).expect("a player").uuid.expect("an id").len(), 36);
        let gamertag =
            player("Bob Smith", "00000000-0000-0000-0009-01f64f65c7c3").expect("a player of Bedrock Edition");
        assert_eq!(gamertag.name, "Bob Smith");
        let ours = id::name_only_uuid(1);
        for (name, uuid) in [
            ("§aVote", uuid),
            ("a  b", uuid),
            ("Notch", "x"),
            ("Notch", ""),
            ("Notch", &ours),
            (&"a".repeat(1_000_000), uuid),
        ] {
            assert_eq!(player(name, uuid), None);
        }
    }

    #[test]
    fn counters_are_whole_numbers_with_plain_names() {
        let given = json!({"kills": 3, "deaths": -1, "wins": 1.5, "a b": 1, "": 1, "x": "3", "blocks.mined": 7});
        let kept = counters("id", given.as_object().expect("an object")).expect("some are valid").counters;
        assert_eq!(Value::Object(kept), json!({"kills": 3, "blocks.mined": 7}));
        let many: Map<String, Value> = (0..100).map(|i| (format!("c{i}"), json!(i))).collect();
        assert_eq!(counters("id", &many).expect("some").counters.len(), MAX_COUNTERS);
        assert_eq!(counters("id", &Map::new()), None);
    }
}
