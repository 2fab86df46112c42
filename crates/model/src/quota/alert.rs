//! Alerts for the owner of a key who has used much of a quota.

/// The window of a [`QuotaAlert`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertSpan {
    Day,
    Month,
}

impl AlertSpan {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
        }
    }
}

/// A key has used a share of its quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaAlert {
    pub span: AlertSpan,
    pub window_start: i64,
    pub percent: u32,
    /// When it was noticed.
    pub at: i64,
}

impl QuotaAlert {
    /// Whether both are about the same share of the same window.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.span, self.window_start, self.percent) == (other.span, other.window_start, other.percent)
    }
}

/// The shares of a quota at which the owner of a key gets an alert.
pub const ALERT_PERCENTS: [u32; 2] = [80, 100];

/// Whether at least this share of a limit is used.
pub fn is_used(used: u32, limit: u32, percent: u32) -> bool {
    u64::from(used) * 100 >= u64::from(limit) * u64::from(percent)
}
