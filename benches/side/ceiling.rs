//! The ceiling: a bare hyper server that answers whatever it is asked with recorded answers, one after the other, headers and
//! all. It looks at no key, parses no parameter and knows no data: nothing that speaks HTTP over hyper can be faster.

use std::convert::Infallible;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, CONTENT_LENGTH, DATE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rollcall::worker_pool::WorkerPool;

use crate::load;

/// The hidden argument that makes this program the ceiling.
pub const ARGUMENT: &str = "--ceiling";
/// What hyper writes by itself.
const BY_HYPER: [HeaderName; 3] = [CONNECTION, CONTENT_LENGTH, DATE];

/// An answer as ours gave it.
pub struct Recorded {
    pub head: Bytes,
    pub body: Bytes,
}

impl Recorded {
    pub fn new(answer: &[u8]) -> Self {
        let mut head = Bytes::copy_from_slice(answer);
        let body = head.split_off(load::head(answer).expect("a head"));
        Self { head, body }
    }

    fn headers(&self) -> HeaderMap {
        // Never freed: cores that give the same answer would otherwise count together who holds each part of it.
        let text: &'static str = String::from_utf8(self.head.to_vec()).expect("a head is text").leak();
        let lines = text.lines().skip(1).filter_map(|line| line.split_once(": "));
        let headers = lines.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        headers.filter(|(name, _)| !BY_HYPER.contains(name)).collect()
    }
}

/// An answer, ready to be given any number of times.
struct Ready {
    headers: HeaderMap,
    body: Bytes,
}

/// Writes down what the ceiling is to answer.
pub fn record(path: &Path, answers: &[Recorded]) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
    for answer in answers {
        for part in [&answer.head, &answer.body] {
            file.write_all(&(part.len() as u64).to_le_bytes()).expect("room on the disk");
            file.write_all(part).expect("room on the disk");
        }
    }
    file.flush().expect("room on the disk");
}

fn read(path: &str) -> Arc<[Ready]> {
    let mut file = Bytes::from(std::fs::read(path).expect("what was recorded"));
    let mut answers = Vec::new();
    while !file.is_empty() {
        let mut part = || {
            let length = file.split_to(8);
            file.split_to(u64::from_le_bytes(length[..].try_into().expect("eight bytes")) as usize)
        };
        let answer = Recorded { head: part(), body: part() };
        answers.push(Ready { headers: answer.headers(), body: answer.body });
    }
    answers.into()
}

/// Says where it listens, then takes what to answer from the files that are named to it, a line each.
pub fn run() {
    let answers: Arc<RwLock<Arc<[Ready]>>> = Arc::new(RwLock::new(Arc::new([])));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    // As ours does: whatever hyper gains by it is not ours to claim.
    let crew = WorkerPool::per_core("http").expect("threads");
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port");
    say(&listener.local_addr().expect("bound").to_string());
    let current = answers.clone();
    runtime.spawn(async move {
        let mut turn = 0;
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            // Looked at once for a connection: every round opens its own.
            let answers = current.read().expect("nothing panics here").clone();
            turn += 31;
            let Ok(stream) = stream.into_std() else { continue };
            crew.spawn(connection(stream, answers, turn));
        }
    });
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        *answers.write().expect("nothing panics here") = read(&line);
        say("ready");
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

async fn connection(stream: std::net::TcpStream, answers: Arc<[Ready]>, first: usize) {
    let stream = tokio::net::TcpStream::from_std(stream).expect("a connection");
    let turn = AtomicUsize::new(first);
    let answer = hyper::service::service_fn(|_: Request<Incoming>| {
        let answer = &answers[turn.fetch_add(1, Ordering::Relaxed) % answers.len()];
        let mut response = Response::new(Full::new(answer.body.clone()));
        *response.headers_mut() = answer.headers.clone();
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
}
