//! Rollcall pings game servers, keeps their history, and serves it through a keyed JSON API.
//!
//! Which module may use which stands in `ARCHITECTURE.md`; `tests/it/layers.rs` checks it.

pub mod accounts;
pub mod app;
mod auth;
pub mod backup;
mod batch_writer;
pub mod captcha;
pub mod catalogue;
pub mod cli;
pub mod config;
mod error;
mod event_feed;
pub mod http;
mod http_client;
mod intake;
mod limits;
mod linking;
mod listings;
mod moderation;
mod playground;
pub mod security_log;
pub mod server;
mod texture_acts;
mod texture_uploads;
mod tiers;
pub mod tracked_servers;
pub mod tracker;
pub mod transfer;
pub mod v1;
mod voting;
pub mod web;
mod webhooks;
pub mod worker_pool;
