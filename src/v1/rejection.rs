//! What a client whose key was not accepted is told.

use super::rate_limit_headers::RateLimitHeaders;
use crate::auth::Rejection;
use crate::error::ApiError;

/// The error of a rejection, and its headers.
pub(super) fn rejected(rejection: Rejection) -> (ApiError, RateLimitHeaders) {
    let error = match rejection {
        Rejection::QuotaExceeded(status) => return (ApiError::RateLimited, RateLimitHeaders::of(status)),
        Rejection::TooManyWrongKeys(seconds) | Rejection::TooManyFreeCalls(seconds) => {
            let headers = RateLimitHeaders { retry_after: Some(seconds), quota_status: None };
            return (ApiError::RateLimited, headers);
        }
        Rejection::LimitTooLow(units, limit) => ApiError::BadRequest(format!(
            "This call uses {units} requests of the quota, and the smallest limit of the key is {limit}: ask for fewer items"
        )),
        Rejection::MissingKey => ApiError::MissingKey,
        Rejection::UnknownKey => ApiError::InvalidKey,
        Rejection::Expired => ApiError::ExpiredKey,
        Rejection::Disabled => ApiError::DisabledKey,
        Rejection::Restricted(by) => ApiError::RestrictedKey(by),
        Rejection::Unavailable => ApiError::Unavailable,
    };
    (error, RateLimitHeaders::default())
}
