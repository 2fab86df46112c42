//! What is believed of an answer. A server says of itself what it likes; what cannot be is capped, and noted.

use rollcall_ping::{Seen, Status};

/// No server of the game has ever had so many.
const MOST_PLAYERS: i64 = 1_000_000;

/// The figures of an answer as they are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Believed {
    pub players: i64,
    pub max_players: i64,
    /// Who plays, without adverts and without those who cannot be there.
    pub seen: Vec<Seen>,
    /// Whether that is everybody.
    pub everybody: bool,
    /// What was not believed, for people; empty: all was.
    pub note: String,
}

impl Believed {
    pub fn add_note(&mut self, note: &str) {
        let between = if self.note.is_empty() { "" } else { "; " };
        self.note = format!("{}{between}{note}", self.note);
    }
}

pub fn believe(status: &Status, everybody: Option<Vec<Seen>>) -> Believed {
    let mut notes = Vec::new();
    let mut count = |what: &str, told: i64| {
        let believed = told.clamp(0, MOST_PLAYERS);
        if believed != told {
            notes.push(format!("says {told} {what}, counted as {believed}"));
        }
        believed
    };
    let players = count("players", status.players);
    let max_players = count("places", status.max_players);
    let whole_list = everybody.is_some();
    let mut seen: Vec<Seen> = Vec::new();
    let (mut others, mut twice) = (0, std::collections::HashSet::new());
    for mut line in everybody.unwrap_or_else(|| status.sample.clone()) {
        // A query names everybody, the sample has the ids of some.
        if line.uuid.is_none() {
            line.uuid = status.sample.iter().find(|known| known.name == line.name).and_then(|known| known.uuid.clone());
        }
        if !line.is_player() {
            others += 1;
        } else if twice.insert(line.name.to_ascii_lowercase()) {
            seen.push(line);
        }
    }
    let most = usize::try_from(players).unwrap_or(0);
    if seen.len() > most {
        notes.push(format!("names {} players while {players} are there", seen.len()));
        seen.truncate(most);
    }
    if others > 0 {
        notes.push(match others {
            1 => "a line of its list is no player".to_owned(),
            _ => format!("{others} lines of its list are no players"),
        });
    }
    let everybody = (whole_list || players > 0) && seen.len() == most;
    Believed { players, max_players, seen, everybody, note: notes.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(name: &str) -> Seen {
        Seen { name: name.into(), uuid: None }
    }

    fn status(players: i64, sample: &[&str]) -> Status {
        Status { players, max_players: 20, sample: sample.iter().map(|name| seen(name)).collect(), ..Status::default() }
    }

    #[test]
    fn what_cannot_be_is_capped_and_noted() {
        let told = believe(&status(i64::MAX, &[]), None);
        assert_eq!((told.players, told.everybody), (MOST_PLAYERS, false));
        assert_eq!(told.note, format!("says {} players, counted as 1000000", i64::MAX));
        let told = believe(&Status { players: -5, max_players: -1, ..Status::default() }, None);
        assert_eq!((told.players, told.max_players), (0, 0));
        assert_eq!(told.note, "says -5 players, counted as 0; says -1 places, counted as 0");
    }

    #[test]
    fn only_players_who_can_be_there_are_seen() {
        let told = believe(&status(2, &["Notch", "§6Vote now!", "notch", "jeb_", "Dinnerbone"]), None);
        assert_eq!(told.seen, [seen("Notch"), seen("jeb_")]);
        assert_eq!(told.note, "names 3 players while 2 are there; a line of its list is no player");
        assert!(told.everybody);
        let some = believe(&status(500, &["Notch"]), None);
        assert!(!some.everybody && some.note.is_empty());
        let mut sampled = status(2, &["Notch"]);
        sampled.sample[0].uuid = Some("an id".into());
        let queried = believe(&sampled, Some(vec![seen("Notch"), seen("jeb_")]));
        assert_eq!((queried.seen.len(), queried.everybody), (2, true));
        assert_eq!(queried.seen[0].uuid.as_deref(), Some("an id"));
    }
}
