//! Deliveries of votes over real sockets: to receivers that behave, and to receivers that attack.

mod delivery;
mod hostile_receivers;
