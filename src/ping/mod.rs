//! Asking game servers how they are. The protocols are codecs without I/O: bytes in, values out, every length checked
//! before it is believed, since the other side may be anybody.

mod bedrock;
mod bytes;
mod component;
mod guard;
mod java;
mod legacy;
mod query;
mod status;

pub use bedrock::{PING_ID, pong, unconnected_ping};
pub use bytes::{Frames, Wrong};
pub use guard::{Forbidden, check};
pub use java::{handshake, ping, pong_payload, status, status_request};
pub use legacy::{Legacy, legacy_reply, legacy_request};
pub use query::{challenge, full_stat, query_challenge, query_request};
pub use status::{Seen, Status};

// For whoever speaks the other side.
pub(crate) use bytes::{Reader, put_text, put_varint};
pub(crate) use component::flatten;
