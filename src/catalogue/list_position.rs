//! The position of a reader in a sorted list: the sort key of the last item and its tie-break. It stays meaningful
//! while items move, appear and disappear.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// `S` is the sort order. What an order does not use is empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListPosition<S> {
    #[serde(rename = "s")]
    pub sort: S,
    #[serde(rename = "i", default, skip_serializing_if = "is_zero")]
    pub int: i64,
    /// A second key, where the first is not the whole order.
    #[serde(rename = "j", default, skip_serializing_if = "is_zero")]
    pub second: i64,
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub float: Option<f64>,
    #[serde(rename = "t", default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The tie-break: an id, or a number.
    #[serde(rename = "id", default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    #[serde(rename = "n", default, skip_serializing_if = "is_zero")]
    pub n: i64,
}

fn is_zero(value: &i64) -> bool {
    *value == 0
}

impl<S> ListPosition<S> {
    pub fn of_int(sort: S, int: i64) -> Self {
        Self { sort, int, second: 0, float: None, text: String::new(), id: String::new(), n: 0 }
    }

    pub fn of_float(sort: S, float: f64) -> Self {
        Self { float: Some(float), ..Self::of_int(sort, 0) }
    }

    pub fn of_text(sort: S, text: String) -> Self {
        Self { text, ..Self::of_int(sort, 0) }
    }

    /// Highest values first.
    pub fn descending_int(&self, value: i64) -> Ordering {
        self.int.cmp(&value)
    }

    pub fn descending_float(&self, value: f64) -> Ordering {
        self.float.unwrap_or_default().total_cmp(&value)
    }
}

/// A page that begins after a position.
pub struct PageAfter<T, S> {
    pub items: Vec<T>,
    /// Of the whole list.
    pub total: u64,
    /// Start of the next page; `None` on the last page.
    pub next: Option<ListPosition<S>>,
}

impl<T, S> PageAfter<T, S> {
    pub fn empty() -> Self {
        Self { items: Vec::new(), total: 0, next: None }
    }
}
