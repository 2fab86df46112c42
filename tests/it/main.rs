//! Everything through the public door: HTTP against a real server on a real port, and the command line, on SQLite
//! and on PostgreSQL.

mod harness;

mod accounts;
mod capes;
mod cli;
mod edge;
mod empty;
mod encoding;
mod envelope;
mod gate;
mod kept;
mod leaderboards;
mod leaderboards_kept;
mod live;
mod media;
mod openapi;
mod pages;
mod players;
mod playground;
mod search;
mod servers;
mod sightings;
mod skins;
mod textures;
mod totals;
mod tracker;
mod tracker_names;
mod transfer;
