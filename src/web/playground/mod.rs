//! The playground: its page, and the two routes its script calls.

pub mod page;
pub mod pass;
pub mod run;

use axum::http::StatusCode;

/// The answer of its routes when there is no playground.
const OFF: (StatusCode, &str) = (StatusCode::NOT_FOUND, "The playground is switched off on this server");
