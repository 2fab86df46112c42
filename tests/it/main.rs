//! Integration tests over HTTP and the command line, on SQLite and PostgreSQL.

mod harness;

mod accounts;
mod auth;
mod capes;
mod cli;
mod demo_present;
mod empty_store;
mod envelope;
mod etag_and_compression;
mod http;
mod layers;
mod leaderboard_snapshot;
mod leaderboard_updates;
mod leaderboards;
mod live;
mod media;
mod openapi;
mod pages;
mod players;
mod playground;
mod presence;
mod resolver;
mod response_cache;
mod scripts;
mod search;
mod security_doc;
mod servers;
mod site;
mod skins;
mod textures;
mod totals;
mod tracker;
mod transfer;
mod translations;
mod upgrade;
