//! Asking game servers how they are. The protocols are codecs without I/O: bytes in, values out, every length checked
//! before it is believed, since the other side may be anybody. Around them: where a name leads, and one ask with one deadline.

mod bedrock;
mod chat_component;
mod client;
mod dns;
mod failure;
mod java;
mod json;
mod lazy_json;
mod legacy;
mod query;
mod resolver;
mod ssrf_guard;
mod status;
mod target;
mod tcp;
mod udp;
mod wire;

pub use client::{Answer, Asker, Form, Question};
pub use failure::{FORBIDDEN, Failure};
pub use legacy::Legacy;
pub use resolver::{Names, Places};
pub use ssrf_guard::{Forbidden, check};
pub use status::{Seen, Status};
pub use target::{Edition, Host, split_port};
pub use wire::Wrong;

/// The codecs by themselves, without I/O: for servers that speak the other half of a protocol.
pub mod codec {
    pub use crate::bedrock::{pong, unconnected_ping};
    pub use crate::chat_component::flatten;
    pub use crate::java::{STATUS_REQUEST, handshake, status};
    pub use crate::json::Json;
    pub use crate::legacy::{legacy_reply, legacy_request};
    pub use crate::query::{challenge, full_stat, query_challenge, query_request};
    pub use crate::wire::{Frames, Reader, put_text, put_varint};
}
