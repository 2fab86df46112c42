//! HTTP/2 over TLS. Frames are written by hand where a sound client would not send them.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::SendRequest;
use hyper::{HeaderMap, Method, Request};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::version::TLS13;

use super::request_limits::TableLock;
use super::tls::{Certificate, start};
use super::{LONG_TIMEOUT, MAX_WAIT, READ_TIMEOUT, SHORT_TIMEOUT, TestServer, until_closed};
use crate::harness::{Engine, Store};

const H2: &[u8] = b"h2";
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;
const REFUSED_STREAM: u32 = 7;
const ENHANCE_YOUR_CALM: u32 = 11;
const MAX_CONCURRENT_STREAMS: u16 = 3;
const INITIAL_WINDOW_SIZE: u16 = 4;
/// The streams that the server allows at once.
const STREAMS: u32 = 32;

async fn tls(certificate: &Certificate, server: &TestServer) -> TlsStream<TcpStream> {
    let stream = certificate.connect_by(server, &TLS13, &[H2, b"http/1.1"]).await.expect("a handshake");
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(H2));
    stream
}

type Client = SendRequest<Full<Bytes>>;

async fn client(certificate: &Certificate, server: &TestServer) -> Client {
    let stream = TokioIo::new(tls(certificate, server).await);
    let (client, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    tokio::spawn(connection);
    client
}

/// The status, headers and body of the response.
async fn send(
    client: &Client,
    method: Method,
    url: &str,
    headers: &[(&str, &str)],
    body: &'static str,
) -> (u16, HeaderMap, Bytes) {
    let mut request = Request::builder().method(method).uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = client.clone().send_request(request.body(Full::from(body)).unwrap()).await.expect("a response");
    let (head, body) = response.into_parts();
    (head.status.as_u16(), head.headers, body.collect().await.expect("the whole body").to_bytes())
}

async fn get(client: &Client, url: &str) -> (u16, HeaderMap, Bytes) {
    send(client, Method::GET, url, &[], "").await
}

#[derive(Debug)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Frame {
    fn bytes(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = (payload.len() as u32).to_be_bytes();
        [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    }

    /// The error code of a GOAWAY or RST_STREAM.
    fn code(&self) -> u32 {
        let at = if self.kind == GOAWAY { 4 } else { 0 };
        u32::from_be_bytes(self.payload[at..at + 4].try_into().unwrap())
    }
}

/// A connection after the preface, which reads and writes single frames.
struct RawClient {
    read: ReadHalf<TlsStream<TcpStream>>,
    write: WriteHalf<TlsStream<TcpStream>>,
}

impl RawClient {
    async fn connect(certificate: &Certificate, server: &TestServer, settings: &[(u16, u32)]) -> Self {
        let (read, mut write) = tokio::io::split(tls(certificate, server).await);
        let payload: Vec<u8> = settings
            .iter()
            .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        write.write_all(&[PREFACE, &Frame::bytes(SETTINGS, 0, 0, &payload)].concat()).await.unwrap();
        write.flush().await.unwrap();
        Self { read, write }
    }

    /// False if the server has closed the connection.
    async fn send(&mut self, frames: &[Vec<u8>]) -> bool {
        self.write.write_all(&frames.concat()).await.is_ok() && self.write.flush().await.is_ok()
    }

    /// The next frame; `None` if the server has closed the connection.
    async fn frame(&mut self) -> Option<Frame> {
        next_frame(&mut self.read).await
    }

    /// Frames until one is as wanted; `None` if the server closes the connection before.
    async fn until(&mut self, wanted: impl Fn(&Frame) -> bool) -> Option<Frame> {
        let found = async {
            loop {
                let frame = self.frame().await?;
                if wanted(&frame) {
                    return Some(frame);
                }
            }
        };
        tokio::time::timeout(MAX_WAIT, found).await.expect("the server answers or closes the connection")
    }

    /// Sends what `frames` makes of each number until the server closes the connection. Returns how often it did, and the
    /// error code of the server's GOAWAY.
    async fn flood(mut self, frames: impl Fn(u32) -> Vec<Vec<u8>>) -> (u32, Option<u32>) {
        let code = tokio::spawn(async move {
            let mut code = None;
            while let Some(frame) = next_frame(&mut self.read).await {
                if frame.kind == GOAWAY {
                    code = Some(frame.code());
                }
            }
            code
        });
        let mut sent = 0;
        while !code.is_finished() && sent < FLOOD {
            if self.write.write_all(&frames(sent).concat()).await.is_err() || self.write.flush().await.is_err() {
                break;
            }
            sent += 1;
        }
        assert!(sent < FLOOD, "the server takes everything");
        (sent, tokio::time::timeout(MAX_WAIT, code).await.expect("the server closes the connection").unwrap())
    }
}

/// More than the server should take.
const FLOOD: u32 = 100_000;

async fn next_frame(read: &mut ReadHalf<TlsStream<TcpStream>>) -> Option<Frame> {
    let mut head = [0; 9];
    read.read_exact(&mut head).await.ok()?;
    let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
    read.read_exact(&mut payload).await.ok()?;
    let stream = u32::from_be_bytes(head[5..].try_into().unwrap());
    Some(Frame { kind: head[3], flags: head[4], stream, payload })
}

/// The headers of `GET path` in HPACK: from the static table, values without Huffman coding.
fn get_headers(path: &str) -> Vec<u8> {
    let text = |index: u8, value: &str| [&[index, value.len() as u8], value.as_bytes()].concat();
    [vec![0x82, 0x87], text(4, path), text(1, "localhost")].concat()
}

/// The ids of streams that clients open.
fn stream_id(number: u32) -> u32 {
    2 * number + 1
}

#[tokio::test]
async fn responds_over_http_2() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[]);
    let client = client(&certificate, &server).await;
    let (status, headers, body) = get(&client, "https://localhost/healthz").await;
    assert_eq!((status, &body[..]), (200, &b"ok\n"[..]));
    assert_eq!(headers["strict-transport-security"], "max-age=31536000");
    let (status, headers, document) = get(&client, "https://localhost/openapi.json").await;
    assert_eq!((status, headers["content-length"].to_str().unwrap()), (200, document.len().to_string().as_str()));
    serde_json::from_slice::<serde_json::Value>(&document).expect("the whole document");
    // A HEAD has the headers of the GET and no body.
    let (status, head, body) = send(&client, Method::HEAD, "https://localhost/openapi.json", &[], "").await;
    assert_eq!((status, &head["content-length"], body.len()), (200, &headers["content-length"], 0));
    let (status, _, body) = get(&client, "https://localhost/v1/servers").await;
    assert!(status == 401 && body.starts_with(b"{\"success\":false"), "{body:?}");
    assert_eq!(get(&client, "https://evil.example/openapi.json").await.0, 421);
    let other_host = [("host", "evil.example")];
    assert_eq!(send(&client, Method::GET, "https://localhost/openapi.json", &other_host, "").await.0, 400);
    // A form: it is refused for its missing token only.
    let form = [("origin", server.program.url.as_str()), ("content-type", "application/x-www-form-urlencoded")];
    assert_eq!(send(&client, Method::POST, "https://localhost/sign-in", &form, "a=1").await.0, 403);
    let long = "x".repeat(20_000);
    assert_eq!(send(&client, Method::GET, "https://localhost/healthz", &[("x-long", &long)], "").await.0, 431);
    let many = (0..300).map(|_| get(&client, "https://localhost/openapi.json"));
    for (status, _, body) in futures_util::future::join_all(many).await {
        assert_eq!((status, body.len()), (200, document.len()));
    }
}

#[test]
fn plain_http_is_http_1() {
    let server = TestServer::start(&[LONG_TIMEOUT]);
    let response = until_closed(&mut server.send(PREFACE));
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 400 "), "{response:?}");
}

#[tokio::test]
async fn an_idle_http_2_connection_is_closed() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[SHORT_TIMEOUT]);
    // Without a preface, after one, and with pings, which are no requests.
    let mut silent = tls(&certificate, &server).await;
    let mut idle = RawClient::connect(&certificate, &server, &[]).await;
    let mut pinging = RawClient::connect(&certificate, &server, &[]).await;
    let pings = async {
        while pinging.send(&[Frame::bytes(PING, 0, 0, &[0; 8])]).await {
            tokio::time::sleep(READ_TIMEOUT).await;
        }
    };
    tokio::time::timeout(MAX_WAIT, pings).await.expect("the server closes the connection");
    assert!(idle.until(|_| false).await.is_none());
    let end = tokio::time::timeout(MAX_WAIT, silent.read_to_end(&mut Vec::new())).await;
    end.expect("the server closes the connection").ok();
}

#[tokio::test]
async fn a_client_that_opens_no_window_is_disconnected() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[SHORT_TIMEOUT]);
    let mut client = RawClient::connect(&certificate, &server, &[(INITIAL_WINDOW_SIZE, 0)]).await;
    let number = std::cell::Cell::new(0);
    let request = |path: &str| {
        number.set(number.get() + 1);
        Frame::bytes(HEADERS, END_HEADERS | END_STREAM, stream_id(number.get()), &get_headers(path))
    };
    // Other requests and pings do not help, however many bytes the replies to pings have.
    let pings = Frame::bytes(PING, 0, 0, &[0; 8]).repeat(1000);
    let requests = async {
        while client.send(&[request("/openapi.json"), pings.clone()]).await {
            tokio::time::sleep(READ_TIMEOUT).await;
        }
    };
    tokio::time::timeout(MAX_WAIT, requests).await.expect("the server closes the connection");
}

#[tokio::test]
async fn clients_that_open_no_window_make_room_for_others() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[LONG_TIMEOUT, ("ROLLCALL_HTTP_MAX_CONNECTIONS", "8")]);
    let mut held = Vec::new();
    for _ in 0..6 {
        let mut client = RawClient::connect(&certificate, &server, &[(INITIAL_WINDOW_SIZE, 0)]).await;
        let request = Frame::bytes(HEADERS, END_HEADERS | END_STREAM, 1, &get_headers("/openapi.json"));
        assert!(client.send(&[request]).await);
        client.until(|frame| frame.kind == HEADERS).await.expect("headers of the response");
        held.push(client);
    }
    // Idle clients of other networks take their connections, not only those of each other.
    let newcomers = async {
        let mut idle = Vec::new();
        for network in (2..=250).cycle() {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind(([127, 0, network, 1], 0).into()).unwrap();
            idle.push(socket.connect(server.program.address().parse().unwrap()).await.unwrap());
            for client in &mut held {
                if let Ok(None) = tokio::time::timeout(READ_TIMEOUT, client.frame()).await {
                    return;
                }
            }
        }
    };
    tokio::time::timeout(MAX_WAIT, newcomers).await.expect("a client that does not read is disconnected");
}

#[tokio::test]
async fn rapid_reset_closes_the_connection() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[LONG_TIMEOUT]);
    let client = RawClient::connect(&certificate, &server, &[]).await;
    let (sent, code) = client
        .flood(|number| {
            let id = stream_id(number);
            vec![
                Frame::bytes(HEADERS, END_HEADERS | END_STREAM, id, &get_headers("/openapi.json")),
                Frame::bytes(RST_STREAM, 0, id, &8u32.to_be_bytes()),
            ]
        })
        .await;
    assert!(matches!(code, None | Some(ENHANCE_YOUR_CALM)), "{code:?} after {sent}");
    assert_eq!(get(&self::client(&certificate, &server).await, "https://localhost/healthz").await.0, 200);
}

#[tokio::test]
async fn a_client_that_cancels_its_requests_is_disconnected() {
    let certificate = Certificate::new();
    let store = Store::new(Engine::Postgres);
    let server = super::tls::start_over(store, &certificate, &[LONG_TIMEOUT, ("ROLLCALL_HTTP_REQUEST_TIMEOUT", "60")]);
    let held = TableLock::of(&server.store);
    let mut client = RawClient::connect(&certificate, &server, &[]).await;
    let settings = client.until(|frame| frame.kind == SETTINGS && frame.flags & ACK == 0).await.expect("settings");
    let max = [&MAX_CONCURRENT_STREAMS.to_be_bytes()[..], &STREAMS.to_be_bytes()].concat();
    assert!(settings.payload.chunks(6).any(|setting| setting == max), "{settings:?}");
    let open = |number| Frame::bytes(HEADERS, END_HEADERS | END_STREAM, stream_id(number), &get_headers("/readyz"));
    let cancel = |number| Frame::bytes(RST_STREAM, 0, stream_id(number), &8u32.to_be_bytes());
    for first in (0..).step_by(STREAMS as usize + 1).take(4) {
        // As many requests at once as allowed, and one more.
        assert!(client.send(&(first..=first + STREAMS).map(open).collect::<Vec<_>>()).await);
        let refused = client.until(|frame| frame.kind == RST_STREAM).await.expect("a frame");
        assert_eq!((refused.stream, refused.code()), (stream_id(first + STREAMS), REFUSED_STREAM));
        // They are being handled when the client cancels them.
        client.send(&(first..first + STREAMS).map(cancel).collect::<Vec<_>>()).await;
    }
    assert!(client.until(|_| false).await.is_none(), "the server closes the connection");
    drop(held);
    assert_eq!(get(&self::client(&certificate, &server).await, "https://localhost/readyz").await.0, 200);
}

#[tokio::test]
async fn a_continuation_flood_closes_the_connection() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[LONG_TIMEOUT]);
    // Without END_HEADERS the header block goes on: with fields, and with nothing.
    let field = [&[0, 1][..], b"x", &[100], &[b'y'; 100]].concat();
    for part in [&field[..], &[]] {
        let client = RawClient::connect(&certificate, &server, &[]).await;
        let (sent, _) = client
            .flood(|number| match number {
                0 => vec![Frame::bytes(HEADERS, END_STREAM, 1, &get_headers("/healthz"))],
                _ => vec![Frame::bytes(CONTINUATION, 0, 1, part)],
            })
            .await;
        assert!(sent < FLOOD, "{sent}");
    }
    assert_eq!(get(&client(&certificate, &server).await, "https://localhost/healthz").await.0, 200);
}

#[tokio::test]
async fn open_http_2_connections_do_not_delay_a_shutdown() {
    let certificate = Certificate::new();
    let server = start(&certificate, &[LONG_TIMEOUT]);
    let client = client(&certificate, &server).await;
    assert_eq!(get(&client, "https://localhost/healthz").await.0, 200);
    let (status, took) = server.program.stop("TERM");
    assert!(status.success() && took < MAX_WAIT, "{status} after {took:?}");
}
