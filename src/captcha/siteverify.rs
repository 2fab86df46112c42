//! The `siteverify` call to a CAPTCHA provider: one form POST with a JSON response, under a deadline and a size limit.

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

/// For the whole call, from the DNS lookup to the last byte.
const DEADLINE: Duration = Duration::from_secs(5);
/// Many times the size of any provider's response.
const MAX_RESPONSE_BYTES: usize = 16 * 1024;
const HTTP: u16 = 80;
const HTTPS: u16 = 443;

/// The response, or an error message for the log.
pub async fn post(url: &Uri, fields: &[(&str, &str)]) -> Result<Value, String> {
    post_trusting(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }, url, fields).await
}

/// The same with other root certificates.
async fn post_trusting(roots: RootCertStore, url: &Uri, fields: &[(&str, &str)]) -> Result<Value, String> {
    let response = tokio::time::timeout(DEADLINE, connect_and_send(roots, url, fields)).await;
    response.unwrap_or_else(|_| Err(format!("no response within {} seconds", DEADLINE.as_secs())))
}

async fn connect_and_send(roots: RootCertStore, url: &Uri, fields: &[(&str, &str)]) -> Result<Value, String> {
    let host = url.host().ok_or("the URL has no host")?;
    let secure = url.scheme_str() == Some("https");
    let port = url.port_u16().unwrap_or(if secure { HTTPS } else { HTTP });
    let host_name = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((host_name, port)).await.map_err(message)?;
    let request = request(url, fields)?;
    if secure {
        let name = ServerName::try_from(host_name.to_owned()).map_err(message)?;
        send(connector(roots)?.connect(name, stream).await.map_err(message)?, request).await
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
        .map_err(message)
}

async fn send(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Body>,
) -> Result<Value, String> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(message)?;
    // Ends with the response, or when the deadline drops the sender.
    let driver = tokio::spawn(connection);
    let outcome = async {
        let response = sender.send_request(request).await.map_err(message)?;
        let status = response.status();
        let body = to_bytes(Body::new(response.into_body()), MAX_RESPONSE_BYTES).await.map_err(message)?;
        serde_json::from_slice(&body).map_err(|_| format!("the response ({status}) is not JSON"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;

    /// A service at `https://localhost` that answers `true`, and its root certificate.
    async fn service() -> (Uri, RootCertStore) {
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
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue").await;
                let _ = stream.shutdown().await;
            }
        });
        let mut roots = RootCertStore::empty();
        roots.add(pair.cert.der().clone()).unwrap();
        (format!("https://localhost:{port}/verify").parse().unwrap(), roots)
    }

    #[tokio::test]
    async fn certificates_must_be_trusted_and_match_the_host_name() {
        let (url, roots) = service().await;
        assert_eq!(post_trusting(roots.clone(), &url, &[("a", "b")]).await, Ok(Value::Bool(true)));
        assert!(post(&url, &[]).await.unwrap_err().contains("certificate"));
        let other: Uri = url.to_string().replace("localhost", "127.0.0.1").parse().unwrap();
        assert!(post_trusting(roots, &other, &[]).await.unwrap_err().contains("certificate"));
    }
}
