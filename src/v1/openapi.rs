//! `/openapi.json`, generated from the endpoints, so that it cannot disagree with them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::cursor::{AFTER, PAGE_NUMBERS};
use super::endpoint::Endpoint;
use super::examples;
use super::params::Param;

/// The document as served.
pub fn document_bytes(public_url: &str) -> bytes::Bytes {
    serde_json::to_vec(&document(public_url)).expect("the document serializes").into()
}

/// The whole document (OpenAPI 3.1), for a service reached at `public_url`.
pub fn document(public_url: &str) -> Value {
    let mut schemas = BTreeMap::new();
    let mut paths = Map::new();
    for endpoint in super::ENDPOINTS {
        let data = (endpoint.data)();
        for (name, schema) in data.schemas {
            let mut schema = serde_json::to_value(schema).expect("a schema serializes");
            forbid_other_keys(&mut schema);
            make_optional(&name, &mut schema);
            schemas.insert(name, schema);
        }
        let data_name = data.name.clone();
        let forms = [Some(data.name), data.alternative];
        let mut forms: Vec<Value> = forms.into_iter().flatten().map(|name| schema_ref(&name)).collect();
        let lists = endpoint.item_lists();
        let is_by_cursor =
            endpoint.params.iter().any(|param| param.name() == AFTER.name()) && has_page_numbers(&schemas, &data_name);
        if !lists.is_empty() || is_by_cursor {
            forms.push(opted_in(&schemas, &data_name, &lists, is_by_cursor));
        }
        paths.insert(endpoint.path.to_owned(), json!({ "get": operation(endpoint, forms) }));
    }
    schemas.insert("Error".into(), error_schema());
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Rollcall",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Statistics of game servers and players, leaderboards, skins and capes. Read-only; every \
                            call needs an API key.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": format!("{public_url}/v1")}],
        "security": [{"header": []}, {"query": []}],
        "tags": tags(),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "header": {
                    "type": "apiKey", "in": "header", "name": "X-API-Key",
                    "description": "The API key in a header. It wins over the parameter if both are sent.",
                },
                "query": {
                    "type": "apiKey", "in": "query", "name": "api_key",
                    "description": "The API key as a parameter. Prefer the header: addresses end up in histories and logs.",
                },
            },
            "headers": headers(),
            "responses": error_responses(),
            "schemas": schemas,
        },
    });
    examples::fill(&mut document);
    document
}

fn tags() -> Value {
    let mut tags: Vec<&str> = Vec::new();
    for endpoint in super::ENDPOINTS {
        if !tags.contains(&endpoint.tag) {
            tags.push(endpoint.tag);
        }
    }
    tags.into_iter().map(|name| json!({ "name": name, "description": about_tag(name) })).collect()
}

fn about_tag(name: &str) -> &'static str {
    match name {
        "Servers" => "Public game servers: lists, details, votes, reviews, posts and counts.",
        "Players" => "The player directory and player profiles.",
        "Search" => "Servers and players by name.",
        "Live" => "What happens now, and the last seven days.",
        "Events" => "What happened to servers and players in the last 30 days, as pages and as a stream.",
        "Leaderboards" => "The best players by metric and period.",
        "Skins and capes" => "Skins and capes of the community.",
        "API key" => "The key that makes the call.",
        _ => "",
    }
}

fn schema_ref(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// `forms` are the schemas of `data`; the first one is that of a call without optional parameters.
fn operation(endpoint: &Endpoint, mut forms: Vec<Value>) -> Value {
    let mut parameters = Vec::new();
    if let Some(param) = &endpoint.path_param {
        parameters.push(json!({
            "name": param.name, "in": "path", "required": true, "description": param.about,
            "schema": {"type": "string", "minLength": 1}, "example": examples::of_parameter(endpoint.path, param.name),
        }));
    }
    for param in endpoint.params {
        let mut parameter = json!({
            "name": param.name(), "in": "query", "required": param.required(), "description": param.about(),
            "schema": param.schema(),
        });
        if param.is_list() {
            (parameter["style"], parameter["explode"]) = (json!("form"), json!(false));
        }
        if param.required() {
            let example = examples::of_parameter(endpoint.path, param.name());
            parameter["example"] = if param.is_list() { json!([example]) } else { json!(example) };
        }
        parameters.push(parameter);
    }
    let mut responses = Map::new();
    let mut headers = rate_header_refs();
    let dated = if endpoint.max_age > 0 { "Last-Modified" } else { "ETag" };
    for name in ["ETag", "Cache-Control", dated] {
        headers.insert(name.into(), header_ref(name));
    }
    let mut data = if forms.len() == 1 { forms.remove(0) } else { json!({"anyOf": forms}) };
    if endpoint.is_stream() {
        parameters.push(last_event_id());
        responses.insert("200".into(), stream_response(&data));
        add_errors(&mut responses, endpoint);
        return described(endpoint, &parameters, &responses);
    }
    data["description"] = "What was asked for.".into();
    let mut success = json!({
            "description": "Success",
            "headers": headers,
            "content": {"application/json": {"schema": {
                "type": "object",
                "required": ["success", "data"],
                "additionalProperties": false,
                "properties": {
                    "success": {"const": true, "description": "True: the request succeeded."},
                    "data": data,
                },
            }}},
    });
    if endpoint.params.iter().any(|param| param.name() == FORMAT) {
        success["content"]["text/csv"] = json!({"schema": {"type": "string"}});
    }
    responses.insert("200".into(), success);
    responses.insert("304".into(), json!({"description": "Not modified: the ETag in If-None-Match is current, or without one the response is not newer than If-Modified-Since"}));
    add_errors(&mut responses, endpoint);
    described(endpoint, &parameters, &responses)
}

fn add_errors(responses: &mut Map<String, Value>, endpoint: &Endpoint) {
    for (status, name, _, _) in ERRORS {
        let applies = match *status {
            404 => endpoint.path_param.is_some(),
            _ => true,
        };
        if applies {
            responses.insert(status.to_string(), json!({"$ref": format!("#/components/responses/{name}")}));
        }
    }
}

fn last_event_id() -> Value {
    json!({
        "name": "Last-Event-ID", "in": "header", "required": false,
        "description": "The id of the last event that was received; browsers send it when they connect again. It takes \
                        precedence over `after`.",
        "schema": {"type": "string"},
    })
}

/// OpenAPI 3.1 has no schema for single events: `data` of each is an event.
fn stream_response(event: &Value) -> Value {
    json!({
        "description": "Server-sent events; `data` of each is an event as JSON, and `event` its type",
        "headers": rate_header_refs(),
        "content": {"text/event-stream": {"schema": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": event,
        }}},
    })
}

fn described(endpoint: &Endpoint, parameters: &[Value], responses: &Map<String, Value>) -> Value {
    json!({
        "operationId": endpoint.name,
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "description": endpoint.description,
        "parameters": parameters,
        "responses": responses,
    })
}

/// The parameter of endpoints that also give a table.
const FORMAT: &str = "format";

const ERRORS: &[(u16, &str, &str, &str)] = &[
    (400, "BadRequest", "Invalid parameter", "limit must be a whole number from 1 to 100, not \"abc\""),
    (401, "Unauthorized", "The API key is missing, invalid or expired", "Invalid API key"),
    (
        403,
        "Forbidden",
        "The API key is disabled, or it is restricted to other IP addresses, origins or endpoints",
        "API key disabled",
    ),
    (404, "NotFound", "Not found", "Server not found"),
    (414, "UriTooLong", "The request URI is too long", "The request URI must not exceed 8 KiB"),
    (
        421,
        "MisdirectedRequest",
        "The request names a host that is not served here",
        "This host is not served here: check the URL; operators list hosts in http.allowed_hosts",
    ),
    (
        429,
        "TooManyRequests",
        "A quota per minute, day or month is exhausted, or the client IP has too many connections",
        "Too many requests",
    ),
    (500, "InternalServerError", "Internal server error", "Internal server error, try again later"),
    (
        503,
        "Busy",
        "Overloaded, timed out, or the database is unavailable",
        "The service is overloaded, try again in a moment",
    ),
];

fn error_responses() -> Value {
    let responses = ERRORS.iter().map(|(status, name, description, example)| {
        let mut headers = match status {
            401 | 403 | 414 | 421 => Map::new(),
            _ => rate_header_refs(),
        };
        if matches!(status, 429 | 503) {
            headers.insert("Retry-After".into(), header_ref("Retry-After"));
        }
        let response = json!({
            "description": description,
            "headers": headers,
            "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/Error"},
                "example": {"success": false, "error": example},
            }},
        });
        ((*name).to_owned(), response)
    });
    Value::Object(responses.collect())
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "The body of every error.",
        "required": ["success", "error"],
        "additionalProperties": false,
        "properties": {
            "success": {"const": false, "description": "False: the request failed."},
            "error": {
                "type": "string", "minLength": 1,
                "description": "What is wrong, in English, for people. Programs use the status.",
            },
        },
    })
}

const RATE_HEADERS: [(&str, &str); 6] = [
    ("X-RateLimit-Limit-Minute", "Requests allowed per clock minute"),
    ("X-RateLimit-Remaining-Minute", "Requests remaining in this minute"),
    ("X-RateLimit-Limit-Day", "Requests allowed per UTC day"),
    ("X-RateLimit-Remaining-Day", "Requests remaining today"),
    ("X-RateLimit-Limit-Month", "Requests allowed per calendar month"),
    ("X-RateLimit-Remaining-Month", "Requests remaining this month"),
];

fn headers() -> Value {
    let mut headers = Map::new();
    for (name, description) in RATE_HEADERS {
        headers.insert(name.into(), json!({"description": description, "schema": {"type": "integer", "minimum": 0}}));
    }
    let retry = "Seconds after which a request is admitted again";
    headers.insert("Retry-After".into(), json!({"description": retry, "schema": {"type": "integer", "minimum": 1}}));
    headers.insert("ETag".into(), json!({"description": "For If-None-Match", "schema": {"type": "string"}}));
    let seen = "For If-Modified-Since: when the response became what it is";
    headers.insert("Last-Modified".into(), json!({"description": seen, "schema": {"type": "string"}}));
    let cache = "How long the response may be cached";
    headers.insert("Cache-Control".into(), json!({"description": cache, "schema": {"type": "string"}}));
    Value::Object(headers)
}

fn rate_header_refs() -> Map<String, Value> {
    RATE_HEADERS.iter().map(|(name, _)| ((*name).to_owned(), header_ref(name))).collect()
}

fn header_ref(name: &str) -> Value {
    json!({"$ref": format!("#/components/headers/{name}")})
}

/// Other lists with a cursor have no pages by number.
fn has_page_numbers(schemas: &BTreeMap<String, Value>, data: &str) -> bool {
    let properties = schemas.get(data).map(|data| &data["properties"]);
    properties.is_some_and(|properties| properties["pagination"].is_object() || properties["page"].is_object())
}

/// `data` as `fields` and `after` change it: items of these lists may lack keys, and a cursor takes the place of page numbers.
fn opted_in(schemas: &BTreeMap<String, Value>, data: &str, lists: &[&str], is_by_cursor: bool) -> Value {
    let target = |schema: &Value| {
        let name = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        name.and_then(|name| schemas.get(name)).cloned().unwrap_or_default()
    };
    let mut data = schemas.get(data).cloned().unwrap_or_default();
    for list in lists {
        let mut schema = &mut data;
        for key in list.split('/').skip(1) {
            schema = &mut schema["properties"][key];
            // The schema that is referred to stays as it is: other forms use it.
            if schema["$ref"].is_string() {
                *schema = target(schema);
            }
        }
        let mut item = target(&schema["items"]);
        item["required"] = json!([]);
        schema["items"] = item;
    }
    if is_by_cursor {
        if data["properties"]["pagination"].is_object() {
            data["properties"]["pagination"] = target(&data["properties"]["pagination"]);
        }
        for pointer in ["/required", "/properties/pagination/required"] {
            if let Some(required) = data.pointer_mut(pointer).and_then(Value::as_array_mut) {
                required.retain(|key| !PAGE_NUMBERS.iter().any(|name| key == name));
            }
        }
        data["properties"]["next"] = json!({
            "type": ["string", "null"],
            "description": "With `after` only: the cursor of the next page; null on the last page.",
        });
    }
    data
}

/// Keys that are there only if `fields` selects them.
const SELECTED: (&str, [&str; 4]) = ("HistoryPoint", ["players", "latency", "tps", "uptime"]);

fn make_optional(name: &str, schema: &mut Value) {
    let (owner, keys) = SELECTED;
    if name == owner
        && let Some(required) = schema["required"].as_array_mut()
    {
        required.retain(|key| !keys.iter().any(|selected| key == selected));
    }
}

/// Responses have exactly the documented keys: every property is required, and there are no others.
fn forbid_other_keys(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let names: Vec<Value> = properties.keys().map(|name| Value::String(name.clone())).collect();
        for property in properties.values_mut() {
            forbid_other_keys(property);
        }
        schema.insert("required".into(), Value::Array(names));
        schema.insert("additionalProperties".into(), Value::Bool(false));
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(schema) = schema.get_mut(inner) {
            forbid_other_keys(schema);
        }
    }
}
