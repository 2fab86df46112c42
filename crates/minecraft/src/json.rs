//! A JSON value that borrows its texts from the message, except those with escapes. Most pings parse one document, read it
//! once and drop it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

#[derive(Debug)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    /// In order of appearance. Of duplicate names the last one counts.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// serde_json limits the nesting to 128.
    pub fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The field of this name; null if there is none.
    pub fn field(&self, name: &str) -> &Self {
        match self {
            Self::Object(fields) => fields.iter().rfind(|(key, _)| key == name).map_or(&Self::Null, |(_, value)| value),
            _ => &Self::Null,
        }
    }

    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub fn list(&self) -> &[Self] {
        if let Self::List(list) = self { list } else { &[] }
    }
}

impl<'a> From<&'a Value> for Json<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(list) => Self::List(list.iter().map(Self::from).collect()),
            Value::Object(fields) => {
                Self::Object(fields.iter().map(|(name, value)| (name.into(), value.into())).collect())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(text.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(text.to_owned().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some(Key(name)) = entries.next_key()? {
            fields.push((name, entries.next_value()?));
        }
        Ok(Json::Object(fields))
    }
}

/// serde always deserializes a plain `Cow` as owned; this borrows if it can.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(JsonVisitor)? {
            Json::Text(name) => Ok(Self(name)),
            _ => Ok(Self(Cow::Borrowed(""))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_are_borrowed_unless_they_have_escapes() {
        let json = Json::parse(r#"{"a":"plain","b":"tw\u006f","a\n":[1,-2,0.5,true,null],"a":"last"}"#).unwrap();
        assert!(matches!(json.field("b"), Json::Text(Cow::Owned(text)) if text == "two"));
        assert!(matches!(json.field("a"), Json::Text(Cow::Borrowed("last"))), "the last duplicate counts");
        assert_eq!(json.field("a\n").list().len(), 5);
        assert!(matches!(json.field("c").field("d"), Json::Null) && json.field("c").text().is_none());
    }

    #[test]
    fn invalid_json_is_rejected() {
        for text in ["", "{", "{]", "[1,]", "{\"a\"}", "{1:2}", "1 2", "nul", "\"\n\"", &"[".repeat(100_000)] {
            assert!(Json::parse(text).is_none(), "{text:.20}");
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::vec(("\\PC{0,4}", inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(value in any_value()) {
            let text = value.to_string();
            prop_assert_eq!(format!("{:?}", Json::parse(&text).unwrap()), format!("{:?}", Json::from(&value)));
        }
    }
}
