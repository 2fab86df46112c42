//! A small Minecraft listener that proves that a person owns a game account.
//!
//! The player joins it like any server. It speaks the handshake and the login phase of Java Edition (1.7 and later, any
//! version), asks the session server whether the account has joined, and disconnects the player with a text: the code that links
//! the game account with an account on the site, for example. Nobody ever gets into a world, so little changes between versions.
//!
//! Clients are untrusted. Every length is checked against a limit before memory is reserved, one deadline covers a whole
//! connection, and connections and logins are limited in total and by network.
//!
//! ```no_run
//! use std::net::IpAddr;
//! use rollcall_minecraft::join_verify::{OnVerified, SessionServer, Settings, Verifier};
//! use tokio::net::TcpListener;
//! use uuid::Uuid;
//!
//! struct Codes;
//!
//! impl OnVerified for Codes {
//!     async fn on_verified(&self, uuid: Uuid, name: String, ip: IpAddr) -> Result<String, String> {
//!         println!("{ip} owns {name} ({uuid})");
//!         Ok("Your code: ABCD2345".to_owned())
//!     }
//! }
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let session_server = SessionServer::new("https://sessionserver.mojang.com")?;
//! let listener = TcpListener::bind("0.0.0.0:25565").await?;
//! let verifier = Verifier::start(listener, Settings::new(session_server, "Join to get your code"), Codes).await?;
//! # drop(verifier);
//! # Ok(())
//! # }
//! ```
//!
//! The protocol itself does no I/O: bytes in, values out. [`codec`] exports it.

mod conversation;
mod encryption;
mod failure;
mod frame;
mod handshake;
mod limits;
mod login;
mod on_verified;
mod protocol;
mod server_key;
mod session_server;
mod status;
mod verifier;

pub use failure::Failure;
pub use limits::Limits;
pub use on_verified::OnVerified;
pub use session_server::{InvalidSessionServer, SessionServer};
pub use verifier::{Settings, Verifier};

/// The protocol without I/O, for programs that bring their own sockets.
pub mod codec {
    pub use super::encryption::{Opened, SECRET_LENGTH, TOKEN_LENGTH, encrypt, open_response, server_hash};
    pub use super::frame::MAX_MESSAGE;
    pub use super::handshake::{Handshake, Intent, decode_handshake};
    pub use super::login::{
        EncryptionResponse, LoginStart, TokenProof, decode_encryption_response, decode_login_start, encode_disconnect,
        encode_encryption_request, is_valid_name,
    };
    pub use super::protocol::Protocol;
    pub use super::server_key::ServerKey;
    pub use super::status::{StatusRequest, decode_status_request, encode_pong, encode_status};
}
