//! The fields of an answer, one line each, however deep they stand.

use serde_json::Value;

pub struct Field {
    /// `servers[].owner.name`
    pub path: String,
    pub kind: String,
    pub about: String,
}

/// No answer is nested deeper; a schema that led round in a circle would end here.
const DEEPEST: usize = 8;

/// What stands in `data`.
pub fn fields(document: &Value, data: &Value) -> Vec<Field> {
    let mut fields = Vec::new();
    walk(document, data, "", DEEPEST, &mut fields);
    fields
}

fn walk(document: &Value, schema: &Value, path: &str, depth: usize, fields: &mut Vec<Field>) {
    let schema = resolve(document, schema);
    let Some(properties) = schema["properties"].as_object().filter(|_| depth > 0) else { return };
    for (name, property) in properties {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let (inner, nullable) = without_null(property);
        let target = resolve(document, inner);
        let about = [property, inner, target].into_iter().find_map(|schema| schema["description"].as_str());
        let items = resolve(document, &target["items"]);
        let mut kind = kind(target, items);
        if nullable {
            kind += " or null";
        }
        let deeper = if target["type"] == "array" { format!("{path}[]") } else { path.clone() };
        fields.push(Field { path, kind, about: about.unwrap_or_default().to_owned() });
        walk(document, if target["type"] == "array" { items } else { target }, &deeper, depth - 1, fields);
    }
}

fn kind(schema: &Value, items: &Value) -> String {
    let plain = |schema: &Value| match first_type(schema) {
        Some("integer") => "whole number",
        Some("string") if schema["format"] == "date-time" => "time",
        Some("string") if schema["format"] == "uri" => "address",
        Some("string") => "text",
        Some("boolean") => "true or false",
        Some("number") => "number",
        Some("object") => "object",
        _ => "anything",
    };
    match first_type(schema) {
        Some("array") => format!("list of {}", plural(plain(items))),
        _ => plain(schema).to_owned(),
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "address" => "addresses".to_owned(),
        "true or false" | "anything" => kind.to_owned(),
        kind => format!("{kind}s"),
    }
}

/// `type` is a name, or a list of which one may be null.
fn first_type(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        name => name.as_str(),
    }
}

/// What a schema allows beside null, and whether it allows null.
fn without_null(schema: &Value) -> (&Value, bool) {
    let listed = schema["type"].as_array().is_some_and(|types| types.iter().any(|name| name == "null"));
    match schema["oneOf"].as_array() {
        Some(choices) => {
            let inner = choices.iter().find(|choice| choice["type"] != "null").unwrap_or(schema);
            (inner, choices.iter().any(|choice| choice["type"] == "null"))
        }
        None => (schema, listed),
    }
}

fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str().and_then(|name| document.pointer(name.trim_start_matches('#'))) {
        Some(target) => target,
        None => schema,
    }
}
