//! The ceiling: a bare hyper server that replays recorded responses, headers included, whatever the request. It checks no key,
//! parses no parameter and reads no data, so no service on hyper can be faster.

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

use crate::http_client;

/// The hidden argument that makes this program the ceiling.
pub const ARGUMENT: &str = "--ceiling";
/// Headers that hyper writes itself.
const WRITTEN_BY_HYPER: [HeaderName; 3] = [CONNECTION, CONTENT_LENGTH, DATE];

/// A response of Rollcall.
pub struct RecordedResponse {
    pub head: Bytes,
    pub body: Bytes,
}

impl RecordedResponse {
    pub fn new(response: &[u8]) -> Self {
        let mut head = Bytes::copy_from_slice(response);
        let body = head.split_off(http_client::header_length(response).expect("a complete header"));
        Self { head, body }
    }

    fn headers(&self) -> HeaderMap {
        // Leaked on purpose: static header values need no reference counts, which the cores would contend for.
        let text: &'static str = String::from_utf8(self.head.to_vec()).expect("headers are UTF-8").leak();
        let lines = text.lines().skip(1).filter_map(|line| line.split_once(": "));
        let headers = lines.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        headers.filter(|(name, _)| !WRITTEN_BY_HYPER.contains(name)).collect()
    }
}

/// A response ready to be sent any number of times.
struct PreparedResponse {
    headers: HeaderMap,
    body: Bytes,
}

/// Writes the responses that the ceiling replays: each head and body with its length in front.
pub fn write_recording(path: &Path, responses: &[RecordedResponse]) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("create the recording"));
    for response in responses {
        for part in [&response.head, &response.body] {
            file.write_all(&(part.len() as u64).to_le_bytes()).expect("write the recording");
            file.write_all(part).expect("write the recording");
        }
    }
    file.flush().expect("write the recording");
}

fn read_recording(path: &str) -> Arc<[PreparedResponse]> {
    let mut file = Bytes::from(std::fs::read(path).expect("read the recording"));
    let mut responses = Vec::new();
    while !file.is_empty() {
        let mut part = || {
            let length = file.split_to(8);
            file.split_to(u64::from_le_bytes(length[..].try_into().expect("eight bytes")) as usize)
        };
        let response = RecordedResponse { head: part(), body: part() };
        responses.push(PreparedResponse { headers: response.headers(), body: response.body });
    }
    responses.into()
}

/// Prints its address. Then reads paths of recordings, one per line, and replays the latest one.
pub fn run() {
    let responses: Arc<RwLock<Arc<[PreparedResponse]>>> = Arc::new(RwLock::new(Arc::new([])));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("build the runtime");
    // The same worker pool as in Rollcall, so that its gain does not count for Rollcall.
    let workers = WorkerPool::per_core("http").expect("start the worker threads");
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("bind a port");
    print_line(&listener.local_addr().expect("the listener is bound").to_string());
    let current = responses.clone();
    runtime.spawn(async move {
        let mut first = 0;
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            // Once per connection suffices: every round opens its own.
            let responses = current.read().expect("lock not poisoned").clone();
            first += 31;
            let Ok(stream) = stream.into_std() else { continue };
            workers.spawn(serve_connection(stream, responses, first));
        }
    });
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        *responses.write().expect("lock not poisoned") = read_recording(&line);
        print_line("ready");
    }
}

fn print_line(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Replays the responses in turn, from the one with index `first`.
async fn serve_connection(stream: std::net::TcpStream, responses: Arc<[PreparedResponse]>, first: usize) {
    let stream = tokio::net::TcpStream::from_std(stream).expect("register the connection");
    let next = AtomicUsize::new(first);
    let service = hyper::service::service_fn(|_: Request<Incoming>| {
        let recorded = &responses[next.fetch_add(1, Ordering::Relaxed) % responses.len()];
        let mut response = Response::new(Full::new(recorded.body.clone()));
        *response.headers_mut() = recorded.headers.clone();
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}
