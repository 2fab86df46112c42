//! A vote, checked so that both protocols can carry it.

use crate::is_printable;
use uuid::Uuid;

/// Bytes of a service name or address. The longest vote fits into a v1 block and, with the challenge, into a v2 frame.
const MAX_BYTES: usize = 64;
/// UTF-16 units of a user name: NuVotifier, which counts in these, rejects longer ones.
const MAX_USERNAME_UNITS: usize = 16;

/// A vote that receivers accept: no field is empty, too long, or contains line breaks, which separate the fields of v1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    service: String,
    username: String,
    address: String,
    timestamp_ms: i64,
    uuid: Option<Uuid>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidVote {
    #[error("the {0} of the vote is empty")]
    Empty(&'static str),
    #[error("the {0} of the vote is too long")]
    TooLong(&'static str),
    #[error("the {0} of the vote contains a line break or another control character")]
    ControlCharacter(&'static str),
}

impl Vote {
    /// `service` is the name under which the receiver knows this list, `address` that of the voter; receivers expect an IP
    /// address there.
    pub fn new(
        service: &str,
        username: &str,
        address: &str,
        timestamp_ms: i64,
        uuid: Option<Uuid>,
    ) -> Result<Self, InvalidVote> {
        check("service", service, MAX_BYTES)?;
        check("user name", username, MAX_BYTES)?;
        check("address", address, MAX_BYTES)?;
        if username.encode_utf16().count() > MAX_USERNAME_UNITS {
            return Err(InvalidVote::TooLong("user name"));
        }
        Ok(Self { service: service.into(), username: username.into(), address: address.into(), timestamp_ms, uuid })
    }

    pub fn service(&self) -> &str {
        &self.service
    }

    pub fn username(&self) -> &str {
        &self.username
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn timestamp_ms(&self) -> i64 {
        self.timestamp_ms
    }

    pub fn uuid(&self) -> Option<Uuid> {
        self.uuid
    }
}

fn check(field: &'static str, text: &str, max_bytes: usize) -> Result<(), InvalidVote> {
    if text.is_empty() {
        return Err(InvalidVote::Empty(field));
    }
    if text.len() > max_bytes {
        return Err(InvalidVote::TooLong(field));
    }
    if !text.chars().all(is_printable) {
        return Err(InvalidVote::ControlCharacter(field));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_checked() {
        let vote = |service: &str, username: &str, address: &str| Vote::new(service, username, address, 0, None);
        assert!(vote("Rollcall", "Notch", "198.51.100.7").is_ok());
        assert!(vote("Список", "§ ничего", "2001:db8::7").is_ok());
        assert_eq!(vote("", "Notch", "::1"), Err(InvalidVote::Empty("service")));
        assert_eq!(vote("x", "", "::1"), Err(InvalidVote::Empty("user name")));
        assert_eq!(vote("x", "y", ""), Err(InvalidVote::Empty("address")));
        assert_eq!(vote(&"x".repeat(65), "y", "::1"), Err(InvalidVote::TooLong("service")));
        assert_eq!(vote("x", &"y".repeat(17), "::1"), Err(InvalidVote::TooLong("user name")));
        assert_eq!(vote("x", &"😀".repeat(9), "::1"), Err(InvalidVote::TooLong("user name")));
        assert_eq!(vote("x", &"y".repeat(1 << 20), "::1"), Err(InvalidVote::TooLong("user name")));
        for text in ["a\nb", "a\r", "\0", "a\u{85}b", "a\u{2028}b", "\u{202e}x", "\u{7f}"] {
            assert_eq!(vote(text, "y", "::1"), Err(InvalidVote::ControlCharacter("service")));
            assert_eq!(vote("x", text, "::1"), Err(InvalidVote::ControlCharacter("user name")));
            assert_eq!(vote("x", "y", text), Err(InvalidVote::ControlCharacter("address")));
        }
    }

    proptest! {
        #[test]
        fn no_accepted_vote_has_a_line_break(service in any::<String>(), name in any::<String>(), address in any::<String>()) {
            if let Ok(vote) = Vote::new(&service, &name, &address, 0, None) {
                let fields = [vote.service(), vote.username(), vote.address()];
                prop_assert!(fields.iter().all(|field| !field.is_empty() && !field.contains(['\n', '\r', '\0'])));
            }
        }
    }
}
