//! Events as they happen.

use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::try_unfold;
use reqwest::Response;
use serde::Deserialize;

use crate::client::Client;
use crate::error::Error;
use crate::query::Query;
use crate::retry::{RetryOptions, passes};
use crate::sse::{Decoder, Message};
use crate::types::{Event, EventsStreamQuery};

/// The service sends something every 15 seconds. A connection that is silent for longer is lost.
const SILENCE: Duration = Duration::from_secs(45);
/// Until the service says another one.
const RETRY: Duration = Duration::from_secs(3);

/// Events as they happen. It connects again by itself and continues after the last event: nothing is missed or repeated. Drop it to
/// stop.
///
/// [`Self::next`] waits for the next event, and for the service when it is busy, restarts, or a limit is used up. It gives up, with an
/// error, when the service refuses the request, when a wait would be longer than `max_wait`, or when the first connection fails
/// `retries` times.
#[derive(Debug)]
pub struct EventStream {
    client: Client,
    query: Query,
    connection: Option<Connection>,
    /// The id of the last event, and the cursor after it.
    last_id: Option<String>,
    retry: Duration,
    /// How long to wait before the next connection.
    wait: Option<Duration>,
    was_open: bool,
    failures: u32,
    is_over: bool,
}

#[derive(Debug)]
struct Connection {
    response: Response,
    decoder: Decoder,
}

/// Why the service closes a stream.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct End {
    status: u16,
    error: String,
    retry_after: u64,
}

impl Client {
    /// Events as they happen. Without `after`, those from now on.
    ///
    /// ```no_run
    /// # async fn run(rollcall: rollcall_client::Client) -> Result<(), rollcall_client::Error> {
    /// use rollcall_client::types::{EventDetails, EventType, EventsStreamQuery};
    ///
    /// let query = EventsStreamQuery { r#type: vec![EventType::ServerOffline], ..Default::default() };
    /// let mut events = rollcall.events(&query);
    /// while let Some(event) = events.next().await.transpose()? {
    ///     if let Ok(EventDetails::ServerOffline(data)) = event.details() {
    ///         println!("{:?} is offline: {}", event.server, data.reason);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn events(&self, query: &EventsStreamQuery) -> EventStream {
        EventStream {
            client: self.clone(),
            query: query.pairs(),
            connection: None,
            last_id: None,
            retry: RETRY,
            wait: None,
            was_open: false,
            failures: 0,
            is_over: false,
        }
    }
}

impl EventStream {
    /// The next event. `None` after an error: the stream is over.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        if self.is_over {
            return None;
        }
        let next = self.wait_for_event().await;
        self.is_over = next.is_err();
        Some(next)
    }

    /// The cursor after the last event: pass it as `after` to continue later.
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// The events as a [`Stream`], which ends after an error.
    pub fn into_stream(self) -> impl Stream<Item = Result<Event, Error>> {
        try_unfold(self, |mut events| async { Ok(events.next().await.transpose()?.map(|event| (event, events))) })
    }

    async fn wait_for_event(&mut self) -> Result<Event, Error> {
        loop {
            let Some(connection) = &mut self.connection else {
                self.connect().await?;
                continue;
            };
            if let Some(message) = connection.decoder.next() {
                if let Some(event) = self.take(message)? {
                    return Ok(event);
                }
                continue;
            }
            match tokio::time::timeout(SILENCE, connection.response.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    let pushed = connection.decoder.push(&chunk);
                    pushed.map_err(|_| Error::Unexpected("an event that is too long".to_owned()))?;
                }
                _ => self.disconnect(self.retry.min(self.client.retry().max_wait)),
            }
        }
    }

    async fn connect(&mut self) -> Result<(), Error> {
        if let Some(wait) = self.wait {
            tokio::time::sleep(wait).await;
            self.wait = None;
        }
        match self.client.open_stream(&self.query, self.last_id.as_deref()).await {
            Ok(response) => {
                self.connection = Some(Connection { response, decoder: Decoder::default() });
                self.was_open = true;
                self.failures = 0;
            }
            Err(error) => {
                self.failures += 1;
                let wait = wait_after(&error, self.failures, self.was_open, self.client.retry());
                self.wait = Some(wait.ok_or(error)?);
            }
        }
        Ok(())
    }

    fn disconnect(&mut self, wait: Duration) {
        self.connection = None;
        self.wait = Some(wait);
    }

    /// What a message of the stream means.
    fn take(&mut self, message: Message) -> Result<Option<Event>, Error> {
        if let Some(retry) = message.retry {
            self.retry = retry;
        }
        // Also of a block without data: the first one has the cursor of a stream without events yet.
        if let Some(id) = message.id.filter(|id| !id.is_empty()) {
            self.last_id = Some(id);
        }
        if message.event == "end" {
            let end: End = parsed(&message.data)?;
            let retry_after = Some(message.retry.unwrap_or(Duration::from_secs(end.retry_after)));
            let error = Error::Api { status: end.status, message: end.error, request_id: None, retry_after };
            let wait = wait_after(&error, 1, true, self.client.retry()).ok_or(error)?;
            // The time to wait was for this end only.
            self.retry = RETRY;
            self.disconnect(wait);
            return Ok(None);
        }
        if message.data.is_empty() { Ok(None) } else { parsed(&message.data).map(Some) }
    }
}

fn parsed<T: for<'a> Deserialize<'a>>(data: &str) -> Result<T, Error> {
    serde_json::from_str(data).map_err(|error| Error::Unexpected(format!("an event: {error}")))
}

/// How long to wait after a refused connection; `None`: give up. A stream that was open before is not given up for a failure that
/// passes.
fn wait_after(error: &Error, failures: u32, was_open: bool, options: RetryOptions) -> Option<Duration> {
    let retries = if was_open && passes(error) { u32::MAX } else { options.retries };
    RetryOptions { retries, ..options }.wait_before(failures, error)
}
