//! Rollcall pings game servers, keeps their history, and serves it through a keyed JSON API.
//!
//! Which module may use which stands in `ARCHITECTURE.md`; `tests/it/layers.rs` checks it.

pub mod accounts;
pub mod app;
pub mod auth;
pub mod backup;
mod batch_writer;
pub mod captcha;
pub mod catalogue;
pub mod cli;
pub mod config;
pub mod error;
pub mod event_feed;
pub mod http;
mod http_client;
mod intake;
pub mod limits;
pub mod linking;
mod listings;
mod moderation;
pub mod playground;
pub mod security_log;
pub mod server;
mod texture_acts;
mod texture_uploads;
pub mod tiers;
pub mod tracked_servers;
pub mod tracker;
pub mod transfer;
pub mod v1;
pub mod voting;
pub mod web;
pub mod webhooks;
pub mod worker_pool;
