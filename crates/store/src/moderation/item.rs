//! An item of the moderation queue.

use crate::Row;

/// The content under review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A server that was listed.
    Server,
    /// Two accounts claim a server.
    Dispute,
    Review,
    /// An update post of an owner.
    Post,
    /// A review that the owner of the server reported. The decision is about the review: approved, it stays.
    Report,
    /// A skin or cape that someone reported. Approved, it stays.
    TextureReport,
    /// A username that someone chose at the sign-up; the subject is the name. Approved, the account gets it.
    Name,
    /// An uploaded skin or cape.
    Upload,
}

impl ItemKind {
    pub const ALL: [Self; 8] = [
        Self::Server,
        Self::Dispute,
        Self::Review,
        Self::Post,
        Self::Report,
        Self::TextureReport,
        Self::Name,
        Self::Upload,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Dispute => "dispute",
            Self::Review => "review",
            Self::Post => "post",
            Self::Report => "report",
            Self::TextureReport => "texture-report",
            Self::Name => "name",
            Self::Upload => "upload",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemState {
    Open,
    Approved,
    Rejected,
    Hidden,
}

impl ItemState {
    pub const ALL: [Self; 4] = [Self::Open, Self::Approved, Self::Rejected, Self::Hidden];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Hidden => "hidden",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Approve,
    /// The author may write it better.
    Reject,
    /// It was shown and is taken away.
    Hide,
}

impl Decision {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "approve" => Some(Self::Approve),
            "reject" => Some(Self::Reject),
            "hide" => Some(Self::Hide),
            _ => None,
        }
    }

    pub fn state(self) -> ItemState {
        match self {
            Self::Approve => ItemState::Approved,
            Self::Reject => ItemState::Rejected,
            Self::Hide => ItemState::Hidden,
        }
    }

    /// The status of the text after it.
    pub fn status(self) -> &'static str {
        match self {
            Self::Approve => super::APPROVED,
            Self::Reject => "REJECTED",
            Self::Hide => "HIDDEN",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Item {
    pub n: i64,
    pub id: String,
    pub kind: ItemKind,
    pub subject: String,
    pub server_n: Option<i64>,
    pub server_slug: Option<String>,
    pub server_name: Option<String>,
    pub author_n: Option<i64>,
    pub author_id: Option<String>,
    pub author: Option<String>,
    /// Also changes whenever the text changes.
    pub opened_at: i64,
    pub why: String,
    pub locked_by: Option<i64>,
    pub locked_by_name: Option<String>,
    pub locked_until: i64,
    pub state: ItemState,
    pub decided_by: Option<String>,
    pub decided_at: Option<i64>,
    pub reason: String,
    pub appeal: String,
    pub appealed_at: Option<i64>,
}

impl Item {
    /// Whether another moderator has it.
    pub fn is_locked_for(&self, moderator_n: i64, now: i64) -> bool {
        self.locked_by.is_some_and(|holder| holder != moderator_n) && self.locked_until > now
    }

    /// Whether the author may ask for another look.
    pub fn can_be_appealed(&self) -> bool {
        matches!(self.state, ItemState::Rejected | ItemState::Hidden) && self.appealed_at.is_none()
    }
}

pub(super) const SELECT: &str = "select i.n, i.id, i.kind, i.subject, i.server_n, s.slug, s.name, i.author_n, a.id, a.username,
            i.opened_at, i.why, i.locked_by, l.username, i.locked_until, i.state, d.username, i.decided_at, i.reason, i.appeal,
            i.appealed_at
     from moderation_items i left join servers s on s.n = i.server_n left join accounts a on a.n = i.author_n
     left join accounts l on l.n = i.locked_by left join accounts d on d.n = i.decided_by";

/// A kind or state that this version does not know was written by a newer one; it is read as a decided name.
pub(super) fn read(row: &Row) -> Item {
    Item {
        n: row.get(0),
        id: row.get(1),
        kind: ItemKind::parse(&row.get::<String>(2)).unwrap_or(ItemKind::Name),
        subject: row.get(3),
        server_n: row.get(4),
        server_slug: row.get(5),
        server_name: row.get(6),
        author_n: row.get(7),
        author_id: row.get(8),
        author: row.get(9),
        opened_at: row.get(10),
        why: row.get(11),
        locked_by: row.get(12),
        locked_by_name: row.get(13),
        locked_until: row.get(14),
        state: ItemState::parse(&row.get::<String>(15)).unwrap_or(ItemState::Hidden),
        decided_by: row.get(16),
        decided_at: row.get(17),
        reason: row.get(18),
        appeal: row.get(19),
        appealed_at: row.get(20),
    }
}
