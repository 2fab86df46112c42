//! `fields` of lists: which keys the items have.

use serde_json::{Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::params::{Param, invalid};
use crate::error::ApiError;
use crate::http::query::Query;

/// A list in `data`, as a JSON pointer, and the schema of its items.
type ItemList = (&'static str, fn() -> RefOr<Schema>);

/// `fields` of these lists. Without it, items have all keys, and the lists cost nothing more.
pub struct ItemFields(pub &'static [ItemList]);

const NAME: &str = "fields";

impl ItemFields {
    /// The keys of all items, each once.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (_, schema) in self.0 {
            if let RefOr::T(Schema::Object(item)) = schema() {
                for name in item.properties.keys() {
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                }
            }
        }
        names
    }

    /// The selected keys in the order of the items.
    fn read(&self, query: &Query) -> Result<Option<Vec<String>>, ApiError> {
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
        match self.0 {
            [_] => "The keys of each item, separated by commas; all by default.",
            _ => {
                "The keys of each item, separated by commas; all by default. A key that only one kind of items has is left \
                 out of the others."
            }
        }
    }
    fn schema(&self) -> Value {
        json!({"type": "array", "minItems": 1, "items": {"type": "string", "enum": self.names()}})
    }
    fn is_list(&self) -> bool {
        true
    }
    fn item_lists(&self) -> Vec<&'static str> {
        self.0.iter().map(|(list, _)| *list).collect()
    }
    fn item_fields(&self, query: &Query) -> Result<Option<Vec<String>>, ApiError> {
        self.read(query)
    }
}

/// A response with only these keys in the items of these lists.
pub fn select(body: &[u8], lists: &[&str], fields: &[String]) -> Result<Vec<u8>, ApiError> {
    let internal = |error: serde_json::Error| ApiError::Internal(error.to_string());
    let mut response: Value = serde_json::from_slice(body).map_err(internal)?;
    for list in lists {
        let items = response["data"].pointer_mut(list).and_then(Value::as_array_mut);
        for item in items.into_iter().flatten() {
            if let Value::Object(keys) = item {
                keys.retain(|key, _| fields.contains(key));
            }
        }
    }
    serde_json::to_vec(&response).map_err(internal)
}
