//! Generic limiters: attempts per window, concurrent work, concurrency per client IP, and eviction at a limit.

mod attempt_limiter;
mod busiest_first;
mod concurrency_limit;
mod new_player_quota;
mod per_ip;

pub use attempt_limiter::AttemptLimiter;
pub use busiest_first::{BusiestFirst, Registration};
pub use concurrency_limit::{ConcurrencyLimit, PausablePermit, Permit};
pub use new_player_quota::NewPlayerQuota;
pub use per_ip::{PerIpLimit, PerIpPermit, bucket};
