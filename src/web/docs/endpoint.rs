//! One endpoint as a reader wants it.

use serde_json::Value;

use super::schema::{self, Field};
use crate::v1::ENDPOINTS;

pub struct Shown {
    pub tag: String,
    /// The operation's id: what a link leads to.
    pub anchor: String,
    pub path: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    pub max_age: u32,
    pub parameters: Vec<Parameter>,
    pub fields: Vec<Field>,
    pub example: String,
}

pub struct Parameter {
    pub name: String,
    pub required: bool,
    pub kind: String,
    pub values: Vec<String>,
    pub default: Option<String>,
    pub about: String,
}

/// Every endpoint, in the order of the contract.
pub fn all(document: &Value) -> Vec<Shown> {
    let show = |endpoint: &&'static crate::v1::Endpoint| {
        let operation = &document["paths"][endpoint.path]["get"];
        let content = &operation["responses"]["200"]["content"]["application/json"];
        let data = &content["schema"]["properties"]["data"];
        Shown {
            tag: endpoint.tag.to_owned(),
            anchor: endpoint.name.to_owned(),
            path: endpoint.path,
            summary: endpoint.summary,
            description: endpoint.description,
            max_age: endpoint.max_age,
            parameters: list(&operation["parameters"]).map(parameter).collect(),
            fields: schema::fields(document, data),
            example: serde_json::to_string_pretty(&content["example"]).unwrap_or_default(),
        }
    };
    ENDPOINTS.iter().map(show).collect()
}

fn parameter(declared: &Value) -> Parameter {
    let schema = &declared["schema"];
    Parameter {
        name: text(&declared["name"]),
        required: declared["required"] == true,
        kind: kind(schema),
        values: list(&schema["enum"]).map(text).collect(),
        default: (!schema["default"].is_null()).then(|| text(&schema["default"])),
        about: text(&declared["description"]),
    }
}

/// The largest whole number that any parameter takes: no bound that a reader need know.
const LARGEST: i64 = i32::MAX as i64;

/// `whole number, 1 to 100`
fn kind(schema: &Value) -> String {
    let name = match schema["type"].as_str() {
        Some("integer") => "whole number",
        Some("number") => "number",
        Some("boolean") => "true or false",
        _ if schema["enum"].is_array() => "one of",
        _ => "text",
    };
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Null, _) => name.to_owned(),
        (least, most) if *most == LARGEST => format!("{name}, from {}", text(least)),
        (least, most) => format!("{name}, {} to {}", text(least), text(most)),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text without its quotes, a round figure without its point.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or_else(String::new, |number| number.to_string()),
        other => other.to_string(),
    }
}
