//! Clients that lie, stall or flood. Each is refused, and the next player is served.

use std::collections::HashSet;
use std::time::Duration;

use rollcall_minecraft::DecodeError;
use rollcall_minecraft::join_verify::codec::MAX_MESSAGE;
use rollcall_minecraft::join_verify::{Failure, Limits};
use tokio::io::AsyncWriteExt;

use crate::support::{Client, Event, LATEST, NAME, SECRET, World, encryption_response, handshake, login_start, notch};

/// Long enough for a login on a busy machine.
const SHORT: Duration = Duration::from_secs(2);
/// Longer than any test waits.
const LONG: Duration = Duration::from_secs(600);
const WRONG_TOKEN: &str = "Could not verify your account: the encrypted connection could not be set up. Join again.";

/// The next player gets a code.
async fn assert_serves(world: &mut World) {
    let (mut client, request) = world.client_in_login().await;
    world.join(&request);
    client.send(&request.response()).await;
    assert_eq!(client.encrypted_disconnect().await, "Your code: ABCD2345");
    assert_eq!(world.next_event().await, notch());
}

async fn client_after_handshake(world: &World, protocol: i32) -> Client {
    let mut client = world.client().await;
    client.send(&handshake(protocol, 2)).await;
    client
}

#[tokio::test]
async fn silent_and_slow_clients_meet_the_deadline() {
    let mut world = World::with(|settings| settings.deadline = SHORT).await;
    let silent = world.client().await;
    let (stalling, _) = world.client_in_login().await;
    // A byte now and then does not extend the deadline.
    let slow = world.client().await;
    let (reading, mut writing) = slow.stream.into_split();
    let trickle = tokio::spawn(async move {
        let _ = writing.write_all(&[200, 1]).await;
        while writing.write_all(&[0]).await.is_ok() {
            tokio::time::sleep(SHORT / 50).await;
        }
    });
    for _ in 0..3 {
        assert_eq!(world.next_event().await, Event::Failed(Failure::TimedOut));
    }
    assert_eq!(silent.rest().await, b"");
    assert_eq!(stalling.rest().await, b"");
    // Ends when the connection is closed.
    trickle.await.unwrap();
    drop(reading);
}

#[tokio::test]
async fn huge_and_senseless_lengths_are_refused_at_once() {
    let mut world = World::start().await;
    for (bytes, error) in [
        (&[0xff, 0xff, 0xff, 0xff, 0x07][..], DecodeError::TooLong(0x7fff_ffff, MAX_MESSAGE)),
        (&[0x81, 0x28], DecodeError::TooLong(5121, MAX_MESSAGE)),
        (&[0xff, 0xff, 0xff, 0xff, 0x0f], DecodeError::Malformed("a message length is zero or negative")),
        (&[0], DecodeError::Malformed("a message length is zero or negative")),
        (&[0xff; 6], DecodeError::Malformed("a VarInt is longer than five bytes")),
    ] {
        let mut client = world.client().await;
        client.stream.write_all(bytes).await.unwrap();
        assert_eq!(client.rest().await, b"", "no game client, no text");
        assert_eq!(world.next_event().await, Event::Failed(Failure::Malformed(error.clone())));

        let mut client = client_after_handshake(&world, LATEST).await;
        client.stream.write_all(bytes).await.unwrap();
        let text = format!("Could not verify your account: the game sent something unexpected ({error}).");
        assert_eq!(client.disconnect().await, text);
        assert_eq!(world.next_event().await, Event::Failed(Failure::Malformed(error)));
    }
    assert_serves(&mut world).await;
}

#[tokio::test]
async fn garbage_is_refused_in_every_phase() {
    let mut world = World::start().await;
    for garbage in
        [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", &[0xfe; 64], &[5; 64]]
    {
        let mut client = world.client().await;
        let _ = client.stream.write_all(garbage).await;
        let _ = client.stream.shutdown().await;
        assert_eq!(client.rest().await, b"");
        assert!(matches!(world.next_event().await, Event::Failed(Failure::Malformed(_) | Failure::Closed)));

        let mut client = client_after_handshake(&world, LATEST).await;
        client.send(garbage).await;
        assert!(client.disconnect().await.starts_with("Could not verify your account: the game sent something"));
        assert!(matches!(world.next_event().await, Event::Failed(Failure::Malformed(_))));

        let (mut client, _) = world.client_in_login().await;
        client.send(garbage).await;
        assert!(client.disconnect().await.starts_with("Could not verify your account: the game sent something"));
        assert!(matches!(world.next_event().await, Event::Failed(Failure::Malformed(_))));
    }
    assert_serves(&mut world).await;
}

#[tokio::test]
async fn a_text_arrives_although_the_client_sent_more_than_was_read() {
    let mut world = World::start().await;
    let mut client = client_after_handshake(&world, LATEST).await;
    client.send(&login_start("not a name")).await;
    let _ = client.stream.write_all(&[7; 64 * 1024]).await;
    let text = "Could not verify your account: the game sent something unexpected (the name is not one of a player).";
    assert_eq!(client.disconnect().await, text);
    assert!(matches!(world.next_event().await, Event::Failed(Failure::Malformed(_))));
}

#[tokio::test]
async fn only_the_token_of_this_connection_counts() {
    let mut world = World::start().await;
    let (mut client, request) = world.client_in_login().await;
    world.join(&request);
    let recorded = request.response();
    client.send(&recorded).await;
    assert_eq!(client.encrypted_disconnect().await, "Your code: ABCD2345");
    assert_eq!(world.next_event().await, notch());

    let secret = request.encrypt(&SECRET);
    let token = request.token;
    for response in [
        recorded,
        encryption_response(&secret, &token),
        encryption_response(&secret, &[]),
        encryption_response(&secret, &[0; 128]),
        encryption_response(&secret, &[0xff; 128]),
        encryption_response(&secret, &[0; 512]),
    ] {
        let (mut client, _) = world.client_in_login().await;
        client.send(&response).await;
        assert_eq!(client.encrypted_disconnect().await, WRONG_TOKEN);
        assert_eq!(world.next_event().await, Event::Failed(Failure::WrongToken));
    }
    for wrong in [&b""[..], b"abc", b"abcd", b"abcde"] {
        let (mut client, request) = world.client_in_login().await;
        client.send(&encryption_response(&request.encrypt(&SECRET), &request.encrypt(wrong))).await;
        assert_eq!(client.encrypted_disconnect().await, WRONG_TOKEN);
        assert_eq!(world.next_event().await, Event::Failed(Failure::WrongToken));
    }
}

#[tokio::test]
async fn a_signature_without_a_signing_key_counts_for_nothing() {
    let mut world = World::start().await;
    let mut client = client_after_handshake(&world, 759).await;
    let mut login = vec![0, NAME.len() as u8];
    login.extend_from_slice(NAME.as_bytes());
    login.push(0);
    client.send(&login).await;
    let request = client.receive().await;
    // Without the flag of later versions, the request has the same fields.
    let request =
        crate::support::EncryptionRequest { public_key: request[4..166].to_vec(), token: request[167..].to_vec() };
    world.join(&request);
    let secret = request.encrypt(&SECRET);
    let mut response = vec![1, 0x80, 1];
    response.extend_from_slice(&secret);
    response.extend_from_slice(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 3, 1, 2, 3]);
    client.send(&response).await;
    assert_eq!(client.encrypted_disconnect().await, WRONG_TOKEN);
    assert_eq!(world.next_event().await, Event::Failed(Failure::WrongToken));
}

#[tokio::test]
async fn a_secret_that_cannot_be_decrypted_looks_like_an_unknown_login() {
    let mut world = World::start().await;
    let (_, request) = world.client_in_login().await;
    assert_eq!(world.next_event().await, Event::Failed(Failure::Closed));
    world.join(&request);
    let too_short = request.encrypt(&SECRET[..15]);
    let too_long = request.encrypt(&[&SECRET[..], b"!"].concat());
    let mut answers = HashSet::new();
    for secret in [&[][..], &[1; 128], &[0xff; 128], &[1; 127], &[0; 512], &too_short, &too_long] {
        let (mut client, request) = world.client_in_login().await;
        client.send(&encryption_response(secret, &request.encrypt(&request.token))).await;
        let answer = client.rest().await;
        assert!(!answer.is_empty(), "a text that nobody can decrypt");
        assert!(answers.insert(answer), "encrypted with another random secret each time");
        assert_eq!(world.next_event().await, Event::Failed(Failure::NotJoined));
    }
    assert_serves(&mut world).await;
}

#[tokio::test]
async fn connections_from_one_address_are_limited() {
    let limits = Limits { connections: 100, connections_per_ip: 3, logins: 100, logins_per_ip: 100 };
    let mut world = World::with(|settings| (settings.limits, settings.deadline) = (limits, LONG)).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(world.client_in_login().await);
    }
    for _ in 0..200 {
        assert_eq!(world.client().await.rest().await, b"", "closed at once");
    }
    held.pop();
    assert_eq!(world.next_event().await, Event::Failed(Failure::Closed));
    assert_serves(&mut world).await;
}

#[tokio::test]
async fn connections_are_limited_in_total() {
    let limits = Limits { connections: 2, connections_per_ip: 100, logins: 100, logins_per_ip: 100 };
    let world = World::with(|settings| (settings.limits, settings.deadline) = (limits, LONG)).await;
    let _held = [world.client_in_login().await, world.client_in_login().await];
    assert_eq!(world.client().await.rest().await, b"");
}

#[tokio::test]
async fn a_player_who_tries_too_often_is_told_to_wait() {
    let limits = Limits { connections: 100, connections_per_ip: 100, logins: 100, logins_per_ip: 2 };
    let mut world = World::with(|settings| settings.limits = limits).await;
    let _held = [world.client_in_login().await, world.client_in_login().await];
    let mut client = client_after_handshake(&world, LATEST).await;
    client.send(&login_start(NAME)).await;
    let text = "Could not verify your account: too many attempts. Wait a minute, then join again.";
    assert_eq!(client.disconnect().await, text);
    assert_eq!(world.next_event().await, Event::Failed(Failure::TooManyLogins));
}

#[tokio::test]
async fn many_players_at_once_are_all_served() {
    let mut world = World::start().await;
    let mut clients = Vec::new();
    for _ in 0..60 {
        clients.push(world.client_in_login().await);
    }
    for (client, request) in &mut clients {
        world.join(request);
        client.send(&request.response()).await;
    }
    for (client, _) in clients {
        assert_eq!(client.encrypted_disconnect().await, "Your code: ABCD2345");
    }
    for _ in 0..60 {
        assert_eq!(world.next_event().await, notch());
    }
}
