//! TLS by the program itself.

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

use super::{Edge, IMPATIENT, LARGE, LOOK, PATIENT, PROMISE, SERVE, until_closed};
use crate::cli::complaint;
use crate::harness::fetch;
use crate::harness::{Engine, Store};

const CERTIFICATE: (&str, &str) = ("ROLLCALL_TLS_CERTIFICATE", "certificate.pem");
const KEY: (&str, &str) = ("ROLLCALL_TLS_KEY", "key.pem");

/// A certificate that this client alone believes.
struct Pair(CertifiedKey<KeyPair>);

impl Pair {
    fn new() -> Self {
        Self(rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate"))
    }

    fn write(&self, folder: &Path) {
        std::fs::write(folder.join(CERTIFICATE.1), self.0.cert.pem()).unwrap();
        std::fs::write(folder.join(KEY.1), self.0.signing_key.serialize_pem()).unwrap();
    }

    /// A secured connection, unless the server shows another certificate.
    async fn connect(&self, edge: &Edge) -> std::io::Result<TlsStream<TcpStream>> {
        self.connect_by(edge, &TLS13).await
    }

    async fn connect_by(
        &self,
        edge: &Edge,
        version: &'static SupportedProtocolVersion,
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.cert.der().clone()).unwrap();
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let stream = TcpStream::connect(edge.program.address()).await.expect("it listens");
        TlsConnector::from(Arc::new(config)).connect("localhost".try_into().unwrap(), stream).await
    }
}

/// A service with this certificate.
fn start(pair: &Pair, settings: &[(&str, &str)]) -> Edge {
    let store = Store::new(Engine::Sqlite);
    pair.write(store.path());
    Edge::over(store, &[&[CERTIFICATE, KEY], settings].concat())
}

/// The head of the answer to `GET /healthz`; the connection stays open.
async fn healthz(stream: &mut TlsStream<TcpStream>) -> String {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.expect("it reads");
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\nok\n") {
        let read = tokio::time::timeout(PROMISE, stream.read_buf(&mut answer)).await.expect("it answers").unwrap();
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&answer));
    }
    String::from_utf8(answer).expect("plain text")
}

#[tokio::test]
async fn it_answers_over_tls() {
    let pair = Pair::new();
    let edge = start(&pair, &[]);
    assert!(edge.program.url.starts_with("https://"), "{}", edge.program.url);
    for version in [&TLS12, &TLS13] {
        let mut stream = pair.connect_by(&edge, version).await.expect("a handshake");
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
        let head = healthz(&mut stream).await;
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains("strict-transport-security: max-age=31536000\r\n"), "{head}");
    }
    let mut stream = pair.connect(&edge).await.unwrap();
    stream.write_all(b"GET /openapi.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let document: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(document["servers"][0]["url"], format!("{}/v1", edge.program.url));
}

#[test]
fn plain_http_is_closed_at_once() {
    let edge = start(&Pair::new(), &[PATIENT]);
    let answer = until_closed(&mut edge.send(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"));
    assert!(!answer.contains("HTTP"), "{answer}");
}

#[test]
fn a_handshake_that_does_not_come_is_closed() {
    let edge = start(&Pair::new(), &[IMPATIENT]);
    // Nothing at all, and the beginning of a greeting that has no end.
    for beginning in [&b""[..], b"\x16\x03\x01\x02\x00\x01"] {
        until_closed(&mut edge.send(beginning));
    }
}

#[tokio::test]
async fn a_secured_connection_that_stays_silent_is_closed() {
    let pair = Pair::new();
    let edge = start(&pair, &[IMPATIENT]);
    let mut stream = pair.connect(&edge).await.unwrap();
    healthz(&mut stream).await;
    let end = tokio::time::timeout(PROMISE, stream.read(&mut [0; 1])).await.expect("it closes");
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
}

#[tokio::test]
async fn who_never_reads_over_tls_is_cut_off() {
    let pair = Pair::new();
    let edge = start(&pair, &[IMPATIENT]);
    let mut stream = pair.connect(&edge).await.unwrap();
    stream.write_all(&LARGE.repeat(2000)).await.expect("it reads");
    let gone = async {
        while stream.write_all(b"G").await.is_ok() && stream.flush().await.is_ok() {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::time::timeout(PROMISE, gone).await.expect("it closes");
}

#[test]
fn too_many_connections_are_closed_without_a_word_that_nobody_could_read() {
    let edge = start(&Pair::new(), &[PATIENT, ("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", "1")]);
    let first = edge.connect();
    assert_eq!(until_closed(&mut edge.connect()), "");
    drop(first);
}

#[tokio::test]
async fn a_hangup_changes_the_certificate_under_open_connections() {
    let (old, new) = (Pair::new(), Pair::new());
    let edge = start(&old, &[PATIENT]);
    let mut open = old.connect(&edge).await.unwrap();
    healthz(&mut open).await;
    new.write(edge.store.path());
    edge.program.signal("HUP");
    edge.program.until_logged("the certificate was read anew");
    healthz(&mut new.connect(&edge).await.expect("the new certificate")).await;
    assert!(old.connect(&edge).await.is_err());
    healthz(&mut open).await;
}

#[tokio::test]
async fn a_bad_pair_leaves_the_one_before() {
    let (old, other) = (Pair::new(), Pair::new());
    let edge = start(&old, &[]);
    std::fs::write(edge.store.path().join(KEY.1), other.0.signing_key.serialize_pem()).unwrap();
    edge.program.signal("HUP");
    edge.program.until_logged("key.pem is not its key; the certificate from before stays");
    healthz(&mut old.connect(&edge).await.expect("the old certificate")).await;
    // And a good one after it is taken.
    other.write(edge.store.path());
    edge.program.signal("HUP");
    edge.program.until_logged("the certificate was read anew");
    healthz(&mut other.connect(&edge).await.expect("the new certificate")).await;
}

#[test]
fn what_is_no_certificate_and_key_is_refused_in_one_sentence() {
    let store = Store::new(Engine::Sqlite);
    let run = |settings: &[(&str, &str)]| store.command(&SERVE).envs(settings.iter().copied()).output().unwrap();
    let half = "tls.certificate and tls.key belong together: give both, or neither for plain HTTP";
    assert_eq!(complaint(&run(&[CERTIFICATE]), 2), half);
    assert_eq!(complaint(&run(&[KEY]), 2), half);
    let both = [CERTIFICATE, KEY];
    let nothing = "No such file or directory (os error 2)";
    assert_eq!(complaint(&run(&both), 1), format!("cannot use the certificate certificate.pem: {nothing}"));
    let (pair, other) = (Pair::new(), Pair::new());
    let write = |file: (&str, &str), text: &str| std::fs::write(store.path().join(file.1), text).unwrap();
    write(CERTIFICATE, &pair.0.cert.pem());
    assert_eq!(complaint(&run(&both), 1), format!("cannot use the key key.pem: {nothing}"));
    write(KEY, "no key");
    assert_eq!(complaint(&run(&both), 1), "cannot use the key key.pem: there is no key in it");
    write(KEY, &other.0.signing_key.serialize_pem());
    assert_eq!(complaint(&run(&both), 1), "cannot use the certificate certificate.pem: key.pem is not its key");
    for text in ["no certificate", &pair.0.signing_key.serialize_pem()] {
        write(CERTIFICATE, text);
        let told = "cannot use the certificate certificate.pem: there is no certificate in it";
        assert_eq!(complaint(&run(&both), 1), told);
    }
    for text in ["-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nAAAA"] {
        write(CERTIFICATE, text);
        let output = run(&both);
        let told = complaint(&output, 1);
        assert!(told.starts_with("cannot use the certificate certificate.pem: "), "{told}");
    }
}

#[tokio::test]
async fn metrics_stay_plain() {
    let edge = start(&Pair::new(), &[("ROLLCALL_METRICS_LISTEN", "127.0.0.1:0")]);
    assert_eq!(fetch(&edge.program.metrics(), &[]).await.status, 200);
}

#[tokio::test]
async fn a_stop_is_in_time_though_secured_connections_are_open() {
    let pair = Pair::new();
    let edge = start(&pair, &[PATIENT]);
    let mut open = pair.connect(&edge).await.unwrap();
    healthz(&mut open).await;
    let silent = edge.connect();
    let (status, took) = edge.program.stop("TERM");
    assert!(status.success() && took < PROMISE, "{status} after {took:?}");
    drop((open, silent));
}
