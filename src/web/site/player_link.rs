//! The one address of a player's page: `/players/{nickname}` if the nickname names this player alone and needs no escaping,
//! else `/players/{id}`. Every other way to write it (another case, a UUID, an id) redirects there.

use std::collections::HashSet;

use rollcall_search::fold;
use rollcall_store::{Conn, Result, players};

/// The longest nickname that the game allows; ids and UUIDs are longer.
const MAX_NICKNAME: usize = 16;

/// The addresses of some players.
#[derive(Default)]
pub struct PlayerLinks {
    ambiguous: HashSet<String>,
}

impl PlayerLinks {
    /// Reads which of these nicknames several players share.
    pub fn load<'a>(conn: &mut Conn, nicknames: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut names: Vec<String> =
            nicknames.filter(|name| is_plain(name)).flat_map(|name| [fold(name), name.to_owned()]).collect();
        names.sort_unstable();
        names.dedup();
        Ok(Self { ambiguous: players::ambiguous_names(conn, &names)? })
    }

    /// The last segment of the address.
    pub fn segment<'a>(&self, id: &'a str, nickname: &'a str) -> &'a str {
        let is_taken = self.ambiguous.contains(nickname) || self.ambiguous.contains(&fold(nickname));
        if is_plain(nickname) && !is_taken { nickname } else { id }
    }

    pub fn path(&self, id: &str, nickname: &str) -> String {
        format!("/players/{}", crate::http::query::encode(self.segment(id, nickname)))
    }
}

/// Whether the game itself would allow the nickname.
fn is_plain(nickname: &str) -> bool {
    (1..=MAX_NICKNAME).contains(&nickname.len()) && nickname.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ambiguous_or_odd_nickname_leads_to_the_id() {
        let links = PlayerLinks { ambiguous: ["taken".to_owned(), "0id".to_owned()].into() };
        assert_eq!(links.path("p1", "Alice_7"), "/players/Alice_7");
        for odd in ["Taken", "0id", "", "a b", ".Bedrock", "Zoë", "<b>", "a/../b", "seventeen_letters"] {
            assert_eq!(links.path("p1", odd), "/players/p1", "{odd}");
        }
    }
}
