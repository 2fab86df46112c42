//! TLS.

use std::path::Path;
use std::sync::Arc;

use rcgen::{CertifiedKey, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};

use super::{LARGE, LONG_TIMEOUT, MAX_WAIT, READ_TIMEOUT, SERVE, SHORT_TIMEOUT, TestServer, until_closed};
use crate::cli::complaint;
use crate::harness::fetch;
use crate::harness::{Engine, Store};

const CERTIFICATE: (&str, &str) = ("ROLLCALL_TLS_CERTIFICATE", "certificate.pem");
const KEY: (&str, &str) = ("ROLLCALL_TLS_KEY", "key.pem");

/// A self-signed certificate and its key.
pub struct Certificate(CertifiedKey<KeyPair>);

impl Certificate {
    pub fn new() -> Self {
        Self(rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate"))
    }

    fn write(&self, folder: &Path) {
        std::fs::write(folder.join(CERTIFICATE.1), self.0.cert.pem()).unwrap();
        std::fs::write(folder.join(KEY.1), self.0.signing_key.serialize_pem()).unwrap();
    }

    /// A TLS connection. Fails if the server has another certificate.
    async fn connect(&self, server: &TestServer) -> std::io::Result<TlsStream<TcpStream>> {
        self.connect_by(server, &TLS13, &[b"http/1.1"]).await
    }

    pub async fn connect_by(
        &self,
        server: &TestServer,
        version: &'static SupportedProtocolVersion,
        protocols: &[&[u8]],
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.cert.der().clone()).unwrap();
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let stream = TcpStream::connect(server.program.address()).await.expect("the server listens");
        TlsConnector::from(Arc::new(config)).connect("localhost".try_into().unwrap(), stream).await
    }
}

/// A server with this certificate.
pub fn start(certificate: &Certificate, settings: &[(&str, &str)]) -> TestServer {
    start_over(Store::new(Engine::Sqlite), certificate, settings)
}

pub fn start_over(store: Store, certificate: &Certificate, settings: &[(&str, &str)]) -> TestServer {
    certificate.write(store.path());
    TestServer::over(store, &[&[CERTIFICATE, KEY], settings].concat())
}

/// The response to `GET /healthz`; the connection stays open.
async fn healthz(stream: &mut TlsStream<TcpStream>) -> String {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("the server reads");
    let mut response = Vec::new();
    while !response.ends_with(b"\r\n\r\nok\n") {
        let read = tokio::time::timeout(MAX_WAIT, stream.read_buf(&mut response)).await.expect("a response").unwrap();
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&response));
    }
    String::from_utf8(response).expect("plain text")
}

#[tokio::test]
async fn responds_over_tls_1_2_and_1_3() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[]);
    assert!(server.program.url.starts_with("https://"), "{}", server.program.url);
    for (version, protocols) in [(&TLS12, &[&b"http/1.1"[..]][..]), (&TLS13, &[b"http/1.1"]), (&TLS13, &[])] {
        let mut stream = certificate.connect_by(&server, version, protocols).await.expect("a handshake");
        assert_eq!(stream.get_ref().1.alpn_protocol(), protocols.first().copied());
        let head = healthz(&mut stream).await;
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains("strict-transport-security: max-age=31536000\r\n"), "{head}");
    }
    let mut stream = certificate.connect(&server).await.unwrap();
    stream.write_all(b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    let (_, body) = response.split_once("\r\n\r\n").unwrap();
    let document: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(document["servers"][0]["url"], format!("{}/v1", server.program.url));
}

#[test]
fn plain_http_is_closed_at_once() {
    let server = start(&Certificate::new(), &[LONG_TIMEOUT]);
    let response = until_closed(&mut server.send(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    assert!(!response.contains("HTTP"), "{response}");
}

#[test]
fn an_incomplete_handshake_is_closed() {
    let server = start(&Certificate::new(), &[SHORT_TIMEOUT]);
    // Nothing, and the start of a ClientHello.
    for beginning in [&b""[..], b"\x16\x03\x01\x02\x00\x01"] {
        until_closed(&mut server.send(beginning));
    }
}

#[tokio::test]
async fn an_idle_tls_connection_is_closed() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[SHORT_TIMEOUT]);
    let mut stream = certificate.connect(&server).await.unwrap();
    healthz(&mut stream).await;
    let end = tokio::time::timeout(MAX_WAIT, stream.read(&mut [0; 1])).await.expect("the server closes the connection");
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
}

#[tokio::test]
async fn a_tls_client_that_never_reads_is_disconnected() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[SHORT_TIMEOUT]);
    let mut stream = certificate.connect(&server).await.unwrap();
    stream.write_all(&LARGE.repeat(2000)).await.expect("the server reads");
    let disconnected = async {
        while stream.write_all(b"G").await.is_ok() && stream.flush().await.is_ok() {
            tokio::time::sleep(READ_TIMEOUT).await;
        }
    };
    tokio::time::timeout(MAX_WAIT, disconnected).await.expect("the server closes the connection");
}

#[test]
fn too_many_tls_connections_are_closed_without_a_response() {
    let server = start(&Certificate::new(), &[LONG_TIMEOUT, ("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", "1")]);
    let first = server.connect();
    assert_eq!(until_closed(&mut server.connect()), "");
    drop(first);
}

#[tokio::test]
async fn sighup_reloads_the_certificate_and_keeps_connections() {
    let (old, new) = (Certificate::new(), Certificate::new());
    let server = start(&old, &[LONG_TIMEOUT]);
    let mut open = old.connect(&server).await.unwrap();
    healthz(&mut open).await;
    new.write(server.store.path());
    server.program.signal("HUP");
    server.program.until_logged("reloaded the TLS certificate");
    healthz(&mut new.connect(&server).await.expect("the new certificate")).await;
    assert!(old.connect(&server).await.is_err());
    healthz(&mut open).await;
}

#[tokio::test]
async fn an_invalid_certificate_is_not_loaded() {
    let (old, other) = (Certificate::new(), Certificate::new());
    let server = start(&old, &[]);
    std::fs::write(server.store.path().join(KEY.1), other.0.signing_key.serialize_pem()).unwrap();
    server.program.signal("HUP");
    server.program.until_logged("key.pem is not its private key; keeping the previous certificate");
    healthz(&mut old.connect(&server).await.expect("the old certificate")).await;
    // A valid one is loaded after that.
    other.write(server.store.path());
    server.program.signal("HUP");
    server.program.until_logged("reloaded the TLS certificate");
    healthz(&mut other.connect(&server).await.expect("the new certificate")).await;
}

#[test]
fn an_invalid_certificate_or_key_is_one_sentence() {
    let store = Store::new(Engine::Sqlite);
    let run = |settings: &[(&str, &str)]| store.command(&SERVE).envs(settings.iter().copied()).output().unwrap();
    let half = "tls.certificate and tls.key belong together: set both, or neither for plain HTTP";
    for setting in [CERTIFICATE, KEY] {
        assert_eq!(complaint(&run(&[setting]), 2), format!("environment variable {}: {half}", setting.0));
    }
    let both = [CERTIFICATE, KEY];
    let nothing = "No such file or directory (os error 2)";
    assert_eq!(complaint(&run(&both), 1), format!("cannot use the certificate certificate.pem: {nothing}"));
    let (certificate, other) = (Certificate::new(), Certificate::new());
    let write = |file: (&str, &str), text: &str| std::fs::write(store.path().join(file.1), text).unwrap();
    write(CERTIFICATE, &certificate.0.cert.pem());
    assert_eq!(complaint(&run(&both), 1), format!("cannot use the key key.pem: {nothing}"));
    write(KEY, "no key");
    assert_eq!(complaint(&run(&both), 1), "cannot use the key key.pem: it contains no key");
    write(KEY, &other.0.signing_key.serialize_pem());
    assert_eq!(complaint(&run(&both), 1), "cannot use the certificate certificate.pem: key.pem is not its private key");
    for text in ["no certificate", &certificate.0.signing_key.serialize_pem()] {
        write(CERTIFICATE, text);
        let message = "cannot use the certificate certificate.pem: it contains no certificate";
        assert_eq!(complaint(&run(&both), 1), message);
    }
    for text in ["-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nAAAA"] {
        write(CERTIFICATE, text);
        let output = run(&both);
        let message = complaint(&output, 1);
        assert!(message.starts_with("cannot use the certificate certificate.pem: "), "{message}");
    }
}

#[tokio::test]
async fn metrics_are_served_without_tls() {
    let server = start(&Certificate::new(), &[("ROLLCALL_METRICS_LISTEN", "127.0.0.1:0")]);
    assert_eq!(fetch(&server.program.metrics(), &[]).await.status, 200);
}

#[tokio::test]
async fn open_tls_connections_do_not_delay_a_shutdown() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[LONG_TIMEOUT]);
    let mut open = certificate.connect(&server).await.unwrap();
    healthz(&mut open).await;
    let silent = server.connect();
    let (status, took) = server.program.stop("TERM");
    assert!(status.success() && took < MAX_WAIT, "{status} after {took:?}");
    drop((open, silent));
}
