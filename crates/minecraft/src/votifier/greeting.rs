//! The line with which a receiver opens the conversation: `VOTIFIER 1.9`, or `VOTIFIER 2 <challenge>`.

use crate::is_printable;

/// Bytes of a greeting, with its line break. Those of NuVotifier have 40.
pub const MAX_GREETING: usize = 256;

const PREFIX: &[u8] = b"VOTIFIER ";
/// Characters of a foreign greeting that are shown.
const MAX_SHOWN_CHARS: usize = 60;

/// Protocol of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    pub version: String,
    /// Only in v2: the vote must repeat it.
    pub challenge: Option<String>,
}

impl Greeting {
    /// The challenge, if the receiver speaks v2. Old releases of NuVotifier send their own version, such as `2.3.4`.
    pub fn v2_challenge(&self) -> Option<&str> {
        let is_v2 = self.version == "2" || self.version.starts_with("2.");
        self.challenge.as_deref().filter(|_| is_v2)
    }
}

/// Decodes what was received so far: `None` if the line is not complete yet. The error is the start of the text, printable.
pub fn decode_greeting(bytes: &[u8]) -> Result<Option<Greeting>, String> {
    let wrong = || Err(shown(bytes));
    let common = bytes.len().min(PREFIX.len());
    if bytes[..common] != PREFIX[..common] {
        return wrong();
    }
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
        return if bytes.len() < MAX_GREETING { Ok(None) } else { wrong() };
    };
    // A receiver says nothing else before the vote: whatever follows could be taken for its answer.
    if end + 1 != bytes.len() || bytes.len() > MAX_GREETING || end < PREFIX.len() {
        return wrong();
    }
    let line = bytes[PREFIX.len()..end].strip_suffix(b"\r").unwrap_or(&bytes[PREFIX.len()..end]);
    let is_word = |word: &&[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_graphic);
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    if words.len() > 2 || !words.iter().all(is_word) {
        return wrong();
    }
    let mut words = words.into_iter().map(|word| String::from_utf8_lossy(word).into_owned());
    Ok(words.next().map(|version| Greeting { version, challenge: words.next() }))
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_GREETING)]);
    text.chars().filter(|c| is_printable(*c)).take(MAX_SHOWN_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn greeting(version: &str, challenge: Option<&str>) -> Greeting {
        Greeting { version: version.into(), challenge: challenge.map(Into::into) }
    }

    #[test]
    fn both_versions_are_decoded() {
        assert_eq!(decode_greeting(b"VOTIFIER 1.9\n"), Ok(Some(greeting("1.9", None))));
        assert_eq!(decode_greeting(b"VOTIFIER 1.9\r\n"), Ok(Some(greeting("1.9", None))));
        assert_eq!(decode_greeting(b"VOTIFIER 2 abc123\n"), Ok(Some(greeting("2", Some("abc123")))));
        let challenges =
            [("2", Some("c"), Some("c")), ("2.3.4", Some("c"), Some("c")), ("2", None, None), ("1.9", None, None)];
        for (version, challenge, expected) in challenges {
            assert_eq!(greeting(version, challenge).v2_challenge(), expected, "{version}");
        }
        assert_eq!(greeting("20", Some("c")).v2_challenge(), None);
    }

    #[test]
    fn an_incomplete_line_is_not_an_error() {
        for end in 0.."VOTIFIER 2 abc123".len() {
            assert_eq!(decode_greeting(&b"VOTIFIER 2 abc123"[..end]), Ok(None), "{end}");
        }
        let longest = [PREFIX, &[b'1'; MAX_GREETING - 10]].concat();
        assert_eq!(decode_greeting(&longest), Ok(None));
        assert!(decode_greeting(&[&longest[..], b"\n"].concat()).unwrap().is_some());
        assert!(decode_greeting(&[&longest[..], b"1"].concat()).is_err());
    }

    #[test]
    fn anything_else_fails_at_the_first_wrong_byte() {
        assert_eq!(decode_greeting(b"SSH-2.0-OpenSSH\r\n"), Err("SSH-2.0-OpenSSH".into()));
        assert_eq!(decode_greeting(b"X"), Err("X".into()));
        assert_eq!(
            decode_greeting(b"VOTIFIER 2 abc\n{\"status\":\"ok\"}"),
            Err("VOTIFIER 2 abc{\"status\":\"ok\"}".into())
        );
        for wrong in [
            "\n",
            "VOTIFIER \n",
            "VOTIFIER\n",
            "VOTIFIER 2 a b\n",
            "VOTIFIER  2\n",
            "VOTIFIER 2 \n",
            "VOTIFIER 2 \u{1}\n",
        ] {
            assert!(decode_greeting(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
        let long = decode_greeting(&[b'x'; 10_000]).unwrap_err();
        assert_eq!(long, "x".repeat(MAX_SHOWN_CHARS));
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400), tail in "[ -~\n]{0,300}") {
            let _ = decode_greeting(&bytes);
            if let Ok(Some(greeting)) = decode_greeting(format!("VOTIFIER {tail}").as_bytes()) {
                prop_assert!(greeting.version.len() + greeting.challenge.map_or(0, |c| c.len()) < MAX_GREETING);
            }
        }
    }
}
