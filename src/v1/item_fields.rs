//! `fields` of lists: which keys the items have.

use serde_json::{Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::params::{Param, invalid};
use crate::error::ApiError;
use crate::http::query::Query;

/// `fields`. Without it, items have all keys, and the list costs nothing more.
pub struct ItemFields {
    /// The name of the list in `data`.
    pub items: &'static str,
    pub item: fn() -> RefOr<Schema>,
}

const NAME: &str = "fields";

impl ItemFields {
    fn names(&self) -> Vec<String> {
        match (self.item)() {
            RefOr::T(Schema::Object(item)) => item.properties.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// The selected keys in the order of the item.
    pub fn read(&self, query: &Query) -> Result<Option<Vec<String>>, ApiError> {
        let Some(text) = query.get(NAME) else { return Ok(None) };
        let mut names = self.names();
        let wanted: Vec<&str> = text.split(',').map(str::trim).collect();
        if let Some(unknown) = wanted.iter().find(|word| !names.iter().any(|name| name == *word)) {
            let what = format!("one or more of {}, separated by commas", names.join(", "));
            return Err(invalid(NAME, &what, unknown));
        }
        names.retain(|name| wanted.contains(&name.as_str()));
        Ok(Some(names))
    }
}

impl Param for ItemFields {
    fn name(&self) -> &'static str {
        NAME
    }
    fn about(&self) -> &'static str {
        "The keys of each item, separated by commas; all by default."
    }
    fn schema(&self) -> Value {
        json!({"type": "array", "minItems": 1, "items": {"type": "string", "enum": self.names()}})
    }
    fn is_list(&self) -> bool {
        true
    }
    fn items(&self) -> Option<&'static str> {
        Some(self.items)
    }
    fn selected(&self, query: &Query) -> Result<Option<(&'static str, Vec<String>)>, ApiError> {
        Ok(self.read(query)?.map(|fields| (self.items, fields)))
    }
}

/// A response with only these keys in its items.
pub fn select(body: &[u8], items: &str, fields: &[String]) -> Result<Vec<u8>, ApiError> {
    let internal = |error: serde_json::Error| ApiError::Internal(error.to_string());
    let mut response: Value = serde_json::from_slice(body).map_err(internal)?;
    for item in response["data"][items].as_array_mut().into_iter().flatten() {
        if let Value::Object(keys) = item {
            keys.retain(|key, _| fields.contains(key));
        }
    }
    serde_json::to_vec(&response).map_err(internal)
}
