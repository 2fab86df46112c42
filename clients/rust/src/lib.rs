//! A thin client of the Rollcall API: game servers, players, history and events. Every parameter and field is typed from the API
//! document.
//!
//! ```no_run
//! use rollcall_client::types::IterServersQuery;
//! use rollcall_client::{Client, Error};
//!
//! # async fn run(api_key: &str) -> Result<(), Error> {
//! let rollcall = Client::new("https://stats.example.org/v1", api_key)?;
//! let server = rollcall.server_detail("aurora-vale", &Default::default()).await?.server;
//! println!("{}: {} players", server.name, server.current_players);
//!
//! let german = IterServersQuery { country: Some("Germany".into()), ..Default::default() };
//! let mut servers = rollcall.iter_servers(&german);
//! while let Some(server) = servers.next().await {
//!     println!("{}", server?.slug);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - When a limit is used up or the service is busy, a call waits as long as `Retry-After` says and tries again: see
//!   [`ClientBuilder`].
//! - [`Items`] reads a list to its end; [`EventStream`] follows the events as they happen.
//! - [`webhook::verify`] checks messages that are signed after the Standard Webhooks specification.

mod client;
mod error;
mod events;
mod generated;
mod items;
mod query;
mod retry;
mod sse;
mod string_enum;
pub mod webhook;

/// Its sample compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use client::{Client, ClientBuilder, Quota};
pub use error::Error;
pub use events::EventStream;
pub use items::Items;

/// The types of the API document.
pub mod types {
    pub use crate::generated::*;
}
