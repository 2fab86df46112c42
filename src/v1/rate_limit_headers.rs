//! `X-RateLimit-…` and `Retry-After`.

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use rollcall_model::quota::QuotaStatus;

pub const LIMIT_MINUTE: HeaderName = HeaderName::from_static("x-ratelimit-limit-minute");
pub const REMAINING_MINUTE: HeaderName = HeaderName::from_static("x-ratelimit-remaining-minute");
pub const LIMIT_DAY: HeaderName = HeaderName::from_static("x-ratelimit-limit-day");
pub const REMAINING_DAY: HeaderName = HeaderName::from_static("x-ratelimit-remaining-day");
pub const LIMIT_MONTH: HeaderName = HeaderName::from_static("x-ratelimit-limit-month");
pub const REMAINING_MONTH: HeaderName = HeaderName::from_static("x-ratelimit-remaining-month");

static NAMES: [HeaderName; 6] =
    [LIMIT_MINUTE, REMAINING_MINUTE, LIMIT_DAY, REMAINING_DAY, LIMIT_MONTH, REMAINING_MONTH];

/// Headers that authentication adds to every response of every endpoint.
#[derive(Default)]
pub struct RateLimitHeaders {
    pub quota_status: Option<QuotaStatus>,
    pub retry_after: Option<i64>,
}

impl RateLimitHeaders {
    pub fn of(quota_status: QuotaStatus) -> Self {
        Self { retry_after: quota_status.retry_after, quota_status: Some(quota_status) }
    }

    pub fn write(&self, headers: &mut HeaderMap) {
        if let Some(quota_status) = &self.quota_status {
            headers.extend(NAMES.iter().cloned().zip(values(quota_status)));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
    }
}

/// Limit and remaining requests per minute, day and month.
pub fn values(quota_status: &QuotaStatus) -> [HeaderValue; 6] {
    let QuotaStatus { limits, remaining_minute, remaining_day, remaining_month, .. } = quota_status;
    [
        number(limits.per_minute),
        number(*remaining_minute),
        number(limits.per_day),
        number(*remaining_day),
        number(limits.per_month),
        number(*remaining_month),
    ]
}

/// Like `HeaderValue::from`, with one allocation instead of two: every response has six of them.
fn number(mut value: u32) -> HeaderValue {
    let mut digits = [0; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return HeaderValue::from_bytes(&digits[at..]).expect("digits are ASCII");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_like_the_standard_conversion() {
        for value in [0, 1, 9, 10, 60, 99, 100, 1_000_000_000, u32::MAX] {
            assert_eq!(number(value), HeaderValue::from(value));
        }
    }
}
