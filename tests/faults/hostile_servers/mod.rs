//! Hostile game servers, one at a time and 500 at once.

mod cases;
mod five_hundred;
mod listener;
mod packets;
mod png;
mod single_ping;
mod truncated_replies;
