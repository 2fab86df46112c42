//! A client of the stream that reads block by block.

use serde_json::Value;

use crate::harness::{DEADLINE, Server};

pub struct StreamClient {
    response: reqwest::Response,
    buffer: String,
}

/// A block with an event.
#[derive(Debug, PartialEq)]
pub struct StreamEvent {
    pub id: String,
    pub kind: String,
    pub data: Value,
}

impl StreamClient {
    pub async fn open(server: &Server, key: &str, query: &str, headers: &[(&str, &str)]) -> Self {
        let url = format!("http://{}/v1/events/stream{query}", server.address);
        let mut request = reqwest::Client::builder().no_proxy().build().unwrap().get(url).header("x-api-key", key);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.expect("a response");
        Self { response, buffer: String::new() }
    }

    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name).map(|value| value.to_str().expect("plain text"))
    }

    /// The cursor with which the stream begins.
    pub async fn opening_id(&mut self) -> String {
        let block = self.block().await.expect("a block");
        field(&block, "id")
    }

    /// The next block with data; `None` at the end.
    pub async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            let block = self.block().await?;
            let (id, kind, data) = (field(&block, "id"), field(&block, "event"), field(&block, "data"));
            if !data.is_empty() {
                return Some(StreamEvent { id, kind, data: serde_json::from_str(&data).expect("JSON") });
            }
        }
    }

    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.buffer = rest;
                return Some(block);
            }
            let chunk = tokio::time::timeout(DEADLINE, self.response.chunk()).await.expect("a block in time");
            self.buffer += std::str::from_utf8(&chunk.expect("a chunk")?).expect("UTF-8");
        }
    }

    pub async fn take(&mut self, count: usize) -> Vec<StreamEvent> {
        let mut events = Vec::new();
        while events.len() < count {
            events.push(self.next().await.expect("an event"));
        }
        events
    }
}

fn field(block: &str, name: &str) -> String {
    let value = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    value.unwrap_or_default().to_owned()
}
