//! What a program does with the players that the listener verifies.

use std::net::IpAddr;

use uuid::Uuid;

use super::failure::Failure;

/// Learns who was verified.
pub trait OnVerified: Send + Sync + 'static {
    /// Someone at `ip` owns this account. Returns the text that the player sees: the code, for example. An error is why there is
    /// none; it follows "Could not verify your account: " and gets a full stop.
    ///
    /// The future is dropped when the connection's deadline passes. The player may have gone away before the text arrives.
    fn on_verified(&self, uuid: Uuid, name: String, ip: IpAddr) -> impl Future<Output = Result<String, String>> + Send;

    /// A connection for a login ended before the player got that text, or a client did not speak the protocol. For logs and metrics.
    fn on_failed(&self, ip: IpAddr, failure: &Failure) {
        let _ = (ip, failure);
    }
}
