//! The fields of a response, flattened to one line each.

use serde_json::Value;

pub struct FieldDoc {
    /// `servers[].owner.name`
    pub path: String,
    pub kind: String,
    pub description: String,
}

/// Deeper than any response; stops at recursive schemas.
const MAX_DEPTH: usize = 8;

/// The fields of `data`.
pub fn fields(document: &Value, data: &Value) -> Vec<FieldDoc> {
    let mut fields = Vec::new();
    walk(document, data, "", MAX_DEPTH, &mut fields);
    fields
}

fn walk(document: &Value, schema: &Value, path: &str, depth: usize, fields: &mut Vec<FieldDoc>) {
    let schema = resolve(document, schema);
    let Some(properties) = schema["properties"].as_object().filter(|_| depth > 0) else { return };
    for (name, property) in properties {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let (inner, nullable) = without_null(property);
        let target = resolve(document, inner);
        let description = [property, inner, target].into_iter().find_map(|schema| schema["description"].as_str());
        let items = resolve(document, &target["items"]);
        let mut kind = kind(target, items);
        if nullable {
            kind += " or null";
        }
        let deeper = if target["type"] == "array" { format!("{path}[]") } else { path.clone() };
        fields.push(FieldDoc { path, kind, description: description.unwrap_or_default().to_owned() });
        walk(document, if target["type"] == "array" { items } else { target }, &deeper, depth - 1, fields);
    }
}

fn kind(schema: &Value, items: &Value) -> String {
    let plain = |schema: &Value| match first_type(schema) {
        Some("integer") => "whole number",
        Some("string") if schema["format"] == "date-time" => "time",
        Some("string") if schema["format"] == "uri" => "URL",
        Some("string") if schema["format"] == "uuid" => "UUID",
        Some("string") => "text",
        Some("boolean") => "true or false",
        Some("number") => "number",
        Some("object") => "object",
        _ => "anything",
    };
    match first_type(schema) {
        Some("array") => match schema["maxItems"].as_u64() {
            Some(most) => format!("list of at most {most} {}", plural(plain(items))),
            None => format!("list of {}", plural(plain(items))),
        },
        _ => match schema["enum"].as_array() {
            Some(values) => values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
            None => plain(schema).to_owned(),
        },
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "URL" => "URLs".to_owned(),
        "true or false" | "anything" => kind.to_owned(),
        kind => format!("{kind}s"),
    }
}

/// `type` is a name or a list that may include `null`.
fn first_type(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        name => name.as_str(),
    }
}

/// The non-null alternative of a schema, and whether null is allowed.
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
