//! Sends requests, and waits when a limit is used up.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Response, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::query::Query;
use crate::retry::RetryOptions;

/// More than any answer of the service has.
const MAX_BODY: usize = 32 << 20;
const API_KEY: &str = "x-api-key";

/// The API of one service with one key. A clone shares connections and the quota.
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    http: reqwest::Client,
    base_url: String,
    api_key: HeaderValue,
    timeout: Duration,
    retry: RetryOptions,
    quota: Mutex<Option<Quota>>,
}

/// What is left of the quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Quota {
    pub minute: u64,
    pub day: u64,
    pub month: u64,
}

/// The settings of a [`Client`].
#[derive(Debug)]
pub struct ClientBuilder {
    base_url: String,
    api_key: String,
    timeout: Duration,
    retry: RetryOptions,
    http: Option<reqwest::Client>,
}

impl ClientBuilder {
    /// How often a request is sent again when a limit is used up or the service is busy. Default: 4.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retry.retries = retries;
        self
    }

    /// The longest wait that is accepted: a used-up limit of the day would mean hours. Default: 2 minutes.
    pub fn max_wait(mut self, wait: Duration) -> Self {
        self.retry.max_wait = wait;
        self
    }

    /// After which time a request without an answer is given up. Default: 30 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// An HTTP client of your own, for other certificates or proxies. It must have no timeout of its own: it would end event
    /// streams.
    pub fn http(mut self, http: reqwest::Client) -> Self {
        self.http = Some(http);
        self
    }

    /// The client. Fails if the base URL or the key cannot be used.
    pub fn build(self) -> Result<Client, Error> {
        let base_url = self.base_url.trim_end_matches('/').to_owned();
        Url::parse(&base_url).map_err(|error| {
            Error::Configuration(format!("base URL {base_url}: {error}; it is like https://stats.example.org/v1"))
        })?;
        let mut api_key = HeaderValue::from_str(&self.api_key)
            .map_err(|_| Error::Configuration("the API key has characters that no key has".to_owned()))?;
        api_key.set_sensitive(true);
        let inner = Inner {
            // A redirect would take the key to another host.
            http: self
                .http
                .map_or_else(|| reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build(), Ok)?,
            base_url,
            api_key,
            timeout: self.timeout,
            retry: self.retry,
            quota: Mutex::new(None),
        };
        Ok(Client { inner: Arc::new(inner) })
    }
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

impl Client {
    /// A client with the default settings. `base_url` is that of the API with its version: `https://stats.example.org/v1`.
    pub fn new(base_url: &str, api_key: &str) -> Result<Self, Error> {
        Self::builder(base_url, api_key).build()
    }

    /// A client with other settings.
    pub fn builder(base_url: &str, api_key: &str) -> ClientBuilder {
        ClientBuilder {
            base_url: base_url.to_owned(),
            api_key: api_key.to_owned(),
            timeout: Duration::from_secs(30),
            retry: RetryOptions { retries: 4, max_wait: Duration::from_secs(120) },
            http: None,
        }
    }

    /// What was left of the quota after the last answer.
    pub fn quota(&self) -> Option<Quota> {
        *self.inner.quota.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn retry(&self) -> RetryOptions {
        self.inner.retry
    }

    /// The `data` of an endpoint. Waits and tries again when a limit is used up or the service is busy.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str, query: Query) -> Result<T, Error> {
        let mut attempt = 1;
        loop {
            let error = match tokio::time::timeout(self.inner.timeout, self.get_once(path, &query)).await {
                Ok(Ok(data)) => return Ok(data),
                Ok(Err(error)) => error,
                Err(_) => Error::Timeout(self.inner.timeout),
            };
            let Some(wait) = self.inner.retry.wait_before(attempt, &error) else { return Err(error) };
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn get_once<T: DeserializeOwned>(&self, path: &str, query: &Query) -> Result<T, Error> {
        let mut response = self.send(path, query, "application/json", None).await?;
        let body = read(&mut response).await?;
        let envelope: Envelope<T> =
            serde_json::from_slice(&body).map_err(|error| Error::Unexpected(format!("{path}: {error}")))?;
        Ok(envelope.data)
    }

    /// Opens the stream of events.
    pub(crate) async fn open_stream(&self, query: &Query, last_id: Option<&str>) -> Result<Response, Error> {
        let opening = self.send("/events/stream", query, "text/event-stream", last_id);
        tokio::time::timeout(self.inner.timeout, opening).await.unwrap_or(Err(Error::Timeout(self.inner.timeout)))
    }

    /// A response with status 200, its body not yet read.
    async fn send(
        &self,
        path: &str,
        query: &Query,
        accept: &'static str,
        last_id: Option<&str>,
    ) -> Result<Response, Error> {
        let mut url = Url::parse(&format!("{}{path}", self.inner.base_url))
            .map_err(|error| Error::Configuration(format!("{path}: {error}")))?;
        if !query.pairs().is_empty() {
            url.query_pairs_mut().extend_pairs(query.pairs());
        }
        let mut request = self.inner.http.get(url).header(API_KEY, self.inner.api_key.clone()).header(ACCEPT, accept);
        if let Some(id) = last_id {
            request = request.header("last-event-id", id);
        }
        let mut response = request.send().await?;
        self.remember(response.headers());
        if response.status() == 200 {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let text = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let request_id = text("x-request-id");
        let retry_after = text(RETRY_AFTER.as_str()).and_then(|text| text.parse().ok()).map(Duration::from_secs);
        // A proxy may answer with a page.
        let message = match read(&mut response).await.map(|body| serde_json::from_slice::<Refusal>(&body)) {
            Ok(Ok(refusal)) => refusal.error,
            _ => "unexpected answer".to_owned(),
        };
        Err(Error::Api { status, message, request_id, retry_after })
    }

    fn remember(&self, headers: &HeaderMap) {
        let left = |window| headers.get(format!("x-ratelimit-remaining-{window}"))?.to_str().ok()?.parse().ok();
        if let (Some(minute), Some(day), Some(month)) = (left("minute"), left("day"), left("month")) {
            *self.inner.quota.lock().unwrap_or_else(PoisonError::into_inner) = Some(Quota { minute, day, month });
        }
    }
}

/// A body, unless it is too long.
async fn read(response: &mut Response) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_BODY {
            return Err(Error::Unexpected(format!("a body of more than {MAX_BODY} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
