//! API calls as programs in several languages, and their highlighting. `web/src/playground/code-samples.ts` writes the same
//! programs while a form is filled in; a browser test compares the two.

mod highlight;
mod literal;
mod program;

use askama::filters::Safe;

pub use highlight::Syntax;

use crate::http::query::encode;
use crate::v1::Endpoint;

/// Placeholder that the reader replaces with their key.
pub const KEY_PLACEHOLDER: &str = "rc_YOUR_KEY";

/// One call of the API.
pub struct ApiCall<'a> {
    pub endpoint: &'static Endpoint,
    /// The public base URL of the API.
    pub base_url: &'a str,
    /// The value of the path parameter.
    pub segment: String,
    /// Query parameters with a value, in the order of the endpoint.
    pub query: Vec<(&'static str, String)>,
}

/// A call as a program.
pub struct CodeSample {
    pub id: &'static str,
    pub name: &'static str,
    syntax: Syntax,
    pub code: String,
}

type Generator = fn(&ApiCall) -> String;

const LANGUAGES: [(&str, &str, Syntax, Generator); 5] = [
    ("curl", "curl", Syntax::Shell, program::curl),
    ("javascript", "JavaScript", Syntax::JavaScript, program::javascript),
    ("python", "Python", Syntax::Python, program::python),
    ("rust", "Rust", Syntax::Rust, program::rust),
    ("go", "Go", Syntax::Go, program::go),
];

impl ApiCall<'_> {
    /// The path below `/v1`, encoded.
    pub fn path(&self) -> String {
        let path = self.endpoint.path;
        match &self.endpoint.path_param {
            Some(param) => path.replace(&format!("{{{}}}", param.name), &encode(&self.segment)),
            None => path.to_owned(),
        }
    }

    /// Path and query below `/v1`.
    pub fn target(&self) -> String {
        let pairs: Vec<String> = self.query.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        if pairs.is_empty() { self.path() } else { format!("{}?{}", self.path(), pairs.join("&")) }
    }

    fn url(&self) -> String {
        format!("{}{}", self.base_url, self.path())
    }

    /// In each language. A stream never ends, so it has only the one that prints while it reads.
    pub fn samples(&self) -> Vec<CodeSample> {
        let count = if self.endpoint.is_stream() { 1 } else { LANGUAGES.len() };
        let sample =
            |(id, name, syntax, generate): (_, _, _, Generator)| CodeSample { id, name, syntax, code: generate(self) };
        LANGUAGES.into_iter().take(count).map(sample).collect()
    }
}

impl CodeSample {
    /// The code as HTML.
    pub fn html(&self) -> Safe<String> {
        Safe(highlight::html(&self.code, self.syntax))
    }
}

/// Code as HTML.
pub fn highlighted(code: &str, syntax: Syntax) -> Safe<String> {
    Safe(highlight::html(code, syntax))
}
