//! Errors of a request, named by outcome.

use axum::http::StatusCode;
use rollcall_model::key_restriction::RestrictedBy;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    BadRequest(String),
    MissingKey,
    InvalidKey,
    ExpiredKey,
    DisabledKey,
    /// The key has restrictions that the request does not meet.
    RestrictedKey(RestrictedBy),
    NotFound(String),
    /// The page has one address, and this is not it: path and query of the right one.
    Moved(String),
    MethodNotAllowed,
    /// The request names a host that is not served here.
    WrongHost,
    UriTooLong,
    BodyTooLarge,
    BodyTimeout,
    RateLimited,
    /// One client IP has too many connections.
    TooManyConnections,
    /// The API key has too many open streams.
    TooManyStreams,
    /// The service or its store is overloaded; a retry may succeed soon.
    Busy,
    /// The store cannot be reached or written; the cause is logged.
    Unavailable,
    /// The picture store cannot be reached; the cause is logged.
    PicturesUnavailable,
    /// The response was not ready in time.
    RequestTimeout,
    /// The cause is logged where the response is made, and never sent.
    Internal(String),
}

impl ApiError {
    pub fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::MissingKey | Self::InvalidKey | Self::ExpiredKey => StatusCode::UNAUTHORIZED,
            Self::DisabledKey | Self::RestrictedKey(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Moved(_) => StatusCode::PERMANENT_REDIRECT,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::WrongHost => StatusCode::MISDIRECTED_REQUEST,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::RateLimited | Self::TooManyConnections | Self::TooManyStreams => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy | Self::Unavailable | Self::PicturesUnavailable | Self::RequestTimeout => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub fn message(&self) -> &str {
        match self {
            Self::BadRequest(message) | Self::NotFound(message) => message,
            Self::Moved(_) => "This page has another address",
            Self::MissingKey => "API key required: send it in the X-API-Key header or the api_key query parameter",
            Self::InvalidKey => "Invalid API key",
            Self::ExpiredKey => "API key expired",
            Self::DisabledKey => "API key disabled",
            Self::RestrictedKey(RestrictedBy::Network) => "API key not allowed from this IP address",
            Self::RestrictedKey(RestrictedBy::Origin) => "API key not allowed for this origin",
            Self::RestrictedKey(RestrictedBy::Endpoint) => "API key not allowed for this endpoint",
            Self::MethodNotAllowed => "Method not allowed: use GET or HEAD",
            Self::WrongHost => {
                "This host is not served here: check the URL; operators list hosts in http.allowed_hosts"
            }
            Self::UriTooLong => "The request URI must not exceed 8 KiB",
            Self::BodyTooLarge => "Request body too large",
            Self::BodyTimeout => "The request body did not arrive in time, try again",
            Self::RateLimited => "Too many requests",
            Self::TooManyStreams => "Too many open streams for this API key: close one first",
            Self::TooManyConnections => "Too many connections from this IP address",
            Self::Busy => "The service is overloaded, try again in a moment",
            Self::Unavailable => "The service cannot reach its database, try again in a moment",
            Self::PicturesUnavailable => "Pictures cannot be loaded or stored at the moment, try again later",
            Self::RequestTimeout => "The request timed out, try again in a moment",
            Self::Internal(_) => "Internal server error, try again later",
        }
    }

    /// `Retry-After` in seconds, where no quota window says it better. Idle connections are closed within 10 seconds.
    pub fn retry_after(&self) -> Option<&'static str> {
        match self {
            Self::TooManyConnections | Self::TooManyStreams => Some("10"),
            Self::Busy | Self::Unavailable | Self::PicturesUnavailable | Self::RequestTimeout => Some("1"),
            _ => None,
        }
    }

    /// `{"success":false,"error":…}`
    pub fn body(&self) -> Vec<u8> {
        serde_json::to_vec(&serde_json::json!({"success": false, "error": self.message()})).expect("text serialises")
    }
}

impl From<rollcall_store::Error> for ApiError {
    fn from(error: rollcall_store::Error) -> Self {
        match error {
            rollcall_store::Error::Busy => Self::Busy,
            error if error.is_outage() => {
                tracing::debug!(%error, "store unavailable");
                Self::Unavailable
            }
            error => Self::Internal(error.to_string()),
        }
    }
}

impl From<rollcall_store::media::Error> for ApiError {
    fn from(error: rollcall_store::media::Error) -> Self {
        // The start and the end of an outage are logged where requests to the picture store are sent.
        if error.is_outage() { Self::PicturesUnavailable } else { Self::Internal(error.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_row_is_an_internal_error() {
        let error = ApiError::from(rollcall_store::Error::MissingRow("select 1".into()));
        assert_eq!(error.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(ApiError::from(rollcall_store::Error::Unavailable("down".into())), ApiError::Unavailable);
    }
}
