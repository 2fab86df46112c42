//! One connection, from the handshake to the disconnect.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::codec::FrameBuffer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use super::encryption::{Opened, SECRET_LENGTH, TOKEN_LENGTH, encrypt, open_response, server_hash};
use super::failure::Failure;
use super::frame::MAX_MESSAGE;
use super::handshake::{Intent, decode_handshake};
use super::limits::Usage;
use super::login::{decode_encryption_response, decode_login_start, encode_disconnect, encode_encryption_request};
use super::on_verified::OnVerified;
use super::protocol::Protocol;
use super::server_key::ServerKey;
use super::session_server::SessionServer;
use super::status::{StatusRequest, decode_status_request, encode_pong, encode_status};

const READ_SIZE: usize = 512;
/// Requests that are answered after a handshake that asks for the status: the status and one ping.
const STATUS_REQUESTS: usize = 2;
/// How long a client may take to close the connection after the last packet.
const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// State that all connections share.
pub(crate) struct Shared<H> {
    pub(crate) handler: H,
    pub(crate) motd: String,
    pub(crate) session_server: SessionServer,
    pub(crate) key: Arc<ServerKey>,
    pub(crate) usage: Arc<Usage>,
    /// Permits for RSA operations, so that they never take all processors.
    pub(crate) decryptions: Semaphore,
}

pub(crate) struct Conversation<'a, H> {
    stream: TcpStream,
    frames: FrameBuffer,
    ip: IpAddr,
    shared: &'a Shared<H>,
    /// Known after the encryption response. Everything that is sent from then on is encrypted.
    secret: Option<[u8; SECRET_LENGTH]>,
}

impl<'a, H: OnVerified> Conversation<'a, H> {
    pub(crate) fn new(stream: TcpStream, ip: IpAddr, shared: &'a Shared<H>) -> Self {
        Self { stream, frames: FrameBuffer::new(MAX_MESSAGE), ip, shared, secret: None }
    }

    pub(crate) async fn run(&mut self) -> Result<(), Failure> {
        let handshake = decode_handshake(&self.next_message().await?)?;
        match handshake.intent {
            Intent::Status => self.answer_status(handshake.protocol).await,
            Intent::Login => self.log_in(handshake.protocol).await,
        }
    }

    async fn answer_status(&mut self, protocol: Protocol) -> Result<(), Failure> {
        for _ in 0..STATUS_REQUESTS {
            let message = match self.next_message().await {
                // Not every client pings after the status.
                Err(Failure::Closed) => return Ok(()),
                message => message?,
            };
            let answer = match decode_status_request(&message)? {
                StatusRequest::Status => encode_status(protocol, &self.shared.motd),
                StatusRequest::Ping(payload) => encode_pong(payload),
            };
            self.stream.write_all(&answer).await?;
        }
        self.close().await
    }

    /// Verifies the account and tells the client the result.
    async fn log_in(&mut self, protocol: Protocol) -> Result<(), Failure> {
        let outcome = self.verify(protocol).await;
        let text = match &outcome {
            Ok(text) => text.clone(),
            Err(Failure::Closed) => return Err(Failure::Closed),
            Err(failure) => format!("Could not verify your account: {failure}."),
        };
        let mut packet = encode_disconnect(&text);
        if let Some(secret) = &self.secret {
            encrypt(secret, &mut packet);
        }
        let sent = self.stream.write_all(&packet).await;
        let closed = self.close().await;
        // The first failure is the one to report.
        outcome?;
        sent?;
        closed
    }

    /// The text of the callback.
    async fn verify(&mut self, protocol: Protocol) -> Result<String, Failure> {
        let login = decode_login_start(&self.next_message().await?, protocol)?;
        if !self.shared.usage.admit_login(self.ip, Instant::now()) {
            return Err(Failure::TooManyLogins);
        }
        let token: [u8; TOKEN_LENGTH] = rand::random();
        let request = encode_encryption_request(protocol, self.shared.key.public_key(), &token);
        self.stream.write_all(&request).await?;
        let message = self.next_message().await?;
        let opened = self.open_response(message, protocol, token, login.signing_key).await?;
        self.secret = Some(opened.secret);
        if !opened.has_token {
            return Err(Failure::WrongToken);
        }
        let hash = server_hash(&opened.secret, self.shared.key.public_key());
        let profile = self.shared.session_server.has_joined(&login.name, &hash).await;
        let profile = profile.map_err(Failure::SessionServer)?.ok_or(Failure::NotJoined)?;
        self.shared.handler.on_verified(profile.uuid, profile.name, self.ip).await.map_err(Failure::Refused)
    }

    /// Decrypts the encryption response on a thread for long work, because RSA takes milliseconds.
    async fn open_response(
        &self,
        message: Vec<u8>,
        protocol: Protocol,
        token: [u8; TOKEN_LENGTH],
        signing_key: Option<Vec<u8>>,
    ) -> Result<Opened, Failure> {
        let _permit = self.shared.decryptions.acquire().await.map_err(|_| Failure::Closed)?;
        let key = self.shared.key.clone();
        let opened = tokio::task::spawn_blocking(move || {
            let response = decode_encryption_response(&message, protocol)?;
            Ok(open_response(&response, &key, &token, signing_key.as_deref()))
        });
        // The work is not cancelled and does not panic: only a runtime that ends drops it.
        opened.await.unwrap_or(Err(Failure::Closed))
    }

    async fn next_message(&mut self) -> Result<Vec<u8>, Failure> {
        loop {
            if let Some(message) = self.frames.next_message()? {
                return Ok(message.to_vec());
            }
            if self.stream.read_buf(self.frames.spare(READ_SIZE)).await? == 0 {
                return Err(Failure::Closed);
            }
        }
    }

    /// Ends the connection so that the last packet arrives: closing with unread bytes would reset it.
    async fn close(&mut self) -> Result<(), Failure> {
        self.stream.shutdown().await?;
        let mut ignored = [0; READ_SIZE];
        let _ =
            timeout(CLOSE_WAIT, async { while self.stream.read(&mut ignored).await.is_ok_and(|count| count > 0) {} })
                .await;
        Ok(())
    }
}
