//! Asking game servers how they are. The protocols are codecs without I/O: bytes in, values out, every length checked
//! before it is believed, since the other side may be anybody. Around them: where a name leads, and one ask with one deadline.

mod ask;
mod bedrock;
mod bytes;
mod component;
mod datagram;
mod dns;
mod failure;
mod fields;
mod guard;
mod java;
mod json;
mod legacy;
mod names;
mod place;
mod query;
mod status;
mod stream;

#[cfg(test)]
mod mutants;

pub use ask::{Answer, Asker, Form, Question};
pub use bytes::Wrong;
pub use failure::{FORBIDDEN, Failure};
pub use guard::{Forbidden, check};
pub use legacy::Legacy;
pub use names::{Names, Places};
pub use place::{Edition, Host, split_port};
pub use status::{Seen, Status};

// For game servers of our own, which speak the other half.
pub(crate) use bytes::{Frames, Reader, put_text, put_varint};
pub(crate) use component::flatten;
pub(crate) use json::Json;
#[cfg(test)]
pub(crate) use {
    bedrock::{pong, unconnected_ping},
    java::{STATUS_REQUEST, handshake, status},
    legacy::{legacy_reply, legacy_request},
    query::{challenge, full_stat, query_challenge, query_request},
};
