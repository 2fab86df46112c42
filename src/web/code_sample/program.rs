//! A call as a whole program: it runs as it is, once the key is filled in. JavaScript runs as CommonJS and as a module,
//! Python with its standard library.

use std::fmt::Write;

use super::literal::{is_invisible, json, rust as rust_literal, shell};
use super::{ApiCall, KEY_PLACEHOLDER};
use crate::http::query::encode;

pub fn curl(call: &ApiCall) -> String {
    // Without a buffer, events appear when they arrive.
    let unbuffered = if call.endpoint.is_stream() { "-N " } else { "" };
    let header = format!("{unbuffered}-H {}", shell(&format!("X-API-Key: {KEY_PLACEHOLDER}")));
    // A shell has no escapes between quotes: invisible characters go into the URL, percent-encoded.
    if call.query.is_empty() || call.query.iter().any(|(_, value)| value.contains(is_invisible)) {
        return format!("curl {header} \\\n  {}", shell(&format!("{}{}", call.base_url, call.target())));
    }
    let mut code = format!("curl -G {header} \\\n  {}", shell(&call.url()));
    for (name, value) in &call.query {
        let _ = write!(code, " \\\n  --data-urlencode {}", shell(&format!("{name}={value}")));
    }
    code
}

pub fn javascript(call: &ApiCall) -> String {
    let mut code = format!("async function main() {{\n  const url = new URL({});\n", json(&call.url()));
    if !call.query.is_empty() {
        code += "  url.search = new URLSearchParams({\n";
        for (name, value) in &call.query {
            let _ = writeln!(code, "    {name}: {},", json(value));
        }
        code += "  });\n";
    }
    let _ = write!(
        code,
        "  const response = await fetch(url, {{ headers: {{ \"X-API-Key\": {} }} }});\n  \
         console.log(JSON.stringify(await response.json(), null, 2));\n}}\n\nmain();",
        json(KEY_PLACEHOLDER)
    );
    code
}

pub fn python(call: &ApiCall) -> String {
    let mut code = "import json\n".to_owned();
    if !call.query.is_empty() {
        code += "import urllib.parse\n";
    }
    let _ = write!(code, "import urllib.request\n\nurl = {}\n", json(&call.url()));
    if !call.query.is_empty() {
        code += "url += \"?\" + urllib.parse.urlencode({\n";
        for (name, value) in &call.query {
            let _ = writeln!(code, "    {}: {},", json(name), json(value));
        }
        code += "})\n";
    }
    let _ = write!(
        code,
        "request = urllib.request.Request(url, headers={{\"X-API-Key\": {}}})\n\
         with urllib.request.urlopen(request) as response:\n    print(json.dumps(json.load(response), indent=2))",
        json(KEY_PLACEHOLDER)
    );
    code
}

/// The features that the program needs stand in its first lines, as lines of `Cargo.toml`.
pub fn rust(call: &ApiCall) -> String {
    let feature = if call.query.is_empty() { "" } else { ", \"query\"" };
    let mut code = format!(
        "// Cargo.toml, [dependencies]:\n// reqwest = {{ version = \"0.13\", features = [\"json\"{feature}] }}\n\
         // serde_json = \"1\"\n// tokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }}\n\n\
         #[tokio::main]\nasync fn main() -> Result<(), reqwest::Error> {{\n    \
         let response: serde_json::Value = reqwest::Client::new()\n        .get({})\n",
        rust_literal(&call.url())
    );
    if !call.query.is_empty() {
        code += "        .query(&[\n";
        for (name, value) in &call.query {
            let _ = writeln!(code, "            ({}, {}),", rust_literal(name), rust_literal(value));
        }
        code += "        ])\n";
    }
    let _ = write!(
        code,
        "        .header(\"X-API-Key\", {})\n        .send()\n        .await?\n        .json()\n        .await?;\n    \
         println!(\"{{response:#}}\");\n    Ok(())\n}}",
        rust_literal(KEY_PLACEHOLDER)
    );
    code
}

pub fn go(call: &ApiCall) -> String {
    // Encoded here: a program without parameters must not import net/url.
    let pairs: Vec<String> = call.query.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    let query = if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) };
    format!(
        "package main\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"net/http\"\n)\n\nfunc main() {{\n\t\
         request, err := http.NewRequest(\"GET\", {}, nil)\n\tif err != nil {{\n\t\tpanic(err)\n\t}}\n\t\
         request.Header.Set(\"X-API-Key\", {})\n\tresponse, err := http.DefaultClient.Do(request)\n\t\
         if err != nil {{\n\t\tpanic(err)\n\t}}\n\tdefer response.Body.Close()\n\tbody, err := io.ReadAll(response.Body)\n\t\
         if err != nil {{\n\t\tpanic(err)\n\t}}\n\tfmt.Println(string(body))\n}}",
        json(&format!("{}{query}", call.url())),
        json(KEY_PLACEHOLDER)
    )
}
