//! Rollcall calls the roll of game servers, keeps what it hears, and answers for it.

pub mod accounts;
pub mod app;
pub mod backup;
pub mod catalogue;
pub mod cli;
pub mod clock;
pub mod config;
pub mod crew;
pub mod demo;
pub mod gate;
pub mod http;
pub mod human;
pub mod media;
pub mod model;
pub mod ping;
pub mod playground;
pub mod store;
pub mod tracker;
pub mod transfer;
pub mod v1;
mod web;
