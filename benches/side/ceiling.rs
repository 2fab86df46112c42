//! The ceiling: a bare hyper server that answers whatever it is asked with recorded bodies, one after the other. It looks at
//! no key, parses no parameter and knows no data: nothing that speaks HTTP over hyper can be faster.

use std::convert::Infallible;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

/// The hidden argument that makes this program the ceiling.
pub const ARGUMENT: &str = "--ceiling";
const PADDING: HeaderName = HeaderName::from_static("x-padding");
/// What hyper writes by itself, our content type, and the name of the header that fills up.
const OWN_HEAD: usize = 142;

/// What is answered from now on.
#[derive(Clone, Default)]
struct Recorded {
    bodies: Arc<[Bytes]>,
    padding: Option<HeaderValue>,
}

/// Writes down what the ceiling is to answer: bodies, and how long the head is that ours come with.
pub fn record(path: &Path, head: usize, bodies: &[Bytes]) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
    let mut number = |number: usize| file.write_all(&(number as u64).to_le_bytes()).expect("room on the disk");
    number(head);
    number(bodies.len());
    bodies.iter().for_each(|body| number(body.len()));
    for body in bodies {
        file.write_all(body).expect("room on the disk");
    }
    file.flush().expect("room on the disk");
}

fn read(path: &str) -> Recorded {
    let mut file = Bytes::from(std::fs::read(path).expect("what was recorded"));
    let mut number = || {
        let bytes = file.split_to(8);
        u64::from_le_bytes(bytes[..].try_into().expect("eight bytes")) as usize
    };
    let (head, count) = (number(), number());
    let lengths: Vec<usize> = (0..count).map(|_| number()).collect();
    let bodies = lengths.into_iter().map(|length| file.split_to(length)).collect();
    let padding = HeaderValue::from_str(&"x".repeat(head.saturating_sub(OWN_HEAD))).expect("letters");
    Recorded { bodies, padding: Some(padding) }
}

/// Says where it listens, then takes what to answer from the files that are named to it, a line each.
pub fn run() {
    let recorded: Arc<RwLock<Recorded>> = Arc::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port");
    say(&listener.local_addr().expect("bound").to_string());
    let current = recorded.clone();
    runtime.spawn(async move {
        let mut turn = 0;
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            // Looked at once for a connection: every round opens its own.
            let recorded = current.read().expect("nothing panics here").clone();
            turn += 31;
            tokio::spawn(connection(stream, recorded, turn));
        }
    });
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        *recorded.write().expect("nothing panics here") = read(&line);
        say("ready");
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

async fn connection(stream: tokio::net::TcpStream, recorded: Recorded, first: usize) {
    let turn = AtomicUsize::new(first);
    let answer = hyper::service::service_fn(|_: Request<Incoming>| {
        let place = turn.fetch_add(1, Ordering::Relaxed) % recorded.bodies.len().max(1);
        let body = recorded.bodies.get(place).cloned().unwrap_or_default();
        let mut response = Response::new(Full::new(body));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(padding) = &recorded.padding {
            headers.insert(PADDING, padding.clone());
        }
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
}
