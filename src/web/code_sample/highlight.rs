//! Highlights code while a page is rendered: strings, comments, keywords, numbers and JSON names. A small tokenizer is enough
//! for the samples of this site; anything it does not know stays plain text.

use askama::filters::{Html, escape};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Shell,
    JavaScript,
    Python,
    Rust,
    Go,
    Json,
    Plain,
}

impl Syntax {
    /// By the name after the fence of a Markdown block.
    pub fn from_name(name: &str) -> Self {
        match name {
            "sh" | "shell" | "bash" => Self::Shell,
            "js" | "javascript" => Self::JavaScript,
            "python" | "py" => Self::Python,
            "rust" => Self::Rust,
            "go" => Self::Go,
            "json" => Self::Json,
            _ => Self::Plain,
        }
    }

    fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::Shell => &["curl", "export", "node", "python3"],
            Self::JavaScript => &[
                "async",
                "await",
                "break",
                "catch",
                "class",
                "const",
                "continue",
                "else",
                "export",
                "false",
                "finally",
                "for",
                "function",
                "if",
                "import",
                "let",
                "new",
                "null",
                "of",
                "return",
                "throw",
                "true",
                "try",
                "undefined",
                "while",
                "yield",
            ],
            Self::Python => &[
                "and", "as", "break", "class", "continue", "def", "elif", "else", "except", "False", "for", "from",
                "if", "import", "in", "None", "not", "or", "raise", "return", "True", "try", "while", "with", "yield",
            ],
            Self::Rust => &[
                "as", "async", "await", "const", "else", "enum", "false", "fn", "for", "if", "impl", "in", "let",
                "loop", "match", "mut", "pub", "return", "self", "struct", "true", "use", "where", "while",
            ],
            Self::Go => &[
                "const", "defer", "else", "false", "for", "func", "if", "import", "nil", "package", "range", "return",
                "struct", "true", "type", "var",
            ],
            Self::Json => &["true", "false", "null"],
            Self::Plain => &[],
        }
    }

    fn comment(self) -> Option<&'static str> {
        match self {
            Self::JavaScript | Self::Rust | Self::Go => Some("//"),
            Self::Shell | Self::Python => Some("#"),
            Self::Json | Self::Plain => None,
        }
    }

    fn quotes(self) -> &'static [char] {
        match self {
            Self::JavaScript => &['"', '\'', '`'],
            Self::Shell | Self::Python => &['"', '\''],
            Self::Rust | Self::Go | Self::Json => &['"'],
            Self::Plain => &[],
        }
    }
}

/// The code as HTML: each token in a `span` with a class of `docs.css`.
pub fn html(code: &str, syntax: Syntax) -> String {
    let mut html = String::with_capacity(code.len() * 2);
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let (class, length) = token(rest, first, syntax);
        let (text, after) = rest.split_at(length);
        let text = escape(text, Html).map(|text| text.to_string()).unwrap_or_default();
        match class {
            Some(class) => html.extend(["<span class=\"", class, "\">", &text, "</span>"]),
            None => html.push_str(&text),
        }
        rest = after;
    }
    html
}

/// The class of the token at the beginning of the text, and its length.
fn token(text: &str, first: char, syntax: Syntax) -> (Option<&'static str>, usize) {
    if syntax.comment().is_some_and(|mark| text.starts_with(mark)) {
        return (Some("hc"), text.find('\n').unwrap_or(text.len()));
    }
    if syntax.quotes().contains(&first) {
        let length = string_length(text, first, syntax);
        let is_name = syntax == Syntax::Json && text[length..].trim_start().starts_with(':');
        return (Some(if is_name { "hn" } else { "hs" }), length);
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if first.is_ascii_digit() && syntax != Syntax::Plain {
        let length = text.find(|c: char| !is_word(c) && c != '.').unwrap_or(text.len());
        return (Some("hd"), length);
    }
    if is_word(first) {
        let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
        return (syntax.keywords().contains(&&text[..length]).then_some("hk"), length);
    }
    (None, first.len_utf8())
}

/// The length of a string with its quotes. A shell has no escapes between single quotes.
fn string_length(text: &str, quote: char, syntax: Syntax) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' && !(syntax == Syntax::Shell && quote == '\'') {
            is_escaped = true;
        } else if c == quote {
            return at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tokens_get_classes_and_text_is_escaped() {
        assert_eq!(
            html("let a = \"<b>\\\"\"; // 1 < 2", Syntax::Rust),
            "<span class=\"hk\">let</span> a = <span class=\"hs\">&#34;&#60;b&#62;\\&#34;&#34;</span>; \
             <span class=\"hc\">// 1 &#60; 2</span>"
        );
        assert_eq!(
            html("{\"a\": 1.5, \"b\": \"x\"}", Syntax::Json),
            "{<span class=\"hn\">&#34;a&#34;</span>: <span class=\"hd\">1.5</span>, <span class=\"hn\">&#34;b&#34;</span>: \
             <span class=\"hs\">&#34;x&#34;</span>}"
        );
        assert_eq!(html("'it'\\''s'", Syntax::Shell).matches("<span").count(), 3);
    }

    proptest! {
        #[test]
        fn no_text_is_lost(code in "\\PC{0,60}") {
            for syntax in [Syntax::Shell, Syntax::JavaScript, Syntax::Json, Syntax::Plain] {
                let escaped = escape(code.as_str(), Html).map(|text| text.to_string()).unwrap_or_default();
                let plain = html(&code, syntax);
                let mut text = plain.replace("</span>", "");
                for class in ["hc", "hn", "hs", "hd", "hk"] {
                    text = text.replace(&format!("<span class=\"{class}\">"), "");
                }
                prop_assert_eq!(text, escaped);
            }
        }
    }
}
