//! Several short texts in one piece of memory.

use memchr::memmem;

/// A hundred thousand servers have a million such texts; a `String` each would weigh more than what they say. Most of them
/// stand in their server's list item, too: those are only pointed at.
pub struct Packed<const N: usize> {
    /// What does not stand in the other text.
    rest: Box<str>,
    /// Where each begins, and how long it is: in the other text, or behind its end in the rest.
    spans: [(u32, u32); N],
}

impl<const N: usize> Packed<N> {
    /// `other` is what they are looked for in.
    pub fn new(texts: [&str; N], other: &[u8]) -> Self {
        let mut rest = String::new();
        let spans = texts.map(|text| {
            let start = memmem::find(other, text.as_bytes()).unwrap_or_else(|| {
                rest.push_str(text);
                other.len() + rest.len() - text.len()
            });
            (start as u32, text.len() as u32)
        });
        Self { rest: rest.into(), spans }
    }

    /// Of the same `other`.
    pub fn get<'a>(&'a self, i: usize, other: &'a [u8]) -> &'a str {
        std::str::from_utf8(self.bytes(i, other)).expect("a text went in")
    }

    /// The same for who only compares them, which goes on millions of times while servers are sorted.
    pub fn bytes<'a>(&'a self, i: usize, other: &'a [u8]) -> &'a [u8] {
        let (start, len) = self.spans[i];
        let (start, len) = (start as usize, len as usize);
        let (text, start) =
            start.checked_sub(other.len()).map_or((other, start), |start| (self.rest.as_bytes(), start));
        &text[start..start + len]
    }
}

impl<const N: usize> Default for Packed<N> {
    fn default() -> Self {
        Self { rest: Box::default(), spans: [(0, 0); N] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let texts = ["ä", "", "name", "\"quoted\"", "rest"];
        for other in ["", "{\"name\":\"ä\"}", "{\"name\":\"\\\"quoted\\\"\"}"] {
            let packed = Packed::new(texts, other.as_bytes());
            for (i, text) in texts.into_iter().enumerate() {
                assert_eq!(packed.get(i, other.as_bytes()), text);
                assert_eq!(Packed::<5>::default().get(i, b""), "");
            }
        }
        assert_eq!(*Packed::new(texts, b"name, rest and an \xc3\xa4").rest, *"\"quoted\"");
    }
}
