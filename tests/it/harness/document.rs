//! Every answer the tests see is held against `/openapi.json`.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use jsonschema::Validator;
use rollcall::v1;
use serde_json::Value;

use super::{Answer, PUBLIC_URL};

/// Panics unless the answer is one the document describes.
pub fn check(method: &reqwest::Method, path: &str, answer: &Answer) {
    if method == reqwest::Method::HEAD || answer.status == 304 || answer.status == 204 {
        assert!(answer.body.is_empty(), "{method} {path} has a body");
        return;
    }
    let json = answer.json();
    let plain = path.split('?').next().unwrap_or_default();
    let operation = v1::route(plain).ok().flatten().map(|(endpoint, _)| endpoint.path);
    let validators = validators();
    let key = match operation {
        Some(operation) if answer.status == 200 => operation,
        _ => "error",
    };
    let validator = &validators[key];
    if let Err(error) = validator.validate(&json) {
        panic!("{method} {path} ({}) is not as documented: {error} at {}", answer.status, error.instance_path());
    }
    if let Some(operation) = operation {
        // 405 is the answer to methods that have no operation.
        let documented = !document()["paths"][operation]["get"]["responses"][answer.status.to_string()].is_null();
        assert!(documented || answer.status == 405, "{path} answers {}, undocumented", answer.status);
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

/// A schema of the document, with the components it refers to.
pub fn validator(schema: &Value) -> Validator {
    let mut schema = schema.clone();
    schema["components"] = serde_json::json!({"schemas": document()["components"]["schemas"]});
    jsonschema::draft202012::options().should_validate_formats(true).build(&schema).expect("a sound schema")
}
