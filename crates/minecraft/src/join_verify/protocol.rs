//! Differences between the protocol versions of the game in the login phase.

/// The last version of 1.7. Later ones announce lengths as VarInts.
const LAST_WITH_SHORT_LENGTHS: i32 = 5;
/// 1.19, and 1.19.1 with 1.19.2: clients with a signing key sign the verify token instead of encrypting it.
const SIGNED_TOKENS: std::ops::RangeInclusive<i32> = 759..=760;
/// 1.20.5. The encryption request says whether the client has to log in at its session server.
const FIRST_WITH_AUTHENTICATION_FLAG: i32 = 766;

/// The protocol version that a client announced. Every number is accepted: unknown ones are treated like the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol(pub i32);

impl Protocol {
    pub(crate) fn has_short_lengths(self) -> bool {
        (0..=LAST_WITH_SHORT_LENGTHS).contains(&self.0)
    }

    pub(crate) fn may_sign_token(self) -> bool {
        SIGNED_TOKENS.contains(&self.0)
    }

    pub(crate) fn has_authentication_flag(self) -> bool {
        self.0 >= FIRST_WITH_AUTHENTICATION_FLAG
    }
}
