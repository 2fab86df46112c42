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

/// The session server that verifies accounts.
#[derive(Clone)]
pub struct SessionServer {
    secure: bool,
    authority: String,
    host: String,
    port: u16,
    /// The URL before `/session/minecraft/hasJoined`, without a slash at the end.
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

/// 200 with a profile, or 204 for an account that has not joined. Drasl answers 403 without a body instead of 204; one with a
/// body is the refusal of a proxy.
fn decode_answer(status: StatusCode, body: &[u8], name: &str) -> Result<Option<Profile>, String> {
    match status {
        StatusCode::NO_CONTENT => return Ok(None),
        StatusCode::OK | StatusCode::FORBIDDEN if body.is_empty() => return Ok(None),
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;

    const ID: &str = "069a79f444e94726a5befca90e38aaf5";

    #[test]
    fn addresses_of_known_servers_are_accepted() {
        for (url, secure, host, port, path) in [
            ("https://sessionserver.mojang.com", true, "sessionserver.mojang.com", 443, ""),
            ("https://drasl.example.org/session", true, "drasl.example.org", 443, "/session"),
            (
                "https://skin.example.org/api/yggdrasil/sessionserver/",
                true,
                "skin.example.org",
                443,
                "/api/yggdrasil/sessionserver",
            ),
            ("http://127.0.0.1:25585/session", false, "127.0.0.1", 25_585, "/session"),
            ("http://[::1]", false, "::1", 80, ""),
        ] {
            let server = SessionServer::new(url).unwrap();
            let found = (server.secure, server.host.as_str(), server.port, server.path.as_str());
            assert_eq!(found, (secure, host, port, path));
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for url in ["", "sessionserver.mojang.com", "/session", "ftp://example.org", "https://", "https://a b"] {
            assert_eq!(SessionServer::new(url).err(), Some(InvalidSessionServer::NotHttp), "{url:?}");
        }
        for url in ["https://me:pass@example.org", "https://example.org/?a=b", "https://example.org/#a"] {
            assert_eq!(SessionServer::new(url).err(), Some(InvalidSessionServer::NotPlain), "{url:?}");
        }
    }

    #[test]
    fn answers_are_profiles_or_nothing() {
        let decode =
            |status: u16, body: &str| decode_answer(StatusCode::from_u16(status).unwrap(), body.as_bytes(), "notch");
        let profile = Profile { uuid: Uuid::try_parse(ID).unwrap(), name: "Notch".into() };
        let json = |id: &str, name: &str| serde_json::json!({"id": id, "name": name, "properties": []}).to_string();
        assert_eq!(decode(200, &json(ID, "Notch")), Ok(Some(profile.clone())));
        assert_eq!(decode(200, &json("069a79f4-44e9-4726-a5be-fca90e38aaf5", "Notch")), Ok(Some(profile)));
        for (status, body) in [(204, ""), (200, ""), (403, "")] {
            assert_eq!(decode(status, body), Ok(None));
        }
        for (status, body) in [
            (200, json(ID, "Notch2")),
            (200, json("", "Notch")),
            (200, "null".into()),
            (200, "{\"id\":1}".into()),
            (302, json(ID, "Notch")),
            (403, "<h1>Forbidden</h1>".into()),
            (429, String::new()),
            (500, json(ID, "Notch")),
        ] {
            assert!(decode(status, &body).is_err(), "{status} {body}");
        }
    }

    /// A session server at `https://localhost` that knows everyone as Notch, and its root certificate.
    async fn secure_server() -> (u16, RootCertStore) {
        let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = pair.signing_key.serialize_der().try_into().unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![pair.cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let acceptor = TlsAcceptor::from(Arc::new(config));
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let _ = stream.read(&mut [0; 4096]).await;
                let body = format!("{{\"id\":\"{ID}\",\"name\":\"Notch\"}}");
                let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        let mut roots = RootCertStore::empty();
        roots.add(pair.cert.der().clone()).unwrap();
        (port, roots)
    }

    #[tokio::test]
    async fn certificates_must_be_trusted_and_match_the_host_name() {
        let (port, roots) = secure_server().await;
        let url = format!("https://localhost:{port}");
        let trusting = SessionServer::trusting(roots.clone(), &url).unwrap();
        assert_eq!(trusting.has_joined("Notch", "-1").await.unwrap().unwrap().name, "Notch");
        let public_roots = SessionServer::new(&url).unwrap();
        assert!(public_roots.has_joined("Notch", "-1").await.unwrap_err().contains("certificate"));
        let other = SessionServer::trusting(roots, &url.replace("localhost", "127.0.0.1")).unwrap();
        assert!(other.has_joined("Notch", "-1").await.unwrap_err().contains("certificate"));
    }
}
