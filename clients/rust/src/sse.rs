//! Server-sent events: bytes in, messages out. Memory is bounded.

use std::collections::VecDeque;
use std::time::Duration;

/// More than any event of the service has.
const MAX_MESSAGE: usize = 1 << 20;

/// What one block of the stream says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) id: Option<String>,
    pub(crate) event: String,
    /// Empty: the block only sets the id or the time.
    pub(crate) data: String,
    pub(crate) retry: Option<Duration>,
}

#[derive(Debug, Default)]
pub(crate) struct Decoder {
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_return: bool,
    message: Message,
    ready: VecDeque<Message>,
}

/// A message is too long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl Decoder {
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        for &byte in bytes {
            match byte {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    self.end_line(&String::from_utf8_lossy(&line));
                }
                _ => {
                    self.after_return = false;
                    if self.line.len() + self.message.data.len() >= MAX_MESSAGE {
                        return Err(TooLong);
                    }
                    self.line.push(byte);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn next(&mut self) -> Option<Message> {
        self.ready.pop_front()
    }

    fn end_line(&mut self, line: &str) {
        if line.is_empty() {
            let mut message = std::mem::take(&mut self.message);
            if message.data.ends_with('\n') {
                message.data.pop();
            }
            if message != Message::default() {
                self.ready.push_back(message);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                self.message.data += value;
                self.message.data.push('\n');
            }
            "event" => value.clone_into(&mut self.message.event),
            "id" if !value.contains('\0') => self.message.id = Some(value.to_owned()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.message.retry = value.parse().ok().map(Duration::from_millis);
            }
            // Comments keep the connection open.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "retry: 3000\nid: 6\n\n: comment\n\nid: 7\r\nevent: vote.created\r\ndata: {\"a\":\r\ndata:1}\r\n\r\nid:8\r\rdata: x\n\n";

    fn messages() -> Vec<Message> {
        let message = |id: Option<&str>, event: &str, data: &str| Message {
            id: id.map(str::to_owned),
            event: event.to_owned(),
            data: data.to_owned(),
            retry: None,
        };
        vec![
            Message { retry: Some(Duration::from_secs(3)), ..message(Some("6"), "", "") },
            message(Some("7"), "vote.created", "{\"a\":\n1}"),
            message(Some("8"), "", ""),
            message(None, "", "x"),
        ]
    }

    #[test]
    fn chunks_may_end_anywhere() {
        for size in 1..=TEXT.len() {
            let mut decoder = Decoder::default();
            let mut seen = Vec::new();
            for chunk in TEXT.as_bytes().chunks(size) {
                decoder.push(chunk).unwrap();
                seen.extend(std::iter::from_fn(|| decoder.next()));
            }
            assert_eq!(seen, messages(), "chunks of {size} bytes");
        }
    }

    #[test]
    fn a_message_that_never_ends_is_refused() {
        for line in [&b"data: 0123456789\n"[..], b"data: 0123456789"] {
            let mut decoder = Decoder::default();
            let refused = (0..MAX_MESSAGE).find_map(|_| decoder.push(line).err());
            assert_eq!(refused, Some(TooLong));
            assert!(decoder.line.len() + decoder.message.data.len() <= MAX_MESSAGE);
        }
    }
}
