//! Sends votes to game servers by Votifier v1 and v2, the protocols of the plugins Votifier, NuVotifier and their kin.
//!
//! Receivers are untrusted. Everything that is read has a limit, one deadline covers a whole delivery, and the address passes
//! the [`SsrfGuard`](crate::SsrfGuard).
//!
//! Receivers do not recognise a vote that comes twice. [`send`] therefore writes a vote at most once, and its [`Outcome`] says
//! whether another attempt could deliver it a second time.
//!
//! ```no_run
//! use std::time::Duration;
//! use rollcall_minecraft::{Resolver, SsrfGuard};
//! use rollcall_minecraft::votifier::{Outcome, Protocol, Receiver, Token, Vote, send};
//! use tokio::time::Instant;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let receiver = Receiver {
//!     host: "play.example.org".parse()?,
//!     port: 8192,
//!     protocol: Protocol::V2("the token of the receiver".parse::<Token>()?),
//! };
//! let vote = Vote::new("Rollcall", "Notch", "198.51.100.7", 1_767_225_600_000, None)?;
//! let deadline = Instant::now() + Duration::from_secs(10);
//! match send(&vote, &receiver, &Resolver::dns(None)?, &SsrfGuard::new(false), deadline).await {
//!     Outcome::Delivered => println!("delivered"),
//!     Outcome::NotSent(reason) => println!("may be tried again: {reason}"),
//!     Outcome::Uncertain(reason) => println!("may have arrived: {reason}"),
//!     Outcome::Rejected(reason) => println!("rejected: {reason}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The protocols themselves do no I/O: bytes in, values out. [`codec`] exports them.

mod answer;
pub mod fake_receiver;
mod greeting;
mod outcome;
mod public_key;
mod receiver;
mod send;
pub mod test_keys;
mod v1;
mod v2;
mod vote;

pub use outcome::{NotSent, Outcome, Rejected, Uncertain};
pub use public_key::{InvalidPublicKey, PublicKey};
pub use receiver::{InvalidToken, Protocol, Receiver, Token};
pub use send::send;
pub use vote::{InvalidVote, Vote};

/// The protocols without I/O, for programs that act as the receiver or bring their own sockets.
pub mod codec {
    pub use super::answer::{Answer, MAX_ANSWER, decode_answer};
    pub use super::greeting::{Greeting, MAX_GREETING, decode_greeting};
    pub use super::v1::{BLOCK_LENGTH, encode_block};
    pub use super::v2::{FRAME_MAGIC, MAX_FRAME, encode_frame, sign};
}
