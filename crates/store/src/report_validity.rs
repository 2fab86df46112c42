//! How long what a server reported counts.

use rollcall_model::time::MINUTE;

/// A list of players counts for this long; then lists of pings count again.
pub const LIST_LASTS: i64 = 3 * MINUTE;
/// Ticks per second count for this long: AzLink sends them every 15 minutes.
pub const TPS_LASTS: i64 = 20 * MINUTE;
