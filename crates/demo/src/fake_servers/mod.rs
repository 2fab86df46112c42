//! Fake game servers on real sockets. They speak the real protocols and report the status that they are given.
//!
//! The demo's tracker pings them, and so do tests and benches.

mod bedrock;
mod cached_status;
mod java;
mod legacy;
mod query;
mod server;
mod status;
mod tcp;
mod udp;

#[cfg(test)]
mod mutation_tests;
#[cfg(test)]
mod test_messages;
#[cfg(test)]
mod tests;

pub use server::FakeServer;
pub use status::{FakeStatus, StatusSource};
