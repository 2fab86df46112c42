//! Sanitizes a reported status. Servers may report anything: impossible values are capped and noted. Pure.

use rollcall_minecraft::{ListedPlayer, ServerStatus};
use rollcall_model::id::is_name_only_uuid;

/// More than any server has ever had.
const MAX_PLAYERS: i64 = 1_000_000;

/// The counts and players of a reply that are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SanitizedStatus {
    pub players: i64,
    pub max_players: i64,
    /// Listed players, without adverts, duplicates, and entries beyond `players`.
    pub listed: Vec<ListedPlayer>,
    /// Whether `listed` is everyone online.
    pub list_is_complete: bool,
    /// Corrections, for the operator; empty if there were none.
    pub note: String,
}

impl SanitizedStatus {
    pub fn add_note(&mut self, note: &str) {
        let separator = if self.note.is_empty() { "" } else { "; " };
        self.note = format!("{}{separator}{note}", self.note);
    }
}

/// `query_players` is the full list from Query, if there is one; otherwise the sample of the status is used.
pub fn sanitize(status: &ServerStatus, query_players: Option<Vec<ListedPlayer>>) -> SanitizedStatus {
    let mut notes = Vec::new();
    let mut cap = |what: &str, reported: i64| {
        let capped = reported.clamp(0, MAX_PLAYERS);
        if capped != reported {
            notes.push(format!("reports {reported} {what}, counted as {capped}"));
        }
        capped
    };
    let players = cap("players", status.players);
    let max_players = cap("slots", status.max_players);
    let has_full_list = query_players.is_some();
    let mut listed: Vec<ListedPlayer> = Vec::new();
    let (mut non_players, mut names) = (0, std::collections::HashSet::new());
    for mut entry in query_players.unwrap_or_else(|| status.sample.clone()) {
        // Query lists no UUIDs; the sample has those of some players.
        if entry.uuid.is_none() {
            let sampled = status.sample.iter().find(|sampled| sampled.name == entry.name);
            entry.uuid = sampled.and_then(|sampled| sampled.uuid.clone());
        }
        // These are ours: a server can only have copied them from the API.
        entry.uuid = entry.uuid.filter(|uuid| !is_name_only_uuid(uuid));
        if !entry.is_player() {
            non_players += 1;
        } else if names.insert(entry.name.to_ascii_lowercase()) {
            listed.push(entry);
        }
    }
    let online = usize::try_from(players).unwrap_or(0);
    if listed.len() > online {
        notes.push(format!("lists {} players but reports {players} online", listed.len()));
        listed.truncate(online);
    }
    if non_players > 0 {
        notes.push(match non_players {
            1 => "1 entry of the player list is not a player".to_owned(),
            _ => format!("{non_players} entries of the player list are not players"),
        });
    }
    let list_is_complete = (has_full_list || players > 0) && listed.len() == online;
    SanitizedStatus { players, max_players, listed, list_is_complete, note: notes.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str) -> ListedPlayer {
        ListedPlayer { name: name.into(), uuid: None }
    }

    fn status(players: i64, sample: &[&str]) -> ServerStatus {
        let sample = sample.iter().map(|name| listed(name)).collect();
        ServerStatus { players, max_players: 20, sample, ..ServerStatus::default() }
    }

    #[test]
    fn impossible_counts_are_capped_and_noted() {
        let huge = sanitize(&status(i64::MAX, &[]), None);
        assert_eq!((huge.players, huge.list_is_complete), (MAX_PLAYERS, false));
        assert_eq!(huge.note, format!("reports {} players, counted as 1000000", i64::MAX));
        let negative = sanitize(&ServerStatus { players: -5, max_players: -1, ..ServerStatus::default() }, None);
        assert_eq!((negative.players, negative.max_players), (0, 0));
        assert_eq!(negative.note, "reports -5 players, counted as 0; reports -1 slots, counted as 0");
    }

    #[test]
    fn adverts_duplicates_and_surplus_players_are_dropped() {
        let surplus = sanitize(&status(2, &["Notch", "§6Vote now!", "notch", "jeb_", "Dinnerbone"]), None);
        assert_eq!(surplus.listed, [listed("Notch"), listed("jeb_")]);
        assert_eq!(surplus.note, "lists 3 players but reports 2 online; 1 entry of the player list is not a player");
        assert!(surplus.list_is_complete);
        let partial = sanitize(&status(500, &["Notch"]), None);
        assert!(!partial.list_is_complete && partial.note.is_empty());
    }

    #[test]
    fn query_players_get_the_uuids_of_the_sample() {
        let mut sampled = status(2, &["Notch"]);
        sampled.sample[0].uuid = Some("an id".into());
        let queried = sanitize(&sampled, Some(vec![listed("Notch"), listed("jeb_")]));
        assert_eq!((queried.listed.len(), queried.list_is_complete), (2, true));
        assert_eq!(queried.listed[0].uuid.as_deref(), Some("an id"));
    }
}
