//! The form of an endpoint: one field per parameter, with an example.

use serde_json::Value;

use super::page_call::PageCall;
use crate::http::query::encode;
use crate::v1::params::{MAX_INT, Param};
use crate::web::code_sample::ApiCall;
use crate::web::examples::Examples;
use crate::web::view;

/// A form with more fields than this shows only the first few and collapses the rest.
const MAX_VISIBLE: usize = 7;
const VISIBLE_WHEN_COLLAPSED: usize = 4;

pub struct Form {
    pub visible: Vec<Field>,
    pub collapsed: Vec<Field>,
}

pub struct Field {
    pub name: &'static str,
    pub about: &'static str,
    pub is_in_path: bool,
    pub is_required: bool,
    /// The accepted values in words.
    pub kind: String,
    pub value: String,
    /// The accepted values if they are few.
    pub choices: Vec<String>,
    pub default: Option<String>,
    /// A value that works; empty where the field is filled in already or its choices are listed.
    pub example: String,
    /// The page with the example filled in, for browsers without scripts.
    pub example_url: String,
    pub suggestions: Vec<String>,
    /// `inputmode`
    pub keyboard: &'static str,
}

impl Form {
    pub fn new(given: &PageCall, call: &ApiCall, examples: &Examples) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        if let Some(param) = &call.endpoint.path_param {
            let suggestions = examples.of_path(call.endpoint).to_vec();
            let value = call.segment.clone();
            fields.push(Field { value, suggestions, ..path_field(param.name, param.about) });
        }
        fields.extend(call.endpoint.params.iter().map(|param| query_field(*param, given, call, examples)));
        let collapsed = match fields.len() {
            count if count > MAX_VISIBLE => fields.split_off(VISIBLE_WHEN_COLLAPSED),
            _ => Vec::new(),
        };
        Self { visible: fields, collapsed }
    }

    pub fn collapsed_count(&self) -> i64 {
        self.collapsed.len() as i64
    }

    /// Whether a collapsed field has a value, and must be seen.
    pub fn is_open(&self) -> bool {
        self.collapsed.iter().any(|field| !field.value.is_empty())
    }
}

fn path_field(name: &'static str, about: &'static str) -> Field {
    Field {
        name,
        about,
        is_in_path: true,
        is_required: true,
        kind: view::language().translate("text").to_owned(),
        value: String::new(),
        choices: Vec::new(),
        default: None,
        example: String::new(),
        example_url: String::new(),
        suggestions: Vec::new(),
        keyboard: "text",
    }
}

fn query_field(param: &dyn Param, given: &PageCall, call: &ApiCall, examples: &Examples) -> Field {
    let schema = param.schema();
    let name = param.name();
    let filled = call.query.iter().find(|(found, _)| *found == name).map(|(_, value)| value.as_str());
    let value = filled.unwrap_or_else(|| given.value(name)).to_owned();
    let choices = choices(&schema, &value);
    let example = if choices.is_empty() { examples.of_param(call.endpoint, param) } else { String::new() };
    Field {
        is_in_path: false,
        is_required: param.required(),
        kind: kind(&schema),
        example_url: page_url(call, name, &example),
        value,
        default: (!schema["default"].is_null())
            .then(|| schema["default"].as_str().map_or(schema["default"].to_string(), str::to_owned)),
        choices,
        example,
        keyboard: match schema["type"].as_str() {
            Some("integer") => "numeric",
            Some("number") => "decimal",
            _ => "text",
        },
        ..path_field(name, param.about())
    }
}

/// The listed values. A shared address may hold one that the API rejects: it is shown, too.
fn choices(schema: &Value, value: &str) -> Vec<String> {
    let mut choices: Vec<String> = match schema["type"].as_str() {
        Some("boolean") => vec!["true".into(), "false".into()],
        _ => schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
    };
    if !choices.is_empty() && !value.is_empty() && !choices.iter().any(|choice| choice == value) {
        choices.push(value.to_owned());
    }
    choices
}

/// `whole number, 1 to 100`; empty for choices, which are listed.
fn kind(schema: &Value) -> String {
    let language = view::language();
    let bounds = |from: &Value, to: &Value| match to.as_f64() {
        Some(most) if most == MAX_INT as f64 => language.fill("from {}", &[from]),
        _ => language.fill("{} to {}", &[from, to]),
    };
    match schema["type"].as_str() {
        Some("integer") => {
            format!("{}, {}", language.translate("whole number"), bounds(&schema["minimum"], &schema["maximum"]))
        }
        Some("number") => {
            format!("{}, {}", language.translate("number"), bounds(&schema["minimum"], &schema["maximum"]))
        }
        Some("string") if schema["maxLength"].is_u64() => {
            language.fill("text, {} to {} characters", &[&schema["minLength"], &schema["maxLength"]])
        }
        Some("array") => language.translate("text").to_owned(),
        Some("string") if !schema["enum"].is_array() => language.translate("text").to_owned(),
        _ => String::new(),
    }
}

/// The page with the values of the call and another value of one parameter.
fn page_url(call: &ApiCall, name: &str, value: &str) -> String {
    let mut url = format!("/playground?endpoint={}", call.endpoint.name);
    if let Some(param) = &call.endpoint.path_param {
        url += &format!("&{}={}", param.name, encode(&call.segment));
    }
    for (other, value) in call.query.iter().filter(|(other, _)| *other != name) {
        url += &format!("&{other}={}", encode(value));
    }
    format!("{url}&{name}={}", encode(value))
}
