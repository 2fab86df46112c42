//! Cursors: the place of an item in a list, as text that clients hand back unread.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::params::{Param, invalid};
use crate::error::ApiError;
use crate::http::query::Query;

/// Starts a list that is read by cursor.
const START: &str = "start";

/// `after`
pub struct After {
    pub about: &'static str,
}

/// Where a list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position<T> {
    Start,
    After(T),
}

impl<T> Position<T> {
    pub fn after(self) -> Option<T> {
        match self {
            Self::Start => None,
            Self::After(place) => Some(place),
        }
    }
}

impl After {
    const NAME: &'static str = "after";

    /// `None` if the parameter is not given.
    pub fn read<T: DeserializeOwned>(&self, query: &Query) -> Result<Option<Position<T>>, ApiError> {
        let Some(text) = query.get(Self::NAME) else { return Ok(None) };
        if text == START {
            return Ok(Some(Position::Start));
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok();
        let place = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        place.map(|place| Some(Position::After(place))).ok_or_else(|| self.refused(query))
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

/// The cursor of a place.
pub fn encode<T: Serialize>(place: &T) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(place).expect("a place serialises"))
}
