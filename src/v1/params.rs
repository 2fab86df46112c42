//! Query parameters. One declaration parses the value, words the error and documents the parameter.

use serde_json::{Value, json};

use crate::error::ApiError;
use crate::http::query::Query;
use rollcall_model::period::Period;

/// A parameter as `/openapi.json` documents it.
pub trait Param: Sync {
    fn name(&self) -> &'static str;
    fn about(&self) -> &'static str;
    fn schema(&self) -> Value;
    fn required(&self) -> bool {
        false
    }
    /// Whether the value is a list, separated by commas.
    fn is_list(&self) -> bool {
        false
    }
    /// The lists in `data`, as JSON pointers, whose items have only the keys that this parameter selects.
    fn item_lists(&self) -> Vec<&'static str> {
        Vec::new()
    }
    /// The keys that it selects; `None` for all of them.
    fn item_fields(&self, _: &Query) -> Result<Option<Vec<String>>, ApiError> {
        Ok(None)
    }
}

pub struct Int {
    pub name: &'static str,
    pub about: &'static str,
    pub min: i64,
    pub max: i64,
    pub default: Option<i64>,
}

pub struct Number {
    pub name: &'static str,
    pub about: &'static str,
    pub min: f64,
    pub max: f64,
}

pub struct Flag {
    pub name: &'static str,
    pub about: &'static str,
}

/// Free text; empty counts as not given.
pub struct Text {
    pub name: &'static str,
    pub about: &'static str,
}

/// Required text, bounded in characters after trimming.
pub struct RequiredText {
    pub name: &'static str,
    pub about: &'static str,
    pub min: usize,
    pub max: usize,
}

/// One of a few words. Without a default, a missing parameter is `None`.
pub struct Choice<T: 'static> {
    pub name: &'static str,
    pub about: &'static str,
    pub values: &'static [(&'static str, T)],
    pub default: Option<&'static str>,
}

/// The largest whole number a parameter takes.
pub const MAX_INT: i64 = i32::MAX as i64;
const MAX_LIMIT: i64 = 100;

pub const PAGE: Int = Int { name: "page", about: "Page number, from 1.", min: 1, max: MAX_INT, default: Some(1) };

/// `limit` with the default of the endpoint.
pub const fn limit(default: i64) -> Int {
    Int { name: "limit", about: "Items per page.", min: 1, max: MAX_LIMIT, default: Some(default) }
}

/// `period` with the description and default of the endpoint.
pub const fn period(about: &'static str, default: &'static str) -> Choice<Period> {
    Choice {
        name: "period",
        about,
        values: &[
            ("24h", Period::Day),
            ("7d", Period::Week),
            ("30d", Period::Month),
            ("90d", Period::Quarter),
            ("all-time", Period::AllTime),
        ],
        default: Some(default),
    }
}

/// The requested page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageParams {
    pub page: u32,
    pub limit: u32,
}

impl PageParams {
    pub fn read(query: &Query, limit: &Int) -> Result<Self, ApiError> {
        Ok(Self { page: PAGE.read(query)?.unwrap_or(1) as u32, limit: limit.read(query)?.unwrap_or(MAX_LIMIT) as u32 })
    }

    pub fn offset(self) -> u64 {
        u64::from(self.page - 1) * u64::from(self.limit)
    }

    /// The page as ordinals of `total` numbered rows, newest first: `(from, to)`, empty when `from < to`.
    pub fn ordinals(self, total: i64) -> (i64, i64) {
        self.ordinals_from(total - self.offset() as i64)
    }

    /// The page that begins with this ordinal.
    pub fn ordinals_from(self, from: i64) -> (i64, i64) {
        (from, (from - i64::from(self.limit) + 1).max(1))
    }

    pub fn total_pages(self, total: u64) -> u64 {
        total.div_ceil(u64::from(self.limit))
    }
}

impl Int {
    pub fn read(&self, query: &Query) -> Result<Option<i64>, ApiError> {
        let Some(text) = query.get(self.name) else { return Ok(self.default) };
        let digits = text.strip_prefix('-').unwrap_or(text);
        let value = digits.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        match value.filter(|value| (self.min..=self.max).contains(value)) {
            Some(value) => Ok(Some(value)),
            None => Err(invalid(self.name, &format!("a whole number from {} to {}", self.min, self.max), text)),
        }
    }
}

impl Number {
    pub fn read(&self, query: &Query) -> Result<Option<f64>, ApiError> {
        let Some(text) = query.get(self.name) else { return Ok(None) };
        match text.parse::<f64>().ok().filter(|value| (self.min..=self.max).contains(value)) {
            Some(value) => Ok(Some(value)),
            None => Err(invalid(self.name, &format!("a number from {} to {}", self.min, self.max), text)),
        }
    }
}

impl Flag {
    pub fn read(&self, query: &Query) -> Result<bool, ApiError> {
        match query.get(self.name) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(text) => Err(invalid(self.name, "true, false, 1 or 0", text)),
        }
    }
}

impl Text {
    pub fn read(&self, query: &Query) -> Option<String> {
        query.get(self.name).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    }
}

impl RequiredText {
    pub fn read(&self, query: &Query) -> Result<String, ApiError> {
        let what = format!("{} to {} characters", self.min, self.max);
        let Some(text) = query.given(self.name) else {
            return Err(ApiError::BadRequest(format!("{} is required: {what}", self.name)));
        };
        let text = text.trim();
        if (self.min..=self.max).contains(&text.chars().count()) {
            Ok(text.to_owned())
        } else {
            Err(invalid(self.name, &what, text))
        }
    }
}

impl<T: Copy> Choice<T> {
    pub fn read(&self, query: &Query) -> Result<Option<T>, ApiError> {
        let Some(text) = query.get(self.name).or(self.default) else { return Ok(None) };
        match self.values.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let words: Vec<&str> = self.values.iter().map(|(word, _)| *word).collect();
                Err(invalid(self.name, &format!("one of {}", words.join(", ")), text))
            }
        }
    }

    /// For a parameter with a default.
    pub fn read_or_default(&self, query: &Query) -> Result<T, ApiError> {
        Ok(self.read(query)?.expect("the default is one of the values"))
    }
}

/// `limit must be a whole number from 1 to 100, not "abc"`
pub fn invalid(name: &str, what: &str, got: &str) -> ApiError {
    // Enough to recognize the mistake, not enough to fill a log.
    const SHOWN: usize = 60;
    let shown: String = got.chars().take(SHOWN).collect();
    let more = if shown.len() < got.len() { "…" } else { "" };
    ApiError::BadRequest(format!("{name} must be {what}, not \"{shown}{more}\""))
}

/// A minimum above its maximum matches nothing, which is never intended.
pub fn check_range(min: (&Int, Option<i64>), max: (&Int, Option<i64>)) -> Result<(), ApiError> {
    match (min.1, max.1) {
        (Some(least), Some(most)) if least > most => Err(ApiError::BadRequest(format!(
            "{} must not exceed {}, but {least} exceeds {most}",
            min.0.name, max.0.name
        ))),
        _ => Ok(()),
    }
}

macro_rules! impl_param {
    ($($type:ty => |$p:ident| $schema:expr, $required:literal;)*) => {$(
        impl Param for $type {
            fn name(&self) -> &'static str { self.name }
            fn about(&self) -> &'static str { self.about }
            fn schema(&self) -> Value { let $p = self; $schema }
            fn required(&self) -> bool { $required }
        }
    )*};
}

impl_param! {
    Int => |p| {
        let mut schema = json!({"type": "integer", "minimum": p.min, "maximum": p.max});
        if let Some(default) = p.default {
            schema["default"] = default.into();
        }
        schema
    }, false;
    Number => |p| json!({"type": "number", "minimum": p.min, "maximum": p.max}), false;
    Flag => |_p| json!({"type": "boolean"}), false;
    Text => |_p| json!({"type": "string"}), false;
    RequiredText => |p| json!({"type": "string", "minLength": p.min, "maxLength": p.max}), true;
}

impl<T: Copy + Sync> Param for Choice<T> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn about(&self) -> &'static str {
        self.about
    }
    fn schema(&self) -> Value {
        let words: Vec<&str> = self.values.iter().map(|(word, _)| *word).collect();
        let mut schema = json!({"type": "string", "enum": words});
        if let Some(default) = self.default {
            schema["default"] = default.into();
        }
        schema
    }
}
