//! String literals of the languages. Invisible characters and ones that change the text direction are written as escapes.

pub fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0..=0x1f | 0x7f..=0x9f | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x2069 | 0xfeff)
}

/// Between single quotes a shell interprets only the closing quote.
pub fn shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// For JavaScript, Python and Go.
pub fn json(text: &str) -> String {
    escaped(text, |code| format!("\\u{code:04x}"))
}

pub fn rust(text: &str) -> String {
    escaped(text, |code| format!("\\u{{{code:x}}}"))
}

fn escaped(text: &str, write: impl Fn(u32) -> String) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            '\t' => literal.push_str("\\t"),
            '\r' => literal.push_str("\\r"),
            c if is_invisible(c) => literal.push_str(&write(u32::from(c))),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_ends_its_literal() {
        assert_eq!(shell("it's"), r"'it'\''s'");
        assert_eq!(json("a\"b\\c\n\u{202e}"), r#""a\"b\\c\n\u202e""#);
        assert_eq!(rust("\u{feff}\t"), r#""\u{feff}\t""#);
    }
}
