//! Rollcall calls the roll of game servers, keeps what it hears, and answers for it.

pub mod store;
