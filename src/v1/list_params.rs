//! Parameters that are lists, separated by commas.

use serde_json::{Value, json};

use super::params::{Param, invalid};
use crate::error::ApiError;
use crate::http::query::Query;

/// One or more of a few words. Without the parameter, all of them.
pub struct Choices {
    pub name: &'static str,
    pub about: &'static str,
    pub values: &'static [&'static str],
}

impl Choices {
    /// The chosen words in the order of their declaration; `None` if the parameter is not given.
    pub fn read(&self, query: &Query) -> Result<Option<Vec<&'static str>>, ApiError> {
        let Some(text) = query.get(self.name) else { return Ok(None) };
        let wanted: Vec<&str> = text.split(',').map(str::trim).collect();
        if let Some(unknown) = wanted.iter().find(|word| !self.values.contains(word)) {
            let what = format!("one or more of {}, separated by commas", self.values.join(", "));
            return Err(invalid(self.name, &what, unknown));
        }
        Ok(Some(self.values.iter().copied().filter(|word| wanted.contains(word)).collect()))
    }
}

impl Param for Choices {
    fn name(&self) -> &'static str {
        self.name
    }
    fn about(&self) -> &'static str {
        self.about
    }
    fn schema(&self) -> Value {
        json!({"type": "array", "minItems": 1, "items": {"type": "string", "enum": self.values}})
    }
    fn is_list(&self) -> bool {
        true
    }
}

/// Required names of items.
pub struct Names {
    pub name: &'static str,
    pub about: &'static str,
    pub max: usize,
}

impl Names {
    /// In the order of the request.
    pub fn read(&self, query: &Query) -> Result<Vec<String>, ApiError> {
        let what = format!("1 to {} values, separated by commas", self.max);
        let Some(text) = query.given(self.name) else {
            return Err(ApiError::BadRequest(format!("{} is required: {what}", self.name)));
        };
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        if names.len() > self.max || names.iter().any(String::is_empty) {
            return Err(invalid(self.name, &what, text));
        }
        Ok(names)
    }
}

impl Param for Names {
    fn name(&self) -> &'static str {
        self.name
    }
    fn about(&self) -> &'static str {
        self.about
    }
    fn schema(&self) -> Value {
        json!({"type": "array", "minItems": 1, "maxItems": self.max, "items": {"type": "string", "minLength": 1}})
    }
    fn required(&self) -> bool {
        true
    }
    fn is_list(&self) -> bool {
        true
    }
}
