//! Checks every response of a test against `/openapi.json`.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use jsonschema::Validator;
use rollcall::v1;
use serde_json::Value;

use super::{PUBLIC_URL, TestResponse};

/// Panics unless the document describes the response.
pub fn check(method: &reqwest::Method, path: &str, response: &TestResponse) {
    if method == reqwest::Method::HEAD || response.status == 304 || response.status == 204 {
        assert!(response.body.is_empty(), "{method} {path} has a body");
        return;
    }
    let plain = path.split('?').next().unwrap_or_default();
    let operation = v1::route(plain).ok().flatten().map(|(endpoint, _)| endpoint.path);
    let validators = validators();
    if let (Some(operation), Some("text/csv; charset=utf-8")) = (operation, response.header("content-type")) {
        let content = &document()["paths"][operation]["get"]["responses"]["200"]["content"];
        assert!(response.status == 200 && content["text/csv"].is_object(), "{path} is a table");
        return;
    }
    let json = response.json();
    let key = match operation {
        Some(operation) if response.status == 200 => operation,
        _ => "error",
    };
    let validator = &validators[key];
    if let Err(error) = validator.validate(&json) {
        panic!(
            "{method} {path} ({}) does not match the document: {error} at {}",
            response.status,
            error.instance_path()
        );
    }
    if let Some(operation) = operation {
        // Methods without an operation are a 405.
        let documented = !document()["paths"][operation]["get"]["responses"][response.status.to_string()].is_null();
        assert!(documented || response.status == 405, "{path}: status {} is not documented", response.status);
    }
}

pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| v1::document(PUBLIC_URL))
}

fn validators() -> &'static HashMap<&'static str, Validator> {
    static VALIDATORS: OnceLock<HashMap<&'static str, Validator>> = OnceLock::new();
    static BUILDING: Mutex<()> = Mutex::new(());
    let _one_builds = BUILDING.lock();
    VALIDATORS.get_or_init(|| {
        let mut validators = HashMap::new();
        for endpoint in v1::ENDPOINTS {
            let content = &document()["paths"][endpoint.path]["get"]["responses"]["200"]["content"]["application/json"];
            validators.insert(endpoint.path, validator(&content["schema"]));
        }
        validators.insert("error", validator(&serde_json::json!({"$ref": "#/components/schemas/Error"})));
        validators
    })
}

/// A schema of the document with all components.
pub fn validator(schema: &Value) -> Validator {
    let mut schema = schema.clone();
    schema["components"] = serde_json::json!({"schemas": document()["components"]["schemas"]});
    jsonschema::draft202012::options().should_validate_formats(true).build(&schema).expect("a valid schema")
}
