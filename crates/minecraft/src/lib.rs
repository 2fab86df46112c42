//! The protocols of Minecraft that Rollcall speaks: pings of servers, votes for them ([`votifier`]), and a listener that verifies
//! game accounts ([`join_verify`]).
//!
//! A ping returns the status of a server: version, players, MOTD, icon and latency. Supported protocols: the Server List Ping of
//! Java Edition (1.7 and later), the three legacy pings of Java Edition (Beta 1.8 to 1.6), the unconnected ping of Bedrock
//! Edition, and GameSpy Query for the full player list.
//!
//! Servers, vote receivers and clients are untrusted. Every length is checked against a limit before memory is reserved, one
//! timeout covers a whole exchange, and an [`SsrfGuard`] rejects private and reserved addresses and well-known ports.
//!
//! ```no_run
//! use std::time::Duration;
//! use rollcall_minecraft::{Edition, PingClient, PingRequest, Resolver, SsrfGuard};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = PingClient {
//!     resolver: Resolver::dns(None)?,
//!     guard: SsrfGuard::new(false),
//!     timeout: Duration::from_secs(5),
//! };
//! let reply = client.ping(&PingRequest::new("play.example.org".parse()?, 25_565, Edition::Java)).await?;
//! println!("{} of {} players", reply.status.players, reply.status.max_players);
//! # Ok(())
//! # }
//! ```
//!
//! The protocols themselves do no I/O: bytes in, values out. [`codec`] exports them.

mod bedrock;
mod chat_component;
mod dns;
mod error;
mod gamespy_query;
pub mod join_verify;
mod json;
mod lazy_json;
mod legacy;
mod ping_client;
mod ping_protocol;
mod player_name;
mod resolver;
mod server_list_ping;
mod service_connection;
mod ssrf_guard;
mod status;
mod target;
mod tcp;
mod udp;
pub mod votifier;
mod wire;

pub use error::{FORBIDDEN_ADDRESS, PingError};
pub use legacy::LegacyVersion;
pub use ping_client::{PingClient, PingReply, PingRequest};
pub use ping_protocol::PingProtocol;
pub use player_name::is_player_name;
pub use resolver::{HostTable, Resolver};
pub use service_connection::connect;
pub use ssrf_guard::{ForbiddenAddress, ForbiddenPort, SsrfGuard, require_public};
pub use status::{ListedPlayer, ServerStatus, is_printable};
pub use target::{Edition, Host, split_port};
pub use wire::DecodeError;

/// The protocols without I/O, for programs that act as the server or bring their own sockets.
pub mod codec {
    pub use crate::bedrock::{decode_pong, encode_unconnected_ping};
    pub use crate::chat_component::flatten;
    pub use crate::gamespy_query::{
        decode_challenge, decode_full_stat, encode_challenge_request, encode_full_stat_request,
    };
    pub use crate::json::Json;
    pub use crate::legacy::{decode_legacy_reply, encode_legacy_request};
    pub use crate::server_list_ping::{STATUS_REQUEST, decode_status, encode_handshake};
    pub use crate::wire::{FrameBuffer, Reader, put_text, put_varint};
}
