//! One HTTP request to a service that the operator configured, or to addresses that passed the SSRF guard, under a deadline and a
//! size limit. Redirects are not followed.

mod unverified;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::request::Builder;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use rollcall_minecraft::{Host, PingClient};

const HTTP: u16 = 80;
const HTTPS: u16 = 443;

/// Limits of one request.
#[derive(Clone, Copy, Debug)]
pub struct FetchLimits {
    /// From the DNS lookup to the last byte.
    pub deadline: Duration,
    /// Of the response body.
    pub max_bytes: usize,
}

/// Handling of a larger response body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Oversized {
    Refuse,
    Cut,
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

/// Certificates that are accepted over HTTPS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Those that browsers trust.
    PublicRoots,
    /// Everyone's: for a service on this machine, to which nothing secret is sent.
    Anyone,
}

/// A GET request for plain text.
pub async fn get_text(url: &Uri, trust: Trust, limits: FetchLimits) -> Result<HttpResponse, String> {
    let request = request(Method::GET, url, "text/plain").body(Body::empty()).map_err(message)?;
    let host = (host_name(url).ok_or("the URL has no host")?, port(url));
    let connector = match trust {
        Trust::PublicRoots => connector(public_roots())?,
        Trust::Anyone => unverified::connector()?,
    };
    within(limits, connect_and_send(connector, url, host, request, limits, Oversized::Refuse)).await
}

/// A GET request for JSON.
pub async fn get(url: &Uri, limits: FetchLimits) -> Result<HttpResponse, String> {
    let request = request(Method::GET, url, "application/json").body(Body::empty()).map_err(message)?;
    send(public_roots(), url, request, limits).await
}

/// A POST request with JSON, for JSON.
pub async fn post_json(url: &Uri, json: String, limits: FetchLimits) -> Result<HttpResponse, String> {
    let request = request(Method::POST, url, "application/json")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(json))
        .map_err(message)?;
    send(public_roots(), url, request, limits).await
}

/// A GET request for a PNG. With `addresses` it connects to those only, and does not look up the host of the URL.
pub async fn get_png(url: &Uri, addresses: Option<&[SocketAddr]>, limits: FetchLimits) -> Result<HttpResponse, String> {
    let request = request(Method::GET, url, "image/png").body(Body::empty()).map_err(message)?;
    match addresses {
        Some(addresses) => {
            let connector = connector(public_roots())?;
            within(limits, connect_and_send(connector, url, addresses, request, limits, Oversized::Refuse)).await
        }
        None => send(public_roots(), url, request, limits).await,
    }
}

/// A POST request with JSON and further headers to these addresses. Only the start of a long response is read.
pub async fn post_json_to(
    url: &Uri,
    addresses: &[SocketAddr],
    headers: &[(&str, &str)],
    json: String,
    limits: FetchLimits,
) -> Result<HttpResponse, String> {
    let mut request =
        request(Method::POST, url, "*/*").header(header::CONTENT_TYPE, "application/json").body(Body::from(json));
    if let Ok(request) = &mut request {
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(message)?;
            request.headers_mut().insert(name, HeaderValue::from_str(value).map_err(message)?);
        }
    }
    let exchange =
        connect_and_send(connector(public_roots())?, url, addresses, request.map_err(message)?, limits, Oversized::Cut);
    within(limits, exchange).await
}

/// The addresses of the host of a URL that pass the SSRF guard, with the port of the URL; never empty. Connect to these.
pub async fn public_addresses(pinger: &PingClient, url: &Uri) -> Result<Vec<SocketAddr>, String> {
    let found = match url.host().unwrap_or_default().parse()? {
        Host::Address(address) => vec![address],
        Host::Name(name) => pinger.resolver.addresses(&name).await,
    };
    let checked = found.into_iter().filter_map(|address| pinger.guard.check_address(address).ok());
    let addresses: Vec<_> = checked.map(|address| SocketAddr::new(address, port(url))).collect();
    // The same words for both: they must not tell which names our own network knows.
    if addresses.is_empty() { Err("the host is not known or has no public address".into()) } else { Ok(addresses) }
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
    limits: FetchLimits,
) -> Result<HttpResponse, String> {
    let host = (host_name(url).ok_or("the URL has no host")?, port(url));
    within(limits, connect_and_send(connector(roots)?, url, host, request, limits, Oversized::Refuse)).await
}

async fn within(
    limits: FetchLimits,
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
    limits: FetchLimits,
    oversized: Oversized,
) -> Result<HttpResponse, String> {
    let stream = TcpStream::connect(addresses).await.map_err(message)?;
    if is_secure(url) {
        let name = host_name(url).ok_or("the URL has no host")?;
        let name = ServerName::try_from(name.to_owned()).map_err(message)?;
        exchange(connector.connect(name, stream).await.map_err(message)?, request, limits.max_bytes, oversized).await
    } else {
        exchange(stream, request, limits.max_bytes, oversized).await
    }
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Body>,
    max_bytes: usize,
    oversized: Oversized,
) -> Result<HttpResponse, String> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(message)?;
    // Ends with the response, or when the deadline drops the sender.
    let driver = tokio::spawn(connection);
    let outcome = async {
        let response = sender.send_request(request).await.map_err(message)?;
        let (parts, body) = response.into_parts();
        let body = match oversized {
            Oversized::Refuse => to_bytes(Body::new(body), max_bytes).await.map_err(message)?,
            Oversized::Cut => first_bytes(Body::new(body), max_bytes).await,
        };
        Ok(HttpResponse { status: parts.status, headers: parts.headers, body })
    }
    .await;
    driver.abort();
    outcome
}

/// The start of a body. What was received stays if the rest does not come.
async fn first_bytes(body: Body, max_bytes: usize) -> Bytes {
    let (mut body, mut bytes) = (body.into_data_stream(), BytesMut::new());
    while let Some(Ok(data)) = body.next().await {
        let room = max_bytes - bytes.len();
        bytes.extend_from_slice(&data[..data.len().min(room)]);
        if bytes.len() == max_bytes {
            break;
        }
    }
    bytes.freeze()
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
