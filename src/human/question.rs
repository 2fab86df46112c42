//! One question to a service of others: a form sent by POST, an answer in JSON, all of it within bounds.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Uri, header};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// For everything, from the name's lookup to the last byte.
const DEADLINE: Duration = Duration::from_secs(5);
/// Many times what any of them answers.
const LONGEST: usize = 16 * 1024;
const HTTP: u16 = 80;
const HTTPS: u16 = 443;

/// The answer, or what was wrong, for the log.
pub async fn ask(url: &Uri, fields: &[(&str, &str)]) -> Result<Value, String> {
    let answer = tokio::time::timeout(DEADLINE, converse(url, fields)).await;
    answer.unwrap_or_else(|_| Err(format!("no answer within {} seconds", DEADLINE.as_secs())))
}

async fn converse(url: &Uri, fields: &[(&str, &str)]) -> Result<Value, String> {
    let host = url.host().ok_or("the address names no host")?;
    let secure = url.scheme_str() == Some("https");
    let port = url.port_u16().unwrap_or(if secure { HTTPS } else { HTTP });
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((bare, port)).await.map_err(told)?;
    let request = request(url, fields)?;
    if secure {
        let name = ServerName::try_from(bare.to_owned()).map_err(told)?;
        send(connector()?.connect(name, stream).await.map_err(told)?, request).await
    } else {
        send(stream, request).await
    }
}

fn request(url: &Uri, fields: &[(&str, &str)]) -> Result<Request<Body>, String> {
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let form: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    let target = url.path_and_query().map_or("/", |target| target.as_str());
    let host = url.authority().map_or("", |authority| authority.as_str());
    Request::post(target)
        .header(header::HOST, host)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT, "application/json")
        .body(Body::from(form.join("&")))
        .map_err(told)
}

async fn send(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Body>,
) -> Result<Value, String> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(told)?;
    // Ends with the answer, or when the sender is gone with the deadline.
    let driver = tokio::spawn(connection);
    let outcome = async {
        let response = sender.send_request(request).await.map_err(told)?;
        let status = response.status();
        let body = to_bytes(Body::new(response.into_body()), LONGEST).await.map_err(told)?;
        serde_json::from_slice(&body).map_err(|_| format!("an answer ({status}) that is no JSON"))
    }
    .await;
    driver.abort();
    outcome
}

fn connector() -> Result<TlsConnector, String> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(told)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
