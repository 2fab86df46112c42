//! Replies cut at every byte, and split in two at every byte.

use std::net::SocketAddr;
use std::time::Duration;

use rollcall_minecraft::{Edition, PingClient, PingError, PingProtocol, PingReply, PingRequest, Resolver, SsrfGuard};

use super::listener::{HostileListener, TcpBehavior};
use super::packets::{kick_text, valid_status};
use super::single_ping::runtime;

async fn ping(address: SocketAddr, protocol: PingProtocol) -> Result<PingReply, PingError> {
    let resolver = Resolver::dns(Some(([127, 0, 0, 1], 9).into())).expect("a resolver");
    let client = PingClient { resolver, guard: SsrfGuard::new(true), timeout: Duration::from_secs(20) };
    let request = PingRequest {
        host: "127.0.0.1".parse().expect("an address"),
        port: address.port(),
        edition: Edition::Java,
        query_port: None,
        protocol: Some(protocol),
        no_fallback: true,
    };
    client.ping(&request).await
}

#[test]
fn a_truncated_reply_is_an_error_and_a_split_reply_is_not() {
    runtime().block_on(async {
        let old = kick_text("§1\x00127\x001.6.4\x00A server\x002\x0020");
        let mut pings = 0;
        for (bytes, protocol) in [(valid_status(), PingProtocol::JAVA[0]), (old, PingProtocol::JAVA[1])] {
            for end in 0..bytes.len() {
                for behavior in [
                    TcpBehavior::ReplyAndClose(bytes[..end].to_vec()),
                    TcpBehavior::ReplyAndReset(bytes[..end].to_vec()),
                ] {
                    let server = HostileListener::tcp(behavior).await;
                    assert_eq!(ping(server.address, protocol).await, Err(PingError::Closed), "{end} bytes");
                    pings += 1;
                }
                let server =
                    HostileListener::tcp(TcpBehavior::TwoParts(bytes[..end].to_vec(), bytes[end..].to_vec())).await;
                let reply = ping(server.address, protocol).await.unwrap_or_else(|error| panic!("{end} bytes: {error}"));
                assert_eq!((reply.status.players, reply.status.motd_raw.as_str()), (2, "A server"));
                pings += 1;
            }
        }
        println!("{pings} replies cut or split at every byte");
    });
}
