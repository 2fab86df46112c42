//! Reads untrusted bytes. Every length is checked against a limit before it is used.

use std::borrow::Cow;

/// Why bytes could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("announced length {0} exceeds the limit of {1}")]
    TooLong(u64, usize),
    #[error("the message is truncated")]
    Truncated,
    #[error("{0}")]
    Malformed(&'static str),
}

/// A VarInt holds 32 bits in at most five bytes.
const MAX_VARINT_BYTES: usize = 5;

/// Reads a complete message from front to back.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        Ok(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        let bytes: [u8; 8] = self.take(8)?.try_into().map_err(|_| DecodeError::Truncated)?;
        Ok(u64::from_be_bytes(bytes))
    }

    /// The bytes before the next zero byte, which is skipped.
    pub fn until_zero(&mut self) -> Result<&'a [u8], DecodeError> {
        let end = memchr::memchr(0, self.0).ok_or(DecodeError::Truncated)?;
        let text = self.take(end)?;
        self.take(1)?;
        Ok(text)
    }

    pub fn varint(&mut self) -> Result<i32, DecodeError> {
        match decode_varint(self.0)? {
            Some((value, length)) => {
                self.take(length)?;
                Ok(value)
            }
            None => Err(DecodeError::Truncated),
        }
    }

    /// A length-prefixed text of at most `max` bytes. Invalid UTF-8 is replaced.
    pub fn text(&mut self, max: usize) -> Result<Cow<'a, str>, DecodeError> {
        let length = self.varint()?;
        let length = usize::try_from(length).map_err(|_| DecodeError::Malformed("a text has a negative length"))?;
        if length > max {
            return Err(DecodeError::TooLong(length as u64, max));
        }
        let bytes = self.take(length)?;
        Ok(std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed))
    }
}

/// The VarInt at the front and its size in bytes; `None` if it is incomplete.
fn decode_varint(bytes: &[u8]) -> Result<Option<(i32, usize)>, DecodeError> {
    let mut value: u32 = 0;
    for (index, byte) in bytes.iter().take(MAX_VARINT_BYTES).enumerate() {
        value |= u32::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Ok(Some((value.cast_signed(), index + 1)));
        }
    }
    if bytes.len() >= MAX_VARINT_BYTES {
        Err(DecodeError::Malformed("a VarInt is longer than five bytes"))
    } else {
        Ok(None)
    }
}

pub fn put_varint(out: &mut Vec<u8>, value: i32) {
    let mut rest = value.cast_unsigned();
    while rest >= 0x80 {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, i32::try_from(text.len()).unwrap_or(i32::MAX));
    out.extend_from_slice(text.as_bytes());
}

/// Splits a byte stream into length-prefixed messages.
pub struct FrameBuffer {
    max_message: usize,
    buffer: Vec<u8>,
    /// Bytes at the front that belong to the message returned last.
    consumed: usize,
}

impl FrameBuffer {
    /// A message longer than `max_message` is an error as soon as its length is known.
    pub fn new(max_message: usize) -> Self {
        Self { max_message, buffer: Vec::new(), consumed: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The buffer, to append bytes from a socket, with capacity for `additional` more.
    pub fn spare(&mut self, additional: usize) -> &mut Vec<u8> {
        // Exact: thousands of replies may be incomplete at the same time.
        self.buffer.reserve_exact(additional);
        &mut self.buffer
    }

    /// The first byte of the next message, if it has arrived.
    pub fn first_byte(&self) -> Option<u8> {
        let pending = &self.buffer[self.consumed..];
        let (_, prefix) = decode_varint(pending).ok()??;
        pending.get(prefix).copied()
    }

    /// The next message, if it is complete.
    pub fn next_message(&mut self) -> Result<Option<&[u8]>, DecodeError> {
        self.buffer.drain(..std::mem::take(&mut self.consumed));
        let Some((length, prefix)) = decode_varint(&self.buffer)? else { return Ok(None) };
        let length = match usize::try_from(length) {
            Ok(length) if length > 0 => length,
            _ => return Err(DecodeError::Malformed("a message length is zero or negative")),
        };
        if length > self.max_message {
            return Err(DecodeError::TooLong(length as u64, self.max_message));
        }
        if self.buffer.len() < prefix + length {
            return Ok(None);
        }
        self.consumed = prefix + length;
        Ok(Some(&self.buffer[prefix..prefix + length]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn varints_round_trip() {
        for (value, bytes) in [
            (0, &[0x00][..]),
            (127, &[0x7f]),
            (128, &[0x80, 0x01]),
            (25_565, &[0xdd, 0xc7, 0x01]),
            (i32::MAX, &[0xff, 0xff, 0xff, 0xff, 0x07]),
            (-1, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
        ] {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            assert_eq!(out, bytes);
            assert_eq!(Reader::new(bytes).varint(), Ok(value));
        }
        assert!(Reader::new(&[0x80; 6]).varint().is_err());
        assert_eq!(Reader::new(&[0x80; 4]).varint(), Err(DecodeError::Truncated));
    }

    #[test]
    fn too_long_messages_fail_at_once() {
        let mut frames = FrameBuffer::new(10);
        frames.push(&[11]);
        assert_eq!(frames.next_message(), Err(DecodeError::TooLong(11, 10)));
        let mut frames = FrameBuffer::new(10);
        frames.push(&[0xff, 0xff, 0xff, 0xff, 0x0f]);
        assert!(frames.next_message().is_err(), "a negative length");
    }

    proptest! {
        #[test]
        fn messages_survive_any_segmentation(
            messages in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..300), 0..8),
            cuts in proptest::collection::vec(1usize..50, 1..20),
        ) {
            let mut stream = Vec::new();
            for message in &messages {
                put_varint(&mut stream, message.len() as i32);
                stream.extend_from_slice(message);
            }
            let (mut frames, mut found, mut rest) = (FrameBuffer::new(300), Vec::new(), stream.as_slice());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (segment, later) = rest.split_at((*cut).min(rest.len()));
                frames.push(segment);
                rest = later;
                while let Some(message) = frames.next_message().unwrap() {
                    found.push(message.to_vec());
                }
            }
            prop_assert_eq!(found, messages);
        }

        #[test]
        fn arbitrary_input_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut frames = FrameBuffer::new(100);
            frames.push(&bytes);
            while let Ok(Some(message)) = frames.next_message() {
                prop_assert!(message.len() <= 100);
            }
            let mut reader = Reader::new(&bytes);
            let _ = (reader.varint(), reader.text(50), reader.until_zero(), reader.u64());
        }
    }
}
