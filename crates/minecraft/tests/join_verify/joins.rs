//! What players see.

use std::time::Duration;

use rollcall_minecraft::codec::decode_status;
use rollcall_minecraft::join_verify::{Failure, SessionServer};
use tokio::net::TcpListener;

use crate::support::{Answer, Event, LATEST, NAME, World, handshake, login_start, notch};

/// Long enough for a login on a busy machine.
const SHORT: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_verified_player_gets_the_text_of_the_callback() {
    let mut world = World::start().await;
    let (mut client, request) = world.client_in_login().await;
    world.join(&request);
    client.send(&request.response()).await;
    assert_eq!(client.encrypted_disconnect().await, "Your code: ABCD2345");
    assert_eq!(world.next_event().await, notch());
}

#[tokio::test]
async fn a_transferred_player_is_verified_like_any_other() {
    let mut world = World::start().await;
    let mut client = world.client().await;
    client.send(&handshake(LATEST, 3)).await;
    client.send(&login_start(NAME)).await;
    let request = client.encryption_request().await;
    world.join(&request);
    client.send(&request.response()).await;
    assert_eq!(client.encrypted_disconnect().await, "Your code: ABCD2345");
    assert_eq!(world.next_event().await, notch());
}

#[tokio::test]
async fn the_callback_can_refuse() {
    let mut world = World::start().await;
    *world.answer.lock().unwrap() = Answer::Refusal("this account is linked already");
    let (mut client, request) = world.client_in_login().await;
    world.join(&request);
    client.send(&request.response()).await;
    let text = "Could not verify your account: this account is linked already.";
    assert_eq!(client.encrypted_disconnect().await, text);
    assert_eq!(world.next_event().await, notch());
    let refused = Failure::Refused("this account is linked already".into());
    assert_eq!(world.next_event().await, Event::Failed(refused));
}

#[tokio::test]
async fn a_player_who_is_not_logged_in_is_told_so() {
    let mut world = World::start().await;
    let (mut client, request) = world.client_in_login().await;
    client.send(&request.response()).await;
    let text = "Could not verify your account: the session server does not know of your login. \
                Restart the launcher, then join again.";
    assert_eq!(client.encrypted_disconnect().await, text);
    assert_eq!(world.next_event().await, Event::Failed(Failure::NotJoined));
}

#[tokio::test]
async fn an_unreachable_session_server_is_named_as_the_reason() {
    // A port that is no longer open.
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let session_server = SessionServer::new(&format!("http://{closed}")).unwrap();
    let mut world = World::with(|settings| settings.session_server = session_server).await;
    let (mut client, request) = world.client_in_login().await;
    client.send(&request.response()).await;
    let text = "Could not verify your account: the session server gives no usable answer. Try again later.";
    assert_eq!(client.encrypted_disconnect().await, text);
    let event = world.next_event().await;
    assert!(matches!(&event, Event::Failed(Failure::SessionServer(reason)) if reason.contains("refused")), "{event:?}");
}

#[tokio::test]
async fn a_callback_that_never_returns_ends_with_the_deadline() {
    let mut world = World::with(|settings| settings.deadline = SHORT).await;
    *world.answer.lock().unwrap() = Answer::Never;
    let (mut client, request) = world.client_in_login().await;
    world.join(&request);
    client.send(&request.response()).await;
    assert_eq!(client.rest().await, b"");
    assert_eq!(world.next_event().await, notch());
    assert_eq!(world.next_event().await, Event::Failed(Failure::TimedOut));
}

#[tokio::test]
async fn a_panic_of_the_callback_ends_one_connection_only() {
    let mut world = World::start().await;
    *world.answer.lock().unwrap() = Answer::Panic;
    for _ in 0..2 {
        let (mut client, request) = world.client_in_login().await;
        world.join(&request);
        client.send(&request.response()).await;
        assert_eq!(client.rest().await, b"");
        assert_eq!(world.next_event().await, notch());
    }
}

#[tokio::test]
async fn the_server_list_shows_the_motd_and_the_client_s_own_version() {
    let world = World::start().await;
    let mut client = world.client().await;
    client.send(&handshake(47, 1)).await;
    client.send(&[0]).await;
    let message = client.receive().await;
    let status = decode_status(&message).unwrap();
    assert_eq!((status.motd_raw.as_str(), status.protocol), ("Join to get your code", 47));
    client.send(&[1, 1, 2, 3, 4, 5, 6, 7, 8]).await;
    assert_eq!(client.receive().await, [1, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(client.rest().await, b"", "the listener hangs up after the pong");
}

#[tokio::test]
async fn a_stopped_listener_closes_its_port_and_its_connections() {
    let world = World::start().await;
    let (client, _) = world.client_in_login().await;
    let address = world.verifier.address();
    world.verifier.stop().await;
    assert_eq!(client.rest().await, b"");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
