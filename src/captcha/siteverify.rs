//! The `siteverify` call to a CAPTCHA provider: one form POST with a JSON response, under a deadline and a size limit.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Uri, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use tokio_rustls::rustls::RootCertStore;

use crate::http_client::{self, FetchLimits};

/// The deadline, and many times the size of any provider's response.
const LIMITS: FetchLimits = FetchLimits { deadline: Duration::from_secs(5), max_bytes: 16 * 1024 };

/// The response, or an error message for the log.
pub async fn post(url: &Uri, fields: &[(&str, &str)]) -> Result<Value, String> {
    post_trusting(http_client::public_roots(), url, fields).await
}

/// The same with other root certificates.
async fn post_trusting(roots: RootCertStore, url: &Uri, fields: &[(&str, &str)]) -> Result<Value, String> {
    let response = http_client::send(roots, url, request(url, fields)?, LIMITS).await?;
    serde_json::from_slice(&response.body).map_err(|_| format!("the response ({}) is not JSON", response.status))
}

fn request(url: &Uri, fields: &[(&str, &str)]) -> Result<Request<Body>, String> {
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let form: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    Request::post(http_client::target(url))
        .header(header::HOST, http_client::authority(url))
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT, "application/json")
        .body(Body::from(form.join("&")))
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring;

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
