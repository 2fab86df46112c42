//! `/openapi.json` matches the service, and the service matches it.

use std::collections::{BTreeSet, HashSet};

use reqwest::Method;
use rollcall::v1;
use serde_json::{Value, json};

use crate::harness::{Engine, PUBLIC_URL, both, document, shared, validator};

/// Operations with their paths.
fn operations() -> Vec<(&'static str, &'static Value)> {
    let paths = document()["paths"].as_object().unwrap();
    paths.iter().map(|(path, item)| (path.as_str(), &item["get"])).collect()
}

/// Operations that answer at once, with JSON.
fn json_operations() -> impl Iterator<Item = (&'static str, &'static Value)> {
    operations().into_iter().filter(|(_, operation)| {
        let content = operation["responses"]["200"]["content"].as_object().unwrap();
        content.contains_key("application/json")
    })
}

/// Those whose responses are the same on both engines: each store has keys of its own.
fn shared_operations() -> impl Iterator<Item = (&'static str, &'static Value)> {
    json_operations().filter(|(path, _)| *path != "/key")
}

fn parameters(operation: &Value) -> &Vec<Value> {
    operation["parameters"].as_array().unwrap()
}

#[tokio::test]
async fn the_document_needs_no_key() {
    for engine in Engine::BOTH {
        let response = shared(engine).raw(Method::GET, "/openapi.json", &[]).await;
        assert_eq!((response.status, response.header("content-type")), (200, Some("application/json")));
        assert_eq!(response.header("cache-control"), Some("public, max-age=300"));
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(response.json(), *document());
    }
    assert_eq!(document()["openapi"], "3.1.0");
    assert_eq!(document()["servers"], json!([{"url": format!("{PUBLIC_URL}/v1")}]));
}

#[test]
fn the_operations_and_their_parameters_are_those_of_the_contract() {
    let lines: Vec<String> = operations()
        .iter()
        .map(|(path, operation)| {
            let words = parameters(operation).iter().map(|parameter| {
                let schema = &parameter["schema"];
                let default = match &schema["default"] {
                    Value::Null => String::new(),
                    default => format!("={}", default.as_str().map_or(default.to_string(), str::to_owned)),
                };
                let needed = if parameter["required"] == true { "!" } else { "" };
                format!(
                    " {}:{}{needed}{default}",
                    parameter["name"].as_str().unwrap(),
                    schema["type"].as_str().unwrap()
                )
            });
            format!("{path}{}", words.collect::<String>())
        })
        .collect();
    insta::assert_snapshot!("operations", lines.join("\n"));
}

#[test]
fn every_route_is_documented_and_every_documented_path_is_a_route() {
    let documented: Vec<&str> = operations().into_iter().map(|(path, _)| path).collect();
    assert_eq!(documented, v1::ENDPOINTS.map(|endpoint| endpoint.path));
    for (path, item) in document()["paths"].as_object().unwrap() {
        assert_eq!(item.as_object().unwrap().keys().collect::<Vec<_>>(), ["get"]);
        let filled = path.replace("{slug}", "x").replace("{id}", "x");
        assert_eq!(v1::route(&filled).unwrap().map(|(endpoint, _)| endpoint.path), Some(path.as_str()));
    }
}

#[test]
fn every_operation_is_described() {
    let mut ids = HashSet::new();
    let tags: HashSet<&Value> = document()["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    for (path, operation) in operations() {
        assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{path}");
        assert!(operation["tags"].as_array().unwrap().iter().all(|tag| tags.contains(tag)), "{path}");
        for text in ["summary", "description"] {
            assert!(!operation[text].as_str().unwrap().is_empty(), "{path}");
        }
        let statuses: BTreeSet<&str> = operation["responses"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = BTreeSet::from(["200", "304", "400", "401", "403", "414", "421", "429", "500", "503"]);
        expected.extend(path.contains('{').then_some("404"));
        if path == "/events/stream" {
            expected.remove("304");
        }
        assert_eq!(statuses, expected, "{path}");
        let in_path: Vec<_> = parameters(operation).iter().filter(|p| p["in"] == "path").map(|p| &p["name"]).collect();
        let braced: Vec<_> =
            path.split('/').filter_map(|s| Some(json!(s.strip_prefix('{')?.strip_suffix('}')?))).collect();
        assert_eq!(in_path, braced.iter().collect::<Vec<_>>(), "{path}");
        let names: HashSet<&Value> = parameters(operation).iter().map(|p| &p["name"]).collect();
        assert_eq!(names.len(), parameters(operation).len(), "{path}");
        assert!(parameters(operation).iter().all(|p| !p["description"].as_str().unwrap().is_empty()), "{path}");
    }
}

/// Calls `visit` with every value of the document and its path.
fn walk<'a>(value: &'a Value, at: String, visit: &mut impl FnMut(&str, &'a Value)) {
    visit(&at, value);
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, field)| walk(field, format!("{at}/{key}"), visit)),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| walk(item, format!("{at}/{i}"), visit)),
        _ => {}
    }
}

#[test]
fn every_reference_resolves_and_every_component_is_used() {
    let mut used = HashSet::new();
    walk(document(), String::new(), &mut |at, value| {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let pointer = reference.strip_prefix('#').expect("a reference inside the document");
            assert!(document().pointer(pointer).is_some(), "{at} refers to {reference}");
            used.insert(pointer.to_owned());
        }
    });
    for kind in ["schemas", "responses", "headers"] {
        for name in document()["components"][kind].as_object().unwrap().keys() {
            assert!(used.contains(&format!("/components/{kind}/{name}")), "nothing refers to the {kind} {name}");
        }
    }
}

#[test]
fn every_object_has_exactly_the_keys_it_lists() {
    let mut closed = 0;
    walk(&document()["components"]["schemas"], String::new(), &mut |at, schema| {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        if at.ends_with("/properties") || schema.get("required").is_some_and(|required| !required.is_array()) {
            return;
        }
        let required: BTreeSet<&str> = schema["required"]
            .as_array()
            .unwrap_or_else(|| panic!("{at} requires nothing"))
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let selected = |key: &&str| at == "/HistoryPoint" && ["players", "latency", "tps", "uptime"].contains(key);
        let always: BTreeSet<&str> = properties.keys().map(String::as_str).filter(|key| !selected(key)).collect();
        assert_eq!(required, always, "{at}");
        assert_eq!(schema["additionalProperties"], false, "{at}");
        closed += 1;
    });
    assert!(closed > 30, "{closed}");
}

/// Lists that hold everything there is.
const COMPLETE_LISTS: [&str; 10] = [
    "CapeDetail/tags",
    "CapeSummary/tags",
    "CountryCounts/countries",
    "PlayerDetail/nicknameHistory",
    "ServerDetail/tags",
    "ServerDetail/dailyVotes",
    "ServerSummary/tags",
    "SkinDetail/tags",
    "SkinSummary/tags",
    "VersionCounts/versions",
];

#[test]
fn every_list_has_its_bound_documented() {
    let mut complete = Vec::new();
    for (name, schema) in document()["components"]["schemas"].as_object().unwrap() {
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_list = property["type"] == "array";
            if is_list && property["maxItems"].is_null() {
                complete.push(format!("{name}/{field}"));
            }
        }
    }
    assert_eq!(complete, COMPLETE_LISTS);
}

/// Values that clients turn into enumerations, by property name.
#[test]
fn closed_values_and_uuids_are_documented() {
    let (mut enums, mut uuids) = (BTreeSet::new(), 0);
    for schema in document()["components"]["schemas"].as_object().unwrap().values() {
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            match field.as_str() {
                "skinModel" | "model" | "playerSkinModel" | "tierOverall" | "visibility" | "status" | "type"
                | "metric" | "period" | "sort" => {
                    let values: Vec<&str> =
                        property["enum"].as_array().expect(field).iter().filter_map(Value::as_str).collect();
                    enums.insert(format!("{field}: {}", values.join(", ")));
                }
                "gameUuid" | "playerGameUuid" => {
                    assert_eq!(property["format"], "uuid", "{field}");
                    uuids += 1;
                }
                _ => {}
            }
        }
    }
    assert!(uuids >= 7, "{uuids}");
    insta::assert_snapshot!("closed_values", enums.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_example_matches_its_schema() {
    for (path, operation) in json_operations() {
        let content = &operation["responses"]["200"]["content"]["application/json"];
        if let Err(error) = validator(&content["schema"]).validate(&content["example"]) {
            panic!("the example of {path}: {error} at {}", error.instance_path());
        }
    }
    let error = validator(&json!({"$ref": "#/components/schemas/Error"}));
    for response in document()["components"]["responses"].as_object().unwrap().values() {
        assert!(error.is_valid(&response["content"]["application/json"]["example"]), "{response}");
    }
    walk(document(), String::new(), &mut |at, schema| {
        if let (Some(examples), Some(_)) = (schema.get("examples").and_then(Value::as_array), schema.get("type")) {
            assert!(examples.iter().all(|example| validator(schema).is_valid(example)), "{at}");
        }
    });
}

/// A path of an operation with real ids.
async fn example_path(path: &str) -> String {
    let server = both("/servers?sort=votes&limit=1").await.data()["servers"][0]["slug"].as_str().unwrap().to_owned();
    let required = if path == "/search" { "?q=an" } else { "?" };
    let slug = match path {
        "/skins/{slug}" => "default-classic".to_owned(),
        "/capes/{slug}" => both("/capes?limit=1").await.data()["capes"][0]["slug"].as_str().unwrap().to_owned(),
        _ => server,
    };
    let player = both("/players?limit=1").await.data()["players"][0]["id"].as_str().unwrap().to_owned();
    let required = match path {
        "/servers/batch" => format!("?slugs={slug}"),
        "/history" => format!("?servers={slug}"),
        "/players/batch" => format!("?ids={player}"),
        _ => required.to_owned(),
    };
    format!("{}{required}", path.replace("{slug}", &slug).replace("{id}", &player))
}

#[tokio::test]
async fn every_documented_parameter_is_read() {
    for (path, operation) in shared_operations() {
        let address = example_path(path).await;
        assert_eq!(both(&address).await.status, 200, "{address}");
        for parameter in parameters(operation).iter().filter(|parameter| parameter["in"] == "query") {
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            let bad: Vec<String> = match schema["type"].as_str().unwrap() {
                "integer" | "number" => {
                    let beyond =
                        |bound: &str, step: f64| schema[bound].as_f64().map(|bound| (bound + step).to_string());
                    let words = ["x", "NaN", "1e400", "0x1", "1,5"].map(str::to_owned);
                    words.into_iter().chain(beyond("minimum", -1.0)).chain(beyond("maximum", 1.0)).collect()
                }
                "boolean" => vec!["yes".into(), "TRUE".into(), "2".into()],
                _ if schema["enum"].is_array() => vec!["x".into(), "%00".into()],
                "array" => vec![",".into(), ",x".into()],
                _ if schema["pattern"].is_string() => vec!["x".into(), ",".into(), "%00".into()],
                _ if schema["minLength"].is_u64() => {
                    let long = schema["maxLength"].as_u64().unwrap() as usize + 1;
                    vec![String::new(), "a".into(), "%20a%20".into(), "a".repeat(long)]
                }
                _ if path == "/events" => vec!["nothing-has-this-word".into()],
                _ => {
                    // Text without a match: a parameter that is read empties the list.
                    let data = both(&format!("{address}&{name}=nothing-has-this-word")).await.data();
                    let total = data.pointer("/pagination/total").unwrap_or(&data["total"]);
                    assert_eq!(*total, 0, "{name} of {path}");
                    continue;
                }
            };
            for value in bad {
                let plain = address.split('?').next().unwrap();
                // The first value counts.
                let others = address.split_once('?').map_or("", |(_, others)| others);
                let response = both(&format!("{plain}?{name}={value}&{others}")).await;
                assert_eq!(response.status, 400, "{name}={value} of {path}");
                assert!(response.error().starts_with(&format!("{name} must be ")), "{}", response.error());
            }
        }
    }
}

#[tokio::test]
async fn every_documented_value_is_accepted() {
    for (path, operation) in shared_operations() {
        let address = example_path(path).await;
        for parameter in parameters(operation).iter().filter(|parameter| parameter["in"] == "query") {
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            let mut values: Vec<String> =
                schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
            for bound in ["minimum", "maximum", "default"] {
                values.extend(schema[bound].as_number().map(ToString::to_string));
            }
            if schema["type"] == "boolean" {
                values.extend(["true", "false", "1", "0"].map(str::to_owned));
            }
            for value in values {
                assert_eq!(both(&format!("{address}&{name}={value}")).await.status, 200, "{name}={value} of {path}");
            }
            // Leaving a parameter out is the same as its default.
            if let Some(default) = schema.get("default") {
                let default = default.as_str().map_or(default.to_string(), str::to_owned);
                let given = both(&format!("{address}&{name}={default}")).await;
                assert_eq!(given.body, both(&address).await.body, "{name} of {path}");
            }
        }
    }
}

#[tokio::test]
async fn q_is_required() {
    let response = both("/search").await;
    assert_eq!((response.status, response.error().as_str()), (400, "q is required: 2 to 100 characters"));
}

/// Whether a schema says what it means: itself, or through the schema it refers to.
fn is_described(schema: &Value) -> bool {
    let said = |schema: &Value| schema["description"].as_str().is_some_and(|text| !text.trim().is_empty());
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    said(schema) || choices.into_iter().any(said)
}

#[test]
fn every_schema_field_parameter_and_header_has_a_meaning() {
    let (mut bare, mut fields) = (Vec::new(), 0);
    walk(document(), String::new(), &mut |at, value| {
        let Some(properties) = value.get("properties").and_then(Value::as_object) else { return };
        if at.contains("/example") {
            return;
        }
        for (name, property) in properties {
            fields += 1;
            if !is_described(property) {
                bare.push(format!("{at}/{name}"));
            }
        }
    });
    for kind in ["schemas", "headers", "responses", "securitySchemes"] {
        for (name, component) in document()["components"][kind].as_object().unwrap() {
            if !is_described(component) {
                bare.push(format!("{kind}/{name}"));
            }
        }
    }
    for tag in document()["tags"].as_array().unwrap() {
        if !is_described(tag) {
            bare.push(format!("tag {}", tag["name"]));
        }
    }
    assert_eq!(bare, Vec::<String>::new());
    assert!(fields > 400, "{fields}");
}
