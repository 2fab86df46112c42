//! JSON of strangers, looked at where it stands. Nothing is built of what nobody asked for: a number of two bytes would be a
//! value of seventy, and a server may send as many as it likes.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What stands for what is missing.
const NULL: &str = "null";

/// These fields of an object, each as it stands; of two with one name the last. `None` when it is no object.
pub fn fields<'j, const N: usize>(json: &'j str, names: [&str; N]) -> Option<[&'j str; N]> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let found = reader.deserialize_map(Wanted(names)).ok()?;
    reader.end().ok().map(|()| found)
}

/// The first of a list, each as it stands; nothing when it is no list.
pub fn first(json: &str, most: usize) -> Vec<&str> {
    serde_json::Deserializer::from_str(json).deserialize_seq(First(most)).unwrap_or_default()
}

struct Wanted<'n, const N: usize>([&'n str; N]);

impl<'j, const N: usize> Visitor<'j> for Wanted<'_, N> {
    type Value = [&'j str; N];

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'j>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut found = [NULL; N];
        while let Some(name) = map.next_key::<String>()? {
            match self.0.iter().position(|wanted| *wanted == name) {
                Some(place) => found[place] = map.next_value::<&RawValue>()?.get(),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

struct First(usize);

impl<'j> Visitor<'j> for First {
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
    fn fields_are_found_and_the_rest_is_passed_over() {
        let json = r#" {"a": 1, "b": {"a": [2]}, "a": "x", "\u0063": null, "d": [[[]]]} "#;
        assert_eq!(fields(json, ["a", "b", "c", "e"]), Some([r#""x""#, r#"{"a": [2]}"#, "null", "null"]));
        for json in ["", "7", "[]", "null", "{", "{}{}", r#"{"a":}"#, r#"{"a":1,}"#] {
            assert_eq!(fields(json, ["a"]), None, "{json}");
        }
        assert_eq!(first("[1, [2], 3]", 2), ["1", "[2]"]);
        assert!(first("{}", 2).is_empty() && first("[1", 2).is_empty());
    }

    #[test]
    fn what_is_deep_is_passed_over() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(40_000), "]".repeat(40_000));
        assert_eq!(fields(&deep, ["b"]), Some(["null"]));
        assert_eq!(fields(&deep, ["a"]).map(|[a]| first(a, 5).len()), Some(1));
    }

    proptest! {
        #[test]
        fn no_text_brings_it_down(json in "[\\[\\]{}\":,0-9a\\\\ ]{0,60}") {
            let _ = (fields(&json, ["a"]), first(&json, 3));
        }
    }
}
