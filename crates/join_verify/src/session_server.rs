//! Asks the session server whether an account has joined: one GET under a deadline and a size limit, redirects not followed.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use uuid::Uuid;

use super::login::is_valid_name;

/// For the whole call, from the DNS lookup to the last byte.
const DEADLINE: Duration = Duration::from_secs(5);
/// Several times the size of a profile with its signed textures.
const MAX_ANSWER_BYTES: usize = 16 * 1024;
const HAS_JOINED: &str = "/session/minecraft/hasJoined";
const HTTP: u16 = 80;
const HTTPS: u16 = 443;

/// Where accounts are checked.
#[derive(Clone)]
pub struct SessionServer {
    secure: bool,
    authority: String,
    host: String,
    port: u16,
    /// What stands before `/session/minecraft/hasJoined`, without a slash at the end.
    path: String,
    connector: TlsConnector,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSessionServer {
    #[error("the address of the session server is not a URL that begins with https:// or http://")]
    NotHttp,
    #[error("the address of the session server must not have a user, a query or a fragment")]
    NotPlain,
    #[error("TLS cannot be set up")]
    Tls,
}

/// An account, as the session server knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub uuid: Uuid,
    pub name: String,
}

impl SessionServer {
    /// `auth_url` is what stands before `/session/minecraft/hasJoined`: `https://sessionserver.mojang.com`,
    /// `https://drasl.example.org/session`, or the API root of an authlib-injector server with `/sessionserver`.
    pub fn new(auth_url: &str) -> Result<Self, InvalidSessionServer> {
        Self::trusting(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }, auth_url)
    }

    /// The same with other root certificates.
    pub fn trusting(roots: RootCertStore, auth_url: &str) -> Result<Self, InvalidSessionServer> {
        // A URI drops fragments without a word.
        if auth_url.contains('#') {
            return Err(InvalidSessionServer::NotPlain);
        }
        let url: Uri = auth_url.parse().map_err(|_| InvalidSessionServer::NotHttp)?;
        let secure = match url.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(InvalidSessionServer::NotHttp),
        };
        let authority = url.authority().ok_or(InvalidSessionServer::NotHttp)?;
        if url.query().is_some() || authority.as_str().contains('@') {
            return Err(InvalidSessionServer::NotPlain);
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(if secure { HTTPS } else { HTTP });
        let path = url.path().trim_end_matches('/').to_owned();
        let connector = connector(roots).ok_or(InvalidSessionServer::Tls)?;
        Ok(Self { secure, authority: authority.to_string(), host, port, path, connector })
    }

    /// The account of this name, if it has joined the server with this digest. An error is a message for the log.
    pub(crate) async fn has_joined(&self, name: &str, server_hash: &str) -> Result<Option<Profile>, String> {
        let answer = tokio::time::timeout(DEADLINE, self.ask(name, server_hash)).await;
        answer.unwrap_or_else(|_| Err(format!("no answer within {} seconds", DEADLINE.as_secs())))
    }

    async fn ask(&self, name: &str, server_hash: &str) -> Result<Option<Profile>, String> {
        let encode = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
        let request = Request::get(format!(
            "{}{HAS_JOINED}?username={}&serverId={}",
            self.path,
            encode(name),
            encode(server_hash)
        ))
        .header(header::HOST, &self.authority)
        .header(header::ACCEPT, "application/json")
        .body(Empty::new())
        .map_err(message)?;
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(message)?;
        let (status, body) = if self.secure {
            let host = ServerName::try_from(self.host.clone()).map_err(message)?;
            send(self.connector.connect(host, stream).await.map_err(message)?, request).await?
        } else {
            send(stream, request).await?
        };
        decode_answer(status, &body, name)
    }
}

async fn send(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Empty<Bytes>>,
) -> Result<(StatusCode, Bytes), String> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(message)?;
    // Ends with the answer, or when the deadline drops the sender.
    let driver = tokio::spawn(connection);
    let outcome = async {
        let answer = sender.send_request(request).await.map_err(message)?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MAX_ANSWER_BYTES).collect().await.map_err(message)?;
        Ok((status, body.to_bytes()))
    }
    .await;
    driver.abort();
    outcome
}

#[derive(Deserialize)]
struct Answer {
    id: String,
    name: String,
}

/// 200 with a profile, or 204. Some servers answer 200 without a body or 403 instead of 204.
fn decode_answer(status: StatusCode, body: &[u8], name: &str) -> Result<Option<Profile>, String> {
    match status {
        StatusCode::NO_CONTENT | StatusCode::FORBIDDEN => return Ok(None),
        StatusCode::OK if body.is_empty() => return Ok(None),
        StatusCode::OK => {}
        _ => return Err(format!("the answer has status {}", status.as_u16())),
    }
    let answer: Answer = serde_json::from_slice(body).map_err(|_| "the answer is not a profile".to_owned())?;
    let uuid = Uuid::try_parse(&answer.id).map_err(|_| "the id of the profile is not a UUID".to_owned())?;
    // The session server knows the right letter case. Any other difference would be another account.
    if !is_valid_name(&answer.name) || !answer.name.eq_ignore_ascii_case(name) {
        return Err("the profile has another name".to_owned());
    }
    Ok(Some(Profile { uuid, name: answer.name }))
}

fn connector(roots: RootCertStore) -> Option<TlsConnector> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .ok()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Some(TlsConnector::from(Arc::new(config)))
}

fn message(error: impl Display) -> String {
    error.to_string()
}
