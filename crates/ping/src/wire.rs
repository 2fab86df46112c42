//! Reading what a stranger sent: nothing is trusted to be there, to end, or to be small.

use std::borrow::Cow;

/// Why bytes are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error("it says that {0} bytes follow, and at most {1} are read")]
    TooLong(u64, usize),
    #[error("the message ends too early")]
    Short,
    #[error("{0}")]
    Other(&'static str),
}

/// Bytes of a number in the protocol's variable form: five hold any 32 bits.
const LONGEST_VARINT: usize = 5;

/// A walk along a message that is there in full.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Wrong> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Wrong::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8, Wrong> {
        Ok(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Result<u16, Wrong> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    pub fn u64(&mut self) -> Result<u64, Wrong> {
        let bytes: [u8; 8] = self.take(8)?.try_into().map_err(|_| Wrong::Short)?;
        Ok(u64::from_be_bytes(bytes))
    }

    /// Up to a zero byte, which is passed over.
    pub fn until_zero(&mut self) -> Result<&'a [u8], Wrong> {
        let end = memchr::memchr(0, self.0).ok_or(Wrong::Short)?;
        let text = self.take(end)?;
        self.take(1)?;
        Ok(text)
    }

    pub fn varint(&mut self) -> Result<i32, Wrong> {
        match varint(self.0)? {
            Some((value, length)) => {
                self.take(length)?;
                Ok(value)
            }
            None => Err(Wrong::Short),
        }
    }

    /// A text with its length in front. `most` bytes at most; what is no UTF-8 is made so.
    pub fn text(&mut self, most: usize) -> Result<Cow<'a, str>, Wrong> {
        let length = self.varint()?;
        let length = usize::try_from(length).map_err(|_| Wrong::Other("a text has a negative length"))?;
        if length > most {
            return Err(Wrong::TooLong(length as u64, most));
        }
        let bytes = self.take(length)?;
        Ok(std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed))
    }
}

/// The number at the beginning and how many bytes it takes; `None` when more bytes must come.
fn varint(bytes: &[u8]) -> Result<Option<(i32, usize)>, Wrong> {
    let mut value: u32 = 0;
    for (place, byte) in bytes.iter().take(LONGEST_VARINT).enumerate() {
        value |= u32::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok(Some((value.cast_signed(), place + 1)));
        }
    }
    if bytes.len() >= LONGEST_VARINT { Err(Wrong::Other("a number takes more than five bytes")) } else { Ok(None) }
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

/// Cuts a stream into messages, each with its length in front, as the bytes come in.
pub struct Frames {
    most: usize,
    held: Vec<u8>,
    /// Bytes at the front that belong to a message that was given.
    given: usize,
}

impl Frames {
    /// No message may be longer than `most`; none longer is ever held.
    pub fn new(most: usize) -> Self {
        Self { most, held: Vec::new(), given: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// Where bytes may be added that come straight from a socket, with room for some.
    pub fn room(&mut self, some: usize) -> &mut Vec<u8> {
        // No more than that: thousands may be half heard at once.
        self.held.reserve_exact(some);
        &mut self.held
    }

    /// The first byte of the next message, once it is there.
    pub fn first(&self) -> Option<u8> {
        let held = &self.held[self.given..];
        let (_, head) = varint(held).ok()??;
        held.get(head).copied()
    }

    /// The next message, once it is there in full.
    pub fn message(&mut self) -> Result<Option<&[u8]>, Wrong> {
        self.held.drain(..std::mem::take(&mut self.given));
        let Some((length, head)) = varint(&self.held)? else { return Ok(None) };
        let length = match usize::try_from(length) {
            Ok(length) if length > 0 => length,
            _ => return Err(Wrong::Other("a message has no length")),
        };
        if length > self.most {
            return Err(Wrong::TooLong(length as u64, self.most));
        }
        if self.held.len() < head + length {
            return Ok(None);
        }
        self.given = head + length;
        Ok(Some(&self.held[head..head + length]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_numbers() {
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
        assert_eq!(Reader::new(&[0x80; 4]).varint(), Err(Wrong::Short));
    }

    #[test]
    fn what_is_too_long_is_never_waited_for() {
        let mut frames = Frames::new(10);
        frames.push(&[11]);
        assert_eq!(frames.message(), Err(Wrong::TooLong(11, 10)));
        let mut frames = Frames::new(10);
        frames.push(&[0xff, 0xff, 0xff, 0xff, 0x0f]);
        assert!(frames.message().is_err(), "a negative length");
    }

    proptest! {
        #[test]
        fn messages_come_out_however_the_stream_is_cut(
            messages in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..300), 0..8),
            cuts in proptest::collection::vec(1usize..50, 1..20),
        ) {
            let mut stream = Vec::new();
            for message in &messages {
                put_varint(&mut stream, message.len() as i32);
                stream.extend_from_slice(message);
            }
            let (mut frames, mut found, mut rest) = (Frames::new(300), Vec::new(), stream.as_slice());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                frames.push(now);
                rest = later;
                while let Some(message) = frames.message().unwrap() {
                    found.push(message.to_vec());
                }
            }
            prop_assert_eq!(found, messages);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut frames = Frames::new(100);
            frames.push(&bytes);
            while let Ok(Some(message)) = frames.message() {
                prop_assert!(message.len() <= 100);
            }
            let mut reader = Reader::new(&bytes);
            let _ = (reader.varint(), reader.text(50), reader.until_zero(), reader.u64());
        }
    }
}
