//! Cursors: the position of an item in a list, as opaque text.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::params::{PAGE, Param, invalid};
use crate::catalogue::ListPosition;
use crate::error::ApiError;
use crate::http::query::Query;

/// Starts a list that is read by cursor.
const START: &str = "start";

/// `after`
pub struct After {
    pub about: &'static str,
}

/// The position where a list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CursorPosition<T> {
    Start,
    After(T),
}

impl<T> CursorPosition<T> {
    pub fn after(self) -> Option<T> {
        match self {
            Self::Start => None,
            Self::After(position) => Some(position),
        }
    }
}

impl After {
    const NAME: &'static str = "after";

    /// `None` if the parameter is not given.
    pub fn read<T: DeserializeOwned>(&self, query: &Query) -> Result<Option<CursorPosition<T>>, ApiError> {
        let Some(text) = query.get(Self::NAME) else { return Ok(None) };
        if text == START {
            return Ok(Some(CursorPosition::Start));
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok();
        let position = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        position.map(|position| Some(CursorPosition::After(position))).ok_or_else(|| self.refused(query))
    }

    /// The same in a list that also has pages by number.
    pub fn read_in_list<T: DeserializeOwned>(&self, query: &Query) -> Result<Option<CursorPosition<T>>, ApiError> {
        match (self.read(query)?, query.get(PAGE.name)) {
            (Some(_), Some(page)) => Err(invalid(PAGE.name, "left out with after", page)),
            (position, _) => Ok(position),
        }
    }

    /// The same in a list with sort orders: the position must be one of this order.
    pub fn read_sorted<S>(&self, query: &Query, sort: S) -> Result<Option<CursorPosition<ListPosition<S>>>, ApiError>
    where
        S: PartialEq + DeserializeOwned,
    {
        match self.read_in_list::<ListPosition<S>>(query)? {
            Some(CursorPosition::After(position)) if position.sort != sort => Err(self.refused(query)),
            position => Ok(position),
        }
    }

    /// The error for a cursor of another list.
    pub fn refused(&self, query: &Query) -> ApiError {
        let text = query.get(Self::NAME).unwrap_or_default();
        invalid(Self::NAME, "start, or `next` of a response with the same parameters", text)
    }
}

impl Param for After {
    fn name(&self) -> &'static str {
        Self::NAME
    }
    fn about(&self) -> &'static str {
        self.about
    }
    fn schema(&self) -> Value {
        json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"})
    }
}

/// The cursor of a position.
pub fn encode<T: Serialize>(position: &T) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(position).expect("a position serialises"))
}

/// `after` of lists that also have pages by number.
pub const AFTER: After = After {
    about: "`start`, or `next` of the response before: reads the list by cursor, which repeats and misses nothing while items come and \
            go. The response has `next` (null at the end) instead of `page` and `totalPages`.",
};

/// A page of a list, read by cursor: with `next` instead of page numbers.
pub fn page(body: &[u8], next: Option<String>) -> Result<Vec<u8>, ApiError> {
    let internal = |error: serde_json::Error| ApiError::Internal(error.to_string());
    let mut response: Value = serde_json::from_slice(body).map_err(internal)?;
    response["data"]["next"] = json!(next);
    // Either of both has them.
    for pointer in ["/data", "/data/pagination"] {
        if let Some(keys) = response.pointer_mut(pointer).and_then(Value::as_object_mut) {
            keys.retain(|name, _| !PAGE_NUMBERS.contains(&name.as_str()));
        }
    }
    serde_json::to_vec(&response).map_err(internal)
}

/// What a page that is read by cursor does not have.
pub const PAGE_NUMBERS: [&str; 2] = ["page", "totalPages"];
