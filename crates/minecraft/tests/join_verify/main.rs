//! The listener over real sockets: players who join, and clients that attack.

mod hostile_clients;
mod joins;
mod support;
