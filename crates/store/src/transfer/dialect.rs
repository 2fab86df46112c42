//! SQL that differs between the engines: reading a list into one JSON column.

use crate::{Conn, byte_collation};

pub(super) struct Dialect {
    postgres: bool,
    /// Appended to a text column in `order by`: orders by bytes on both engines.
    pub byte_collation: &'static str,
}

impl Dialect {
    pub fn of(conn: &Conn) -> Self {
        Self { postgres: conn.is_postgres(), byte_collation: byte_collation(conn) }
    }

    /// A JSON array of `item` over the rows of `from`. Read it with [`parse_list`].
    pub fn json_array(&self, item: &str, from: &str, order: &str) -> String {
        if self.postgres {
            format!("(select coalesce(cast(json_agg({item} order by {order}) as text), '[]') from {from})")
        } else {
            format!("(select json_group_array({item} order by {order}) from {from})")
        }
    }

    /// A JSON object of `'name', value, …`.
    pub fn json_object(&self, pairs: &str) -> String {
        if self.postgres { format!("json_build_object({pairs})") } else { format!("json_object({pairs})") }
    }
}

pub(super) fn parse_list<T: serde::de::DeserializeOwned>(json: &str) -> Vec<T> {
    serde_json::from_str(json).expect("the database returns well-formed JSON")
}
