//! The sort orders of the server lists.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::entry::ServerEntry;
use crate::catalogue::list_position::ListPosition;
use crate::catalogue::sort_order::key;
use rollcall_model::score;

/// The `sort` values of `/servers` and `/servers/top`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

    /// Whether a filter uses the value of this order.
    pub(super) fn is_filter(self) -> bool {
        matches!(self, Self::Players | Self::Votes | Self::Rating | Self::Uptime)
    }

    /// Best first; ties by id, so that pages never overlap. Each entry comes with its hot score, which depends on the time.
    pub(super) fn compare(self, (x, x_hot): (&ServerEntry, f64), (y, y_hot): (&ServerEntry, f64)) -> Ordering {
        let (a, b) = (&x.stats, &y.stats);
        let first = match self {
            Self::Recent => b.created_at.cmp(&a.created_at),
            Self::Players => b.current_players.cmp(&a.current_players),
            Self::Votes => b.total_votes.cmp(&a.total_votes),
            Self::Rating => b.rating.total_cmp(&a.rating).then(b.rating_count.cmp(&a.rating_count)),
            Self::Uptime => b.uptime.total_cmp(&a.uptime),
            Self::Trending => b.trend.total_cmp(&a.trend),
            Self::Name => x.name_key_bytes().cmp(y.name_key_bytes()),
            Self::Hot => y_hot.total_cmp(&x_hot),
        };
        first.then_with(|| x.id_bytes().cmp(y.id_bytes()))
    }

    /// Compares like [`Self::compare`], with the entry that was at the position.
    pub(super) fn compare_to_position(
        self,
        (entry, hot): (&ServerEntry, f64),
        position: &ListPosition<Self>,
    ) -> Ordering {
        let stats = &entry.stats;
        let first = match self {
            Self::Recent => position.descending_int(stats.created_at),
            Self::Players => position.descending_int(stats.current_players),
            Self::Votes => position.descending_int(stats.total_votes),
            Self::Rating => position.descending_float(stats.rating).then(position.second.cmp(&stats.rating_count)),
            Self::Uptime => position.descending_float(stats.uptime),
            Self::Trending => position.descending_float(stats.trend),
            Self::Name => entry.name_key().cmp(&position.text),
            Self::Hot => position.descending_float(hot),
        };
        first.then_with(|| entry.id_bytes().cmp(position.id.as_bytes()))
    }

    pub(super) fn list_position_of(self, (entry, hot): (&ServerEntry, f64)) -> ListPosition<Self> {
        let stats = &entry.stats;
        let mut position = match self {
            Self::Recent => ListPosition::of_int(self, stats.created_at),
            Self::Players => ListPosition::of_int(self, stats.current_players),
            Self::Votes => ListPosition::of_int(self, stats.total_votes),
            Self::Rating => ListPosition { second: stats.rating_count, ..ListPosition::of_float(self, stats.rating) },
            Self::Uptime => ListPosition::of_float(self, stats.uptime),
            Self::Trending => ListPosition::of_float(self, stats.trend),
            Self::Name => ListPosition::of_text(self, entry.name_key().to_owned()),
            Self::Hot => ListPosition::of_float(self, hot),
        };
        position.id = entry.id().to_owned();
        position
    }

    /// A sort key that agrees with [`Self::compare`].
    pub(super) fn key(self, (entry, hot): (&ServerEntry, f64)) -> u64 {
        let stats = &entry.stats;
        match self {
            Self::Recent => key::descending_int(stats.created_at),
            Self::Players => key::descending_int(stats.current_players),
            Self::Votes => key::descending_int(stats.total_votes),
            Self::Rating => key::descending_float(stats.rating),
            Self::Uptime => key::descending_float(stats.uptime),
            Self::Trending => key::descending_float(stats.trend),
            Self::Name => key::text(entry.name_key_bytes()),
            Self::Hot => key::descending_float(hot),
        }
    }

    /// Whether entries with equal keys differ only by their id.
    pub(super) fn key_is_complete(self) -> bool {
        !matches!(self, Self::Rating | Self::Name)
    }

    /// Whether a change can move a server in this order: whether any value differs that [`Self::compare`] uses.
    pub(super) fn is_affected_by(self, before: &ServerEntry, after: &ServerEntry) -> bool {
        if before.is_public != after.is_public || before.id_bytes() != after.id_bytes() {
            return true;
        }
        let (a, b) = (&before.stats, &after.stats);
        match self {
            Self::Recent => a.created_at != b.created_at,
            Self::Players => a.current_players != b.current_players,
            Self::Votes => a.total_votes != b.total_votes,
            Self::Rating => (a.rating, a.rating_count) != (b.rating, b.rating_count),
            Self::Uptime => a.uptime != b.uptime,
            Self::Trending => a.trend != b.trend,
            Self::Name => before.name_key_bytes() != after.name_key_bytes(),
            Self::Hot => {
                (a.vote_heat, a.vote_heat_at, a.recent_players, a.uptime)
                    != (b.vote_heat, b.vote_heat_at, b.recent_players, b.uptime)
            }
        }
    }
}

pub(super) fn hot_score(entry: &ServerEntry, now: i64) -> f64 {
    let stats = &entry.stats;
    let heat = score::decay(stats.vote_heat, stats.vote_heat_at, now);
    score::hot_score(heat, stats.recent_players, stats.uptime)
}
