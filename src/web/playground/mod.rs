//! The playground page and the two routes that its script calls.

mod form;
pub mod page;
mod page_call;
pub mod pass;
pub mod run;

use axum::http::StatusCode;

/// The response of its routes when the playground is switched off.
const SWITCHED_OFF: (StatusCode, &str) = (StatusCode::NOT_FOUND, "The playground is switched off on this server");
