//! HTTP for the S3 client, over hyper and rustls with ring like the rest of the program. The client's own transport would bring
//! reqwest and a second cryptography library.
//!
//! Requests run on a thread of their own: pooled connections must make progress whichever runtime sent the request, also one
//! that only runs while a command waits.

use std::error::Error as StdError;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpService,
};
use tokio::runtime::Runtime;
use tokio_rustls::rustls::crypto::ring;

/// From the DNS lookup to the last byte. The largest pictures have some hundred kilobytes. Shorter than the default of
/// `http.request_timeout`.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(8);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Stores close idle connections after 5 seconds or later.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);
/// Above every picture and every page of a list.
const MAX_RESPONSE_BYTES: usize = 16 << 20;
/// Failed requests in a row that count as an outage: one operation with its retries.
const OUTAGE: u32 = 3;

static NETWORK: LazyLock<Runtime> = LazyLock::new(|| {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).thread_name("pictures").enable_all();
    runtime.build().expect("a thread for the picture store")
});

type HttpsClient = Client<HttpsConnector<TcpConnector>, HttpRequestBody>;

/// Makes the HTTP client of one bucket.
#[derive(Debug)]
pub(super) struct Transport {
    /// The bucket, for the log.
    name: Arc<str>,
}

impl Transport {
    pub(super) fn new(name: String) -> Self {
        Self { name: name.into() }
    }
}

impl HttpConnector for Transport {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.set_nodelay(true);
        let tls = HttpsConnectorBuilder::new().with_provider_and_webpki_roots(ring::default_provider());
        let tls = tls.map_err(|error| object_store::Error::Generic { store: "S3", source: Box::new(error) })?;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .build(tls.https_or_http().enable_http1().wrap_connector(tcp));
        Ok(HttpClient::new(Connection { client, outage: Arc::new(OutageLog::new(self.name.clone())) }))
    }
}

#[derive(Debug)]
struct Connection {
    client: HttpsClient,
    outage: Arc<OutageLog>,
}

impl HttpService for Connection {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        let (client, outage) = (self.client.clone(), self.outage.clone());
        Box::pin(async move {
            let work =
                NETWORK.spawn(async move { tokio::time::timeout(REQUEST_TIMEOUT, exchange(&client, request)).await });
            let outcome = match work.await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => {
                    let message = format!("no response within {} seconds", REQUEST_TIMEOUT.as_secs());
                    Err(HttpError::new_boxed(HttpErrorKind::Timeout, message.into()))
                }
                Err(error) => Err(HttpError::new(HttpErrorKind::Interrupted, error)),
            };
            outage.record(&outcome);
            outcome
        })
    }
}

async fn exchange(client: &HttpsClient, request: HttpRequest) -> Result<HttpResponse, HttpError> {
    let response = client.request(request).await.map_err(|error| {
        let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Request };
        HttpError::new_boxed(kind, causes(&error).into())
    })?;
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
    let body = body.map_err(|error| HttpError::new_boxed(HttpErrorKind::Interrupted, error))?.to_bytes();
    Ok(HttpResponse::from_parts(parts, body.into()))
}

/// An error with what caused it; by itself it only says that connecting failed.
fn causes(error: &dyn StdError) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.ends_with(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}

/// Logs the start and the end of an outage once each.
#[derive(Debug)]
struct OutageLog {
    name: Arc<str>,
    /// Failed requests since the last one that succeeded.
    failures: AtomicU32,
}

impl OutageLog {
    fn new(name: Arc<str>) -> Self {
        Self { name, failures: AtomicU32::new(0) }
    }

    fn record(&self, outcome: &Result<HttpResponse, HttpError>) {
        let cause = match outcome {
            Ok(response) if response.status().is_server_error() || matches!(response.status().as_u16(), 401 | 403) => {
                format!("it answers {}", response.status())
            }
            Ok(_) => {
                if self.failures.swap(0, Ordering::Relaxed) >= OUTAGE {
                    tracing::info!("pictures can be loaded and stored again: {} is reachable", self.name);
                }
                return;
            }
            Err(error) => StdError::source(error).map_or_else(|| error.to_string(), ToString::to_string),
        };
        if self.failures.fetch_add(1, Ordering::Relaxed) + 1 == OUTAGE {
            tracing::error!(cause, "pictures cannot be loaded or stored: {} is unavailable", self.name);
        }
    }
}
