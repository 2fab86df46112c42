//! Several short texts in one allocation.

use memchr::memmem;

/// 100,000 servers have about a million such texts, and a `String` for each would take more memory than its content. Most
/// of them also occur in the server's serialised summary (`source`), and only point into it.
pub struct PackedTexts<const N: usize> {
    /// The texts that do not occur in the source.
    rest: Box<str>,
    /// Start and length of each text. Starts beyond the end of the source refer to `rest`.
    spans: [(u32, u32); N],
}

impl<const N: usize> PackedTexts<N> {
    pub fn new(texts: [&str; N], source: &[u8]) -> Self {
        let mut rest = String::new();
        let spans = texts.map(|text| {
            let start = memmem::find(source, text.as_bytes()).unwrap_or_else(|| {
                rest.push_str(text);
                source.len() + rest.len() - text.len()
            });
            (start as u32, text.len() as u32)
        });
        Self { rest: rest.into(), spans }
    }

    /// `source` must be the same as in [`Self::new`].
    pub fn get<'a>(&'a self, i: usize, source: &'a [u8]) -> &'a str {
        std::str::from_utf8(self.bytes(i, source)).expect("packed texts are UTF-8")
    }

    /// Like [`Self::get`] without the UTF-8 check, which is too slow for sorting.
    pub fn bytes<'a>(&'a self, i: usize, source: &'a [u8]) -> &'a [u8] {
        let (start, len) = self.spans[i];
        let (start, len) = (start as usize, len as usize);
        let (text, start) =
            start.checked_sub(source.len()).map_or((source, start), |start| (self.rest.as_bytes(), start));
        &text[start..start + len]
    }
}

impl<const N: usize> Default for PackedTexts<N> {
    fn default() -> Self {
        Self { rest: Box::default(), spans: [(0, 0); N] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_texts_that_were_packed() {
        let texts = ["ä", "", "name", "\"quoted\"", "rest"];
        for source in ["", "{\"name\":\"ä\"}", "{\"name\":\"\\\"quoted\\\"\"}"] {
            let packed = PackedTexts::new(texts, source.as_bytes());
            for (i, text) in texts.into_iter().enumerate() {
                assert_eq!(packed.get(i, source.as_bytes()), text);
                assert_eq!(PackedTexts::<5>::default().get(i, b""), "");
            }
        }
        assert_eq!(*PackedTexts::new(texts, b"name, rest and an \xc3\xa4").rest, *"\"quoted\"");
    }
}
