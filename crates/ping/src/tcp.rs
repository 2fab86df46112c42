//! Java Edition over TCP.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::client::Form;
use super::failure::Failure;
use super::java::{self, LONGEST_MESSAGE};
use super::legacy::{LONGEST_REPLY, legacy_reply, legacy_request};
use super::status::Status;
use super::target::Host;
use super::wire::{Frames, Wrong};

/// Bytes that are read at once: most answers, icon included. Nobody who is silent costs us this room.
const AT_ONCE: usize = 16 * 1024;
/// "Any version will do."
const ANY_PROTOCOL: i32 = -1;

/// Connects to the first address that lets us; each leaves time for those after it, and the last has all until `end`, which
/// whoever calls watches.
pub async fn connect(addresses: &[SocketAddr], end: Instant) -> Result<(TcpStream, SocketAddr), Failure> {
    let mut failure = Failure::TimedOut;
    for (place, address) in addresses.iter().enumerate() {
        let left = (addresses.len() - place) as u32;
        let connecting = TcpStream::connect(address);
        let connected = if left == 1 {
            Ok(connecting.await)
        } else {
            let now = Instant::now();
            tokio::time::timeout_at(now + end.saturating_duration_since(now) / left, connecting).await
        };
        match connected {
            Ok(Ok(stream)) => return Ok((stream, *address)),
            Ok(Err(error)) => failure = Failure::of_socket(&error, address.ip()),
            Err(_) => failure = Failure::TimedOut,
        }
    }
    Err(failure)
}

/// One question and its answer, and how long that took. The name that was looked up is said, since many servers may
/// stand behind one address.
pub async fn talk(
    mut stream: TcpStream,
    form: Form,
    host: &Host,
    port: u16,
    address: IpAddr,
) -> Result<(Status, Duration), Failure> {
    let lost = |error: std::io::Error| Failure::of_socket(&error, address);
    // Nothing is waited for at the end: a closed connection must not keep its port for a minute. One write goes out at once
    // without being told so.
    let _ = stream.set_zero_linger();
    let question = match form {
        Form::Legacy(form) => legacy_request(form, &host.to_string(), port),
        Form::Modern | Form::Bedrock => {
            let mut hello = java::handshake(&host.to_string(), port, ANY_PROTOCOL);
            hello.extend_from_slice(&java::STATUS_REQUEST);
            hello
        }
    };
    let asked = Instant::now();
    stream.write_all(&question).await.map_err(lost)?;
    let status = match form {
        Form::Legacy(_) => hear_legacy(&mut stream).await,
        Form::Modern | Form::Bedrock => hear(&mut stream).await,
    };
    let status = status.map_err(|trouble| match trouble {
        Trouble::Socket(error) => lost(error),
        Trouble::Told(failure) => failure,
    })?;
    Ok((status, asked.elapsed()))
}

enum Trouble {
    Socket(std::io::Error),
    Told(Failure),
}

impl From<Wrong> for Trouble {
    fn from(wrong: Wrong) -> Self {
        Self::Told(wrong.into())
    }
}

async fn hear(stream: &mut TcpStream) -> Result<Status, Trouble> {
    let mut frames = Frames::new(LONGEST_MESSAGE);
    loop {
        stream.readable().await.map_err(Trouble::Socket)?;
        if !take(stream, frames.room(AT_ONCE))? {
            continue;
        }
        // Who speaks something else is not heard out.
        if frames.first().is_some_and(|byte| !java::is_status(byte)) {
            return Err(java::ANOTHER_PACKET.into());
        }
        if let Some(message) = frames.message()? {
            return Ok(java::status(message)?);
        }
    }
}

async fn hear_legacy(stream: &mut TcpStream) -> Result<Status, Trouble> {
    let mut held = Vec::new();
    loop {
        stream.readable().await.map_err(Trouble::Socket)?;
        held.reserve(LONGEST_REPLY);
        if take(stream, &mut held)? {
            held.truncate(LONGEST_REPLY);
            if let Some(status) = legacy_reply(&held)? {
                return Ok(status);
            }
        }
    }
}

/// Adds what has come to what is held; gives whether anything has.
fn take(stream: &TcpStream, held: &mut Vec<u8>) -> Result<bool, Trouble> {
    match stream.try_read_buf(held) {
        Ok(0) => Err(Trouble::Told(Failure::Closed)),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(Trouble::Socket(error)),
    }
}
