//! A receiver of webhooks that keeps what it gets and answers as the test wants.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::until;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct ReceivedMessage {
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl ReceivedMessage {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("plain text"))
    }

    pub fn id(&self) -> &str {
        self.header("webhook-id")
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Whether the secret signed it; computed as the specification says.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("the prefix")).expect("Base64");
        let signed = format!("{}.{}.{}", self.id(), self.header("webhook-timestamp"), self.body);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), signed.as_bytes());
        let wanted = format!("v1,{}", STANDARD.encode(tag));
        self.header("webhook-signature").split(' ').any(|signature| signature == wanted)
    }
}

/// How a request is answered.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    pub delay: Duration,
}

impl Answer {
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: String::new(), delay: Duration::ZERO }
    }

    pub fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

type Decide = Arc<dyn Fn(&ReceivedMessage) -> Answer + Send + Sync>;

struct Shared {
    received: Mutex<Vec<ReceivedMessage>>,
    decide: Mutex<Decide>,
}

/// Stops on drop.
pub struct WebhookReceiver {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

const UNPOISONED: &str = "nothing panics under this lock";

impl WebhookReceiver {
    /// Answers 204 to everything.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let decide: Decide = Arc::new(|_| Answer::status(204));
        let shared = Arc::new(Shared { received: Mutex::default(), decide: Mutex::new(decide) });
        let router = Router::new().fallback(receive).with_state(shared.clone());
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { address, shared, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}/in", self.address)
    }

    /// From now on it answers so.
    pub fn answer(&self, decide: impl Fn(&ReceivedMessage) -> Answer + Send + Sync + 'static) {
        *self.shared.decide.lock().expect(UNPOISONED) = Arc::new(decide);
    }

    /// What came so far.
    pub fn received(&self) -> Vec<ReceivedMessage> {
        self.shared.received.lock().expect(UNPOISONED).clone()
    }

    /// Waits until this many messages have come, and returns all.
    pub async fn until(&self, count: usize) -> Vec<ReceivedMessage> {
        until(async || {
            let received = self.received();
            match received.len() {
                found if found >= count => Ok(received),
                found => Err(format!("{found} of {count} messages came: {received:#?}")),
            }
        })
        .await
    }
}

async fn receive(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let body = String::from_utf8(body.to_vec()).expect("UTF-8");
    let message = ReceivedMessage { path: uri.path().to_owned(), headers, body };
    let decide = shared.decide.lock().expect(UNPOISONED).clone();
    let answer = decide(&message);
    shared.received.lock().expect(UNPOISONED).push(message);
    tokio::time::sleep(answer.delay).await;
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(answer.body)).expect("a valid response")
}
