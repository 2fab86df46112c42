//! What may go wrong with a call, named by outcome.

use axum::http::StatusCode;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    BadRequest(String),
    MissingKey,
    InvalidKey,
    ExpiredKey,
    DisabledKey,
    NotFound(String),
    MethodNotAllowed,
    UriTooLong,
    /// A body that nobody reads to its end.
    TooLong,
    /// A body that did not arrive.
    TooSlow,
    TooMany,
    /// One address has too many connections.
    Crowded,
    /// The service or its store is overloaded; asking again soon may succeed.
    Busy,
    /// The store cannot be reached or written; the cause is logged.
    Unavailable,
    /// The answer was not made in time.
    TookTooLong,
    /// The cause is logged where it is answered, and never shown.
    Internal(String),
}

impl ApiError {
    pub fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::MissingKey | Self::InvalidKey | Self::ExpiredKey => StatusCode::UNAUTHORIZED,
            Self::DisabledKey => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooMany | Self::Crowded => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy | Self::Unavailable | Self::TookTooLong => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub fn message(&self) -> &str {
        match self {
            Self::BadRequest(message) | Self::NotFound(message) => message,
            Self::MissingKey => "An API key is needed: send it in the X-API-Key header or the api_key parameter",
            Self::InvalidKey => "This API key is not valid",
            Self::ExpiredKey => "This API key has expired",
            Self::DisabledKey => "This API key is disabled",
            Self::MethodNotAllowed => "Only GET and HEAD are allowed here",
            Self::UriTooLong => "The address of the request must not exceed 8 KiB",
            Self::TooLong => "What was sent is too long",
            Self::TooSlow => "What was sent did not arrive in time, try again",
            Self::TooMany => "Too many requests",
            Self::Crowded => "Too many connections from this address",
            Self::Busy => "The service is busy, try again in a moment",
            Self::Unavailable => "The service cannot reach its store, try again in a moment",
            Self::TookTooLong => "The answer took too long, try again in a moment",
            Self::Internal(_) => "Internal server error, try again later",
        }
    }

    /// Seconds after which to try again, where no clock says it better: connections that nobody uses are closed by then.
    pub fn retry_after(&self) -> Option<&'static str> {
        match self {
            Self::Crowded => Some("10"),
            Self::Busy | Self::Unavailable | Self::TookTooLong => Some("1"),
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
                tracing::debug!(%error, "the store failed");
                Self::Unavailable
            }
            error => Self::Internal(error.to_string()),
        }
    }
}
