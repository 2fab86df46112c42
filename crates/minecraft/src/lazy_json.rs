//! Extracts raw fields from JSON without building values for the rest: a two-byte number would become a value of 70 bytes, and
//! a hostile server may send tens of thousands.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The value of a missing field.
const NULL: &str = "null";

/// The raw JSON of these fields; of duplicate names the last one. `None` if this is not an object.
pub fn raw_fields<'j, const N: usize>(json: &'j str, names: [&str; N]) -> Option<[&'j str; N]> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let found = reader.deserialize_map(RawFields(names)).ok()?;
    reader.end().ok().map(|()| found)
}

/// The raw JSON of the first `max` items of a list; empty if this is not a list.
pub fn first_items(json: &str, max: usize) -> Vec<&str> {
    serde_json::Deserializer::from_str(json).deserialize_seq(FirstItems(max)).unwrap_or_default()
}

struct RawFields<'n, const N: usize>([&'n str; N]);

impl<'j, const N: usize> Visitor<'j> for RawFields<'_, N> {
    type Value = [&'j str; N];

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'j>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut found = [NULL; N];
        while let Some(name) = map.next_key::<String>()? {
            match self.0.iter().position(|wanted| *wanted == name) {
                Some(index) => found[index] = map.next_value::<&RawValue>()?.get(),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

struct FirstItems(usize);

impl<'j> Visitor<'j> for FirstItems {
    type Value = Vec<&'j str>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<S: SeqAccess<'j>>(self, mut list: S) -> Result<Self::Value, S::Error> {
        let mut found = Vec::new();
        while found.len() < self.0
            && let Some(item) = list.next_element::<&RawValue>()?
        {
            found.push(item.get());
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn requested_fields_are_found() {
        let json = r#" {"a": 1, "b": {"a": [2]}, "a": "x", "\u0063": null, "d": [[[]]]} "#;
        assert_eq!(raw_fields(json, ["a", "b", "c", "e"]), Some([r#""x""#, r#"{"a": [2]}"#, "null", "null"]));
        for json in ["", "7", "[]", "null", "{", "{}{}", r#"{"a":}"#, r#"{"a":1,}"#] {
            assert_eq!(raw_fields(json, ["a"]), None, "{json}");
        }
        assert_eq!(first_items("[1, [2], 3]", 2), ["1", "[2]"]);
        assert!(first_items("{}", 2).is_empty() && first_items("[1", 2).is_empty());
    }

    #[test]
    fn deep_nesting_is_skipped() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(40_000), "]".repeat(40_000));
        assert_eq!(raw_fields(&deep, ["b"]), Some(["null"]));
        assert_eq!(raw_fields(&deep, ["a"]).map(|[a]| first_items(a, 5).len()), Some(1));
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(json in "[\\[\\]{}\":,0-9a\\\\ ]{0,60}") {
            let _ = (raw_fields(&json, ["a"]), first_items(&json, 3));
        }
    }
}
