//! Reads the fields of a report: an error names the field and says what is right. A field that is `null` is missing.

use serde_json::{Map, Value};

pub type Fields = Map<String, Value>;

/// The object that `what` must be.
pub fn parse(what: &str, body: &[u8]) -> Result<Fields, String> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => Err(wrong(what, "a JSON object", &other)),
        // Wrong syntax is a matter of the sender's program, which knows where its text is wrong.
        Err(error) => {
            Err(format!("{what} is not JSON: the error is at line {} column {}", error.line(), error.column()))
        }
    }
}

pub fn number(fields: &Fields, name: &str) -> Result<Option<f64>, String> {
    read(fields, name, "a number", Value::as_f64)
}

pub fn text<'a>(fields: &'a Fields, name: &str) -> Result<Option<&'a str>, String> {
    read(fields, name, "a text", Value::as_str)
}

pub fn list<'a>(fields: &'a Fields, name: &str) -> Result<Option<&'a [Value]>, String> {
    read(fields, name, "a list", |value| value.as_array().map(Vec::as_slice))
}

pub fn object<'a>(fields: &'a Fields, name: &str) -> Result<Option<&'a Fields>, String> {
    read(fields, name, "an object", Value::as_object)
}

/// A text of a list entry; an empty one if there is none. Entries that are wrong are left out, and no error.
pub fn entry_text<'a>(entry: &'a Value, name: &str) -> &'a str {
    entry.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn read<'a, T>(
    fields: &'a Fields,
    name: &str,
    kind: &str,
    convert: impl FnOnce(&'a Value) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(value) = fields.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    convert(value).map(Some).ok_or_else(|| wrong(name, kind, value))
}

/// Names the kind of the wrong value, not the value: it may be long.
fn wrong(name: &str, kind: &str, value: &Value) -> String {
    let given = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("{name} must be {kind}, not {given}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_what_they_must_be() {
        let fields =
            parse("The report", br#"{"n":1,"t":"x","l":[1],"o":{},"missing":null,"b":true}"#).expect("an object");
        assert_eq!((number(&fields, "n"), text(&fields, "t")), (Ok(Some(1.0)), Ok(Some("x"))));
        assert_eq!(list(&fields, "l").map(|list| list.map(<[Value]>::len)), Ok(Some(1)));
        assert_eq!(object(&fields, "o").map(|object| object.is_some()), Ok(true));
        for name in ["missing", "none"] {
            assert_eq!((number(&fields, name), text(&fields, name)), (Ok(None), Ok(None)));
            assert_eq!((list(&fields, name), object(&fields, name)), (Ok(None), Ok(None)));
        }
        assert_eq!(number(&fields, "t"), Err("t must be a number, not a text".to_owned()));
        assert_eq!(text(&fields, "n"), Err("n must be a text, not a number".to_owned()));
        assert_eq!(list(&fields, "o"), Err("o must be a list, not an object".to_owned()));
        assert_eq!(object(&fields, "l"), Err("l must be an object, not a list".to_owned()));
        assert_eq!(number(&fields, "b"), Err("b must be a number, not true or false".to_owned()));
    }
}
