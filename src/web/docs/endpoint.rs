//! One endpoint of the reference, read from the OpenAPI document.

use serde_json::Value;

use super::schema::{self, Fields};
use crate::v1::{ENDPOINTS, Endpoint};

pub struct EndpointDoc {
    pub endpoint: &'static Endpoint,
    pub tag: String,
    /// The operation id, used as the link target.
    pub anchor: String,
    pub path: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    pub max_age: u32,
    pub parameters: Vec<ParameterDoc>,
    pub fields: Fields,
    /// `None`: the response is a stream, which never ends.
    pub example: Option<String>,
}

pub struct ParameterDoc {
    pub name: String,
    pub required: bool,
    pub kind: String,
    pub values: Vec<String>,
    pub default: Option<String>,
    pub description: String,
}

/// Every endpoint, in the order of the contract.
pub fn all(document: &Value) -> Vec<EndpointDoc> {
    let describe = |endpoint: &&'static Endpoint| {
        let operation = &document["paths"][endpoint.path]["get"];
        let content = &operation["responses"]["200"]["content"];
        let (json, stream) = (&content["application/json"], &content["text/event-stream"]);
        let data =
            if json.is_null() { &stream["schema"]["contentSchema"] } else { &json["schema"]["properties"]["data"] };
        EndpointDoc {
            endpoint,
            tag: endpoint.tag.to_owned(),
            anchor: endpoint.name.to_owned(),
            path: endpoint.path,
            summary: endpoint.summary,
            description: endpoint.description,
            max_age: endpoint.max_age,
            parameters: list(&operation["parameters"]).map(parameter).collect(),
            fields: fields(document, data),
            example: (!json.is_null()).then(|| serde_json::to_string_pretty(&json["example"]).unwrap_or_default()),
        }
    };
    ENDPOINTS.iter().map(describe).collect()
}

/// The fields of every form of `data`, each once.
fn fields(document: &Value, data: &Value) -> Fields {
    let forms = data["anyOf"].as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
    let mut all = Fields::default();
    for Fields { mut fixed, mut alternatives } in forms.iter().map(|form| schema::fields(document, form)) {
        fixed.retain(|field| !all.fixed.iter().any(|known| known.path == field.path));
        alternatives.retain(|alternative| !all.alternatives.contains(alternative));
        all.fixed.append(&mut fixed);
        all.alternatives.append(&mut alternatives);
    }
    all
}

fn parameter(declared: &Value) -> ParameterDoc {
    let schema = &declared["schema"];
    ParameterDoc {
        name: text(&declared["name"]),
        required: declared["required"] == true,
        kind: kind(schema),
        values: list(&schema["enum"]).chain(list(&schema["items"]["enum"])).map(text).collect(),
        default: (!schema["default"].is_null()).then(|| text(&schema["default"])),
        description: text(&declared["description"]),
    }
}

/// The maximum of unbounded parameters; the reference does not mention it.
const UNBOUNDED: i64 = i32::MAX as i64;

/// `whole number, 1 to 100`
fn kind(schema: &Value) -> String {
    let name = match schema["type"].as_str() {
        Some("integer") => "whole number",
        Some("number") => "number",
        Some("boolean") => "true or false",
        Some("array") if schema["items"]["enum"].is_array() => "one or more of",
        Some("array") => "list, separated by commas",
        _ if schema["enum"].is_array() => "one of",
        _ => "text",
    };
    if let (Some(least), Some(most)) = (schema["minLength"].as_u64(), schema["maxLength"].as_u64()) {
        return format!("{name}, {least} to {most} characters");
    }
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Null, _) => name.to_owned(),
        (min, max) if *max == UNBOUNDED => format!("{name}, from {}", text(min)),
        (min, max) => format!("{name}, {} to {}", text(min), text(max)),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A string without quotes, a whole number without a decimal point.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or_else(String::new, |number| number.to_string()),
        other => other.to_string(),
    }
}
