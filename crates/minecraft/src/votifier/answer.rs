//! The answer of a v2 receiver: `{"status":"ok"}`, or `{"status":"error","cause":…,"error":…}`.

use crate::is_printable;
use serde_json::Value;

/// Bytes of an answer.
pub const MAX_ANSWER: usize = 2048;
/// Characters of an error that are kept.
const MAX_ERROR_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Ok,
    /// Cause and error as the receiver words them, printable and bounded.
    Error {
        cause: String,
        error: String,
    },
}

/// Decodes what was received so far: `None` if the JSON is not complete yet. Old receivers send no line break after it, and
/// name the error `errorMessage`.
pub fn decode_answer(bytes: &[u8]) -> Result<Option<Answer>, &'static str> {
    if bytes.len() > MAX_ANSWER {
        return Err("the answer is too long");
    }
    let answer = match serde_json::Deserializer::from_slice(bytes).into_iter::<Value>().next() {
        None => return Ok(None),
        Some(Err(error)) if error.is_eof() => return Ok(None),
        Some(Err(_)) => return Err("the answer is not JSON"),
        Some(Ok(answer)) => answer,
    };
    let text = |field: &str| answer.get(field).and_then(Value::as_str);
    match text("status") {
        Some("ok") => Ok(Some(Answer::Ok)),
        Some("error") => {
            let error = text("error").or_else(|| text("errorMessage"));
            Ok(Some(Answer::Error { cause: shown(text("cause")), error: shown(error) }))
        }
        _ => Err("the answer has no known status"),
    }
}

fn shown(text: Option<&str>) -> String {
    text.unwrap_or_default().chars().filter(|c| is_printable(*c)).take(MAX_ERROR_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn answers_are_decoded_with_or_without_a_line_break() {
        for text in ["{\"status\":\"ok\"}", "{\"status\":\"ok\"}\r\n", " {\"status\":\"ok\",\"x\":[1]}\n{"] {
            assert_eq!(decode_answer(text.as_bytes()), Ok(Some(Answer::Ok)), "{text:?}");
        }
        let error = |cause: &str, error: &str| Ok(Some(Answer::Error { cause: cause.into(), error: error.into() }));
        let decode = |text: &str| decode_answer(text.as_bytes());
        let new = r#"{"status":"error","cause":"RuntimeException","error":"Unknown service 'x'"}"#;
        assert_eq!(decode(new), error("RuntimeException", "Unknown service 'x'"));
        assert_eq!(decode(r#"{"status":"error","cause":"A","errorMessage":"B\n\u202e"}"#), error("A", "B"));
        assert_eq!(decode(r#"{"status":"error","cause":7}"#), error("", ""));
    }

    #[test]
    fn half_an_answer_is_incomplete_and_nonsense_is_an_error() {
        let text = br#"{"status":"ok"}"#;
        for end in 0..text.len() {
            assert_eq!(decode_answer(&text[..end]), Ok(None), "{end}");
        }
        for text in ["x", "[]", "7 ", "{}", r#"{"status":true}"#, r#"{"status":"OK?"}"#, "}"] {
            assert!(decode_answer(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(decode_answer(&[b' '; MAX_ANSWER]), Ok(None));
        assert_eq!(decode_answer(&[b' '; MAX_ANSWER + 1]), Err("the answer is too long"));
        assert!(decode_answer("[".repeat(MAX_ANSWER).as_bytes()).is_err(), "nested too deep");
        let long = format!(r#"{{"status":"error","cause":"","error":"{}"}}"#, "ü".repeat(900));
        let expected = Answer::Error { cause: String::new(), error: "ü".repeat(MAX_ERROR_CHARS) };
        assert_eq!(decode_answer(long.as_bytes()), Ok(Some(expected)));
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), json in "[{}\\[\\]\":,a-z0-9 ]{0,200}") {
            let _ = (decode_answer(&bytes), decode_answer(json.as_bytes()));
        }
    }
}
