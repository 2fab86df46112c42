//! Where the two engines need words of their own to read a list into one column.

use rollcall_store::{Conn, byte_order};

pub(super) struct Words {
    postgres: bool,
    /// After a text to order by: by its bytes.
    pub bytes: &'static str,
}

impl Words {
    pub fn of(conn: &Conn) -> Self {
        Self { postgres: conn.is_postgres(), bytes: byte_order(conn) }
    }

    /// A JSON array of `item` over the rows of `from`.
    pub fn list(&self, item: &str, from: &str, order: &str) -> String {
        if self.postgres {
            format!("(select coalesce(cast(json_agg({item} order by {order}) as text), '[]') from {from})")
        } else {
            format!("(select json_group_array({item} order by {order}) from {from})")
        }
    }

    /// A JSON object of `'name', value, …`.
    pub fn object(&self, pairs: &str) -> String {
        if self.postgres { format!("json_build_object({pairs})") } else { format!("json_object({pairs})") }
    }
}

/// What [`Words::list`] gives.
pub(super) fn read_list<T: serde::de::DeserializeOwned>(json: &str) -> Vec<T> {
    serde_json::from_str(json).expect("the engine writes well-formed JSON")
}
