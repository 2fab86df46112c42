//! Limiters that know nothing of what they limit: attempts per window, concurrent work, concurrency per client IP.

mod attempt_limiter;
mod concurrency_limit;
mod per_ip;

pub use attempt_limiter::AttemptLimiter;
pub use concurrency_limit::{ConcurrencyLimit, PausablePermit, Permit};
pub use per_ip::{PerIpLimit, PerIpPermit, bucket};
