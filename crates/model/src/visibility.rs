//! Visibility of a server or an uploaded skin or cape.

/// The visibility of a server or an upload. Only public ones are in lists, searches, totals and the API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    #[default]
    Public,
    /// On its own page only, for people who have the link.
    Unlisted,
    /// Nowhere but on the pages of those who manage it.
    Hidden,
}

impl Visibility {
    pub const ALL: [Self; 3] = [Self::Public, Self::Unlisted, Self::Hidden];

    /// As it is stored and exported.
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "PUBLIC",
            Self::Unlisted => "UNLISTED",
            Self::Hidden => "HIDDEN",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|visibility| visibility.name() == name)
    }
}
