//! Everything through the public door: HTTP against a real server on a real port, and the command line, on SQLite
//! and on PostgreSQL.

mod harness;

mod empty;
mod envelope;
mod live;
mod search;
mod servers;
mod totals;
mod transfer;
