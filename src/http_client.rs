//! One HTTP request to a service that the operator configured, or to addresses that the caller has checked, under a deadline and a
//! size limit. Redirects are not followed.

mod unverified;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::request::Builder;
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri, header};
use bytes::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

const HTTP: u16 = 80;
const HTTPS: u16 = 443;

/// What one request may cost.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// From the DNS lookup to the last byte.
    pub deadline: Duration,
    /// Of the response body.
    pub max_bytes: usize,
}

/// A response, whatever its status.
#[derive(Debug)]
pub struct HttpResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// The certificates that browsers trust.
pub fn public_roots() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

/// Whose certificates are accepted over HTTPS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Those that browsers trust.
    PublicRoots,
    /// Everyone's: for a service on this machine, to which nothing secret is sent.
    Anyone,
}

/// A GET request for plain text.
pub async fn get_text(url: &Uri, trust: Trust, limits: RequestLimits) -> Result<HttpResponse, String> {
    let request = request(Method::GET, url, "text/plain").body(Body::empty()).map_err(message)?;
    let host = (host_name(url).ok_or("the URL has no host")?, port(url));
    let connector = match trust {
        Trust::PublicRoots => connector(public_roots())?,
        Trust::Anyone => unverified::connector()?,
    };
    within(limits, connect_and_send(connector, url, host, request, limits)).await
}

/// A GET request for JSON.
pub async fn get(url: &Uri, limits: RequestLimits) -> Result<HttpResponse, String> {
    let request = request(Method::GET, url, "application/json").body(Body::empty()).map_err(message)?;
    send(public_roots(), url, request, limits).await
}

/// A POST request with JSON, for JSON.
pub async fn post_json(url: &Uri, json: String, limits: RequestLimits) -> Result<HttpResponse, String> {
    let request = request(Method::POST, url, "application/json")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(json))
        .map_err(message)?;
    send(public_roots(), url, request, limits).await
}

/// A GET request for a PNG. With `addresses` it connects to those only, and does not look up the host of the URL.
pub async fn get_png(
    url: &Uri,
    addresses: Option<&[SocketAddr]>,
    limits: RequestLimits,
) -> Result<HttpResponse, String> {
    let request = request(Method::GET, url, "image/png").body(Body::empty()).map_err(message)?;
    match addresses {
        Some(addresses) => {
            within(limits, connect_and_send(connector(public_roots())?, url, addresses, request, limits)).await
        }
        None => send(public_roots(), url, request, limits).await,
    }
}

fn request(method: Method, url: &Uri, accept: &str) -> Builder {
    Request::builder()
        .method(method)
        .uri(target(url))
        .header(header::HOST, authority(url))
        .header(header::ACCEPT, accept)
        .header(header::USER_AGENT, concat!("Rollcall/", env!("CARGO_PKG_VERSION")))
}

/// Sends a request to the host of a URL. An error is a message for the log.
pub async fn send(
    roots: RootCertStore,
    url: &Uri,
    request: Request<Body>,
    limits: RequestLimits,
) -> Result<HttpResponse, String> {
    let host = (host_name(url).ok_or("the URL has no host")?, port(url));
    within(limits, connect_and_send(connector(roots)?, url, host, request, limits)).await
}

async fn within(
    limits: RequestLimits,
    exchange: impl Future<Output = Result<HttpResponse, String>>,
) -> Result<HttpResponse, String> {
    let response = tokio::time::timeout(limits.deadline, exchange).await;
    response.unwrap_or_else(|_| Err(format!("no response within {} seconds", limits.deadline.as_secs())))
}

/// Path and query.
pub fn target(url: &Uri) -> &str {
    url.path_and_query().map_or("/", |target| target.as_str())
}

/// Host and port, as the `Host` header has them.
pub fn authority(url: &Uri) -> &str {
    url.authority().map_or("", |authority| authority.as_str())
}

/// Without the brackets of an IPv6 address.
fn host_name(url: &Uri) -> Option<&str> {
    url.host().map(|host| host.trim_start_matches('[').trim_end_matches(']'))
}

fn is_secure(url: &Uri) -> bool {
    url.scheme_str() == Some("https")
}

pub fn port(url: &Uri) -> u16 {
    url.port_u16().unwrap_or(if is_secure(url) { HTTPS } else { HTTP })
}

async fn connect_and_send(
    connector: TlsConnector,
    url: &Uri,
    addresses: impl ToSocketAddrs,
    request: Request<Body>,
    limits: RequestLimits,
) -> Result<HttpResponse, String> {
    let stream = TcpStream::connect(addresses).await.map_err(message)?;
    if is_secure(url) {
        let name = host_name(url).ok_or("the URL has no host")?;
        let name = ServerName::try_from(name.to_owned()).map_err(message)?;
        exchange(connector.connect(name, stream).await.map_err(message)?, request, limits.max_bytes).await
    } else {
        exchange(stream, request, limits.max_bytes).await
    }
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Body>,
    max_bytes: usize,
) -> Result<HttpResponse, String> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(message)?;
    // Ends with the response, or when the deadline drops the sender.
    let driver = tokio::spawn(connection);
    let outcome = async {
        let response = sender.send_request(request).await.map_err(message)?;
        let (parts, body) = response.into_parts();
        let body = to_bytes(Body::new(body), max_bytes).await.map_err(message)?;
        Ok(HttpResponse { status: parts.status, headers: parts.headers, body })
    }
    .await;
    driver.abort();
    outcome
}

fn connector(roots: RootCertStore) -> Result<TlsConnector, String> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(message)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}
