//! Events: what happened to servers, players and skins.

use serde::{Deserialize, Serialize};

use crate::time::DAY;

/// How long events are kept.
pub const RETENTION: i64 = 30 * DAY;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    ServerOnline,
    ServerOffline,
    ServerPeak,
    ServerVersion,
    VoteCreated,
    ReviewCreated,
    PostApproved,
    PlayerJoined,
    PlayerLeft,
    PlayerRenamed,
    SkinPublished,
}

impl EventKind {
    pub const ALL: [Self; 11] = [
        Self::ServerOnline,
        Self::ServerOffline,
        Self::ServerPeak,
        Self::ServerVersion,
        Self::VoteCreated,
        Self::ReviewCreated,
        Self::PostApproved,
        Self::PlayerJoined,
        Self::PlayerLeft,
        Self::PlayerRenamed,
        Self::SkinPublished,
    ];

    /// The names of all kinds.
    pub const NAMES: [&str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut i = 0;
        while i < names.len() {
            names[i] = Self::ALL[i].name();
            i += 1;
        }
        names
    };

    /// Its `type` in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ServerOnline => "server.online",
            Self::ServerOffline => "server.offline",
            Self::ServerPeak => "server.peak",
            Self::ServerVersion => "server.version",
            Self::VoteCreated => "vote.created",
            Self::ReviewCreated => "review.created",
            Self::PostApproved => "post.approved",
            Self::PlayerJoined => "player.joined",
            Self::PlayerLeft => "player.left",
            Self::PlayerRenamed => "player.renamed",
            Self::SkinPublished => "skin.published",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// As it is stored. A number never changes its meaning.
    pub fn code(self) -> i64 {
        match self {
            Self::ServerOnline => 1,
            Self::ServerOffline => 2,
            Self::ServerPeak => 3,
            Self::ServerVersion => 4,
            Self::VoteCreated => 5,
            Self::ReviewCreated => 6,
            Self::PostApproved => 7,
            Self::PlayerJoined => 8,
            Self::PlayerLeft => 9,
            Self::PlayerRenamed => 10,
            Self::SkinPublished => 11,
        }
    }

    /// `None` for a kind that a newer version wrote.
    pub fn of_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// Data of an event that is stored nowhere else. Each kind has its own fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventFacts {
    /// When the outage began, or the player was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// Why the server is offline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The new player record, and the one before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub players: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_players: Option<i64>,
    /// The new version or nickname, and the one before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<i64>,
}

/// Bits of an event number below its time: events of one millisecond.
const SEQUENCE_BITS: u32 = 10;
/// Hexadecimal digits of an id: 53 bits, which every JSON parser reads exactly.
const ID_DIGITS: usize = 14;
const MAX_NUMBER: i64 = (1 << 53) - 1;

/// The first event number of a time.
pub fn first_number(at: i64) -> i64 {
    at.clamp(0, MAX_NUMBER >> SEQUENCE_BITS) << SEQUENCE_BITS
}

/// The time in which an event number was given, or a later one if many were given at once.
pub fn time_of_number(n: i64) -> i64 {
    n >> SEQUENCE_BITS
}

/// The id of an event, which is also the cursor after it. Later events have higher ids.
pub fn id(n: i64) -> String {
    // Faster than the formatting machinery; a page has fifty.
    let digit = |place: usize| char::from(b"0123456789abcdef"[(n >> (4 * place) & 15) as usize]);
    (0..ID_DIGITS).rev().map(digit).collect()
}

/// The event number of an id.
pub fn parse_id(id: &str) -> Option<i64> {
    let is_id = id.len() == ID_DIGITS && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_id.then(|| i64::from_str_radix(id, 16).ok()).flatten().filter(|n| *n <= MAX_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_survive_their_names_and_codes() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::parse(kind.name()), Some(kind));
            assert_eq!(EventKind::of_code(kind.code()), Some(kind));
        }
        assert_eq!((EventKind::parse("server"), EventKind::of_code(0)), (None, None));
    }

    #[test]
    fn ids_sort_like_their_numbers() {
        let at = 1_780_495_200_000;
        let numbers = [0, first_number(at) - 1, first_number(at), first_number(at) + 1, MAX_NUMBER];
        let ids = numbers.map(id);
        assert!(ids.is_sorted(), "{ids:?}");
        assert_eq!(ids.each_ref().map(|id| parse_id(id)), numbers.map(Some));
        assert_eq!(time_of_number(first_number(at)), at);
        for wrong in
            ["", "abc", "0000000000000G", "0000000000000A", "20000000000000", "00000000000000 ", "+0000000000000"]
        {
            assert_eq!(parse_id(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn facts_are_short() {
        let facts = EventFacts { rating: Some(5), ..EventFacts::default() };
        assert_eq!(serde_json::to_string(&facts).unwrap(), r#"{"rating":5}"#);
    }
}
