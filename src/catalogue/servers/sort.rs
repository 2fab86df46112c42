//! The sort orders of servers.

use std::cmp::Ordering;

use super::entry::Entry;
use crate::catalogue::sort_order::key;
use rollcall_model::score;

/// How `/servers` and `/servers/top` may be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerSort {
    Recent,
    Players,
    Votes,
    Rating,
    Uptime,
    Trending,
    Name,
    Hot,
}

impl ServerSort {
    pub const ALL: [ServerSort; 8] =
        [Self::Recent, Self::Players, Self::Votes, Self::Rating, Self::Uptime, Self::Trending, Self::Name, Self::Hot];

    /// Whether servers are also filtered by the figure that this sorts by.
    pub(super) fn is_filter(self) -> bool {
        matches!(self, Self::Players | Self::Votes | Self::Rating | Self::Uptime)
    }

    /// Best first; equals by id, so that pages never overlap. With each its hot score, which moves with the clock.
    pub(super) fn compare(self, (x, x_hot): (&Entry, f64), (y, y_hot): (&Entry, f64)) -> Ordering {
        let (a, b) = (&x.figures, &y.figures);
        let first = match self {
            Self::Recent => b.created_at.cmp(&a.created_at),
            Self::Players => b.current_players.cmp(&a.current_players),
            Self::Votes => b.total_votes.cmp(&a.total_votes),
            Self::Rating => b.rating.total_cmp(&a.rating).then(b.rating_count.cmp(&a.rating_count)),
            Self::Uptime => b.uptime.total_cmp(&a.uptime),
            Self::Trending => b.trend.total_cmp(&a.trend),
            Self::Name => x.name_bytes().cmp(y.name_bytes()),
            Self::Hot => y_hot.total_cmp(&x_hot),
        };
        first.then_with(|| x.id_bytes().cmp(y.id_bytes()))
    }

    /// What [`Self::compare`] looks at first.
    pub(super) fn key(self, (entry, hot): (&Entry, f64)) -> u64 {
        let figures = &entry.figures;
        match self {
            Self::Recent => key::highest_int(figures.created_at),
            Self::Players => key::highest_int(figures.current_players),
            Self::Votes => key::highest_int(figures.total_votes),
            Self::Rating => key::highest(figures.rating),
            Self::Uptime => key::highest(figures.uptime),
            Self::Trending => key::highest(figures.trend),
            Self::Name => key::text(entry.name_bytes()),
            Self::Hot => key::highest(hot),
        }
    }

    /// Whether [`Self::compare`] looks at nothing more, but for the id.
    pub(super) fn key_tells_all(self) -> bool {
        !matches!(self, Self::Rating | Self::Name)
    }

    /// Whether a change may bring a server to another place of this order: whether anything differs that [`Self::compare`]
    /// looks at.
    pub(super) fn moves(self, before: &Entry, after: &Entry) -> bool {
        if before.is_public != after.is_public || before.id_bytes() != after.id_bytes() {
            return true;
        }
        let (a, b) = (&before.figures, &after.figures);
        match self {
            Self::Recent => a.created_at != b.created_at,
            Self::Players => a.current_players != b.current_players,
            Self::Votes => a.total_votes != b.total_votes,
            Self::Rating => (a.rating, a.rating_count) != (b.rating, b.rating_count),
            Self::Uptime => a.uptime != b.uptime,
            Self::Trending => a.trend != b.trend,
            Self::Name => before.name_bytes() != after.name_bytes(),
            Self::Hot => {
                (a.vote_heat, a.vote_heat_at, a.recent_players, a.uptime)
                    != (b.vote_heat, b.vote_heat_at, b.recent_players, b.uptime)
            }
        }
    }
}

pub(super) fn hot(entry: &Entry, now: i64) -> f64 {
    let figures = &entry.figures;
    let heat = score::decay(figures.vote_heat, figures.vote_heat_at, now);
    score::hot_score(heat, figures.recent_players, figures.uptime)
}
