//! The messages of webhooks: public events, and alerts that only the account itself gets.

use crate::event::EventKind;

/// Alerts for the holder of a key or the owner of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertKind {
    KeyQuota80,
    KeyQuota100,
    KeyExpiring,
    KeyExpired,
    ReportMissing,
}

impl AlertKind {
    pub const ALL: [Self; 5] =
        [Self::KeyQuota80, Self::KeyQuota100, Self::KeyExpiring, Self::KeyExpired, Self::ReportMissing];

    pub fn name(self) -> &'static str {
        match self {
            Self::KeyQuota80 => "key.quota_80",
            Self::KeyQuota100 => "key.quota_100",
            Self::KeyExpiring => "key.expiring",
            Self::KeyExpired => "key.expired",
            Self::ReportMissing => "report.missing",
        }
    }

    /// As it is stored: beyond the codes of [`EventKind`].
    pub fn code(self) -> i64 {
        match self {
            Self::KeyQuota80 => 1_001,
            Self::KeyQuota100 => 1_002,
            Self::KeyExpiring => 1_003,
            Self::KeyExpired => 1_004,
            Self::ReportMissing => 1_005,
        }
    }
}

/// The type of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WebhookType {
    Event(EventKind),
    Alert(AlertKind),
    /// Sent by hand, to try an endpoint.
    Test,
}

impl WebhookType {
    /// Those that an endpoint can choose, in the order of the form.
    pub fn choices() -> impl Iterator<Item = Self> {
        EventKind::ALL.into_iter().map(Self::Event).chain(AlertKind::ALL.into_iter().map(Self::Alert))
    }

    /// The `type` of the message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Event(kind) => kind.name(),
            Self::Alert(kind) => kind.name(),
            Self::Test => "webhook.test",
        }
    }

    /// A type that an endpoint can choose.
    pub fn parse(name: &str) -> Option<Self> {
        Self::choices().find(|kind| kind.name() == name)
    }

    /// As it is stored. A number never changes its meaning.
    pub fn code(self) -> i64 {
        match self {
            Self::Event(kind) => kind.code(),
            Self::Alert(kind) => kind.code(),
            Self::Test => 0,
        }
    }

    /// `None` for a type that a newer version wrote.
    pub fn of_code(code: i64) -> Option<Self> {
        Self::choices().chain([Self::Test]).find(|kind| kind.code() == code)
    }
}

/// The form of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookFormat {
    /// After the Standard Webhooks specification.
    Standard,
    /// The format of Discord's webhooks.
    Discord,
}

impl WebhookFormat {
    pub const ALL: [Self; 2] = [Self::Standard, Self::Discord];

    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Discord => "discord",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// The servers whose events an endpoint gets. Events without a server pass every choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerScope {
    /// Every public server.
    All,
    /// Those that the account owns or edits at that time.
    Own,
    /// A list.
    Chosen,
}

impl ServerScope {
    pub const ALL: [Self; 3] = [Self::All, Self::Own, Self::Chosen];

    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Own => "own",
            Self::Chosen => "chosen",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_survive_their_names_and_codes() {
        for kind in WebhookType::choices() {
            assert_eq!(WebhookType::parse(kind.name()), Some(kind));
            assert_eq!(WebhookType::of_code(kind.code()), Some(kind));
        }
        assert_eq!(WebhookType::of_code(0), Some(WebhookType::Test));
        assert_eq!((WebhookType::parse("webhook.test"), WebhookType::of_code(999)), (None, None));
    }
}
