"""Writes src/generated.rs from ../openapi.json: a struct for each schema, a method for each endpoint.

Run it as `python generate.py`; it needs no packages but rustfmt. With `--check` it only says whether the file is up to date.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import api_document  # noqa: E402
from api_document import reference, snake  # noqa: E402

HEADER = """//! Types and endpoints of the API. Generated from ../openapi.json by generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::error::Error;
use crate::items::Items;
use crate::query::{Query, segment};
use crate::string_enum::string_enum;

"""
# Words that cannot be names. `self` and the like do not occur.
KEYWORDS = {"type", "match", "ref", "mod", "move", "use", "in", "loop", "where", "fn", "impl", "let", "static", "struct", "enum", "trait"}
RESPONSE = '#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]\n#[serde(rename_all = "camelCase")]\n#[non_exhaustive]\n'


def pascal(name):
    """A name of a type or a variant: `server.online` is `ServerOnline`, `24h` is `Of24h`."""
    text = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))
    return f"Of{text}" if text[:1].isdigit() else text


def field(name):
    name = snake(name).replace("-", "_")
    return f"r#{name}" if name in KEYWORDS else f"of_{name}" if name[:1].isdigit() else name


def camel(name):
    """The key that Serde gives to a field."""
    return re.sub(r"_(.)", lambda match: match[1].upper(), name.removeprefix("r#"))


def doc(text, indent=""):
    # Rustdoc takes other brackets and angles for links and tags.
    text = text.replace("[", "\\[").replace("<", "\\<")
    return "".join(f"{indent}/// {line}".rstrip() + "\n" for line in text.splitlines()) if text else ""


def typed(endpoint):
    """The query parameters whose answers have a type: with `after` and `fields`, a page may lack any key."""
    return [one for one in endpoint.query if not (endpoint.has_selection and one["name"] in ("after", "fields"))]


def values_of(schema):
    """The values of an enumeration, or of a list of them."""
    return tuple(schema.get("enum") or schema.get("items", {}).get("enum") or ())


class Enums:
    """Names for the enumerations that have none of their own: that of the key, if it means the same everywhere, or else also that of its first owner."""

    def __init__(self, schemas, endpoints):
        uses = [(name, key, schema) for name, parent in schemas.items() for key, schema in parent.get("properties", {}).items()]
        uses += [(pascal(endpoint.name), one["name"], one["schema"]) for endpoint in endpoints for one in typed(endpoint)]
        uses = [(owner, key, values_of(schema)) for owner, key, schema in uses if values_of(schema)]
        meanings = {}
        for _, key, values in uses:
            meanings.setdefault(pascal(key), set()).add(values)
        self.names = {}
        self.values = {}
        for owner, key, values in uses:
            name = pascal(key)
            owners = [one for one, other, same in uses if (other, same) == (key, values)]
            if len(meanings[name]) > 1 or len(set(owners)) == 1 or name in schemas:
                name = owners[0] + name
            self.names[owner, key] = name
            self.values[name] = values

    def code(self):
        return "".join(enum_code(name, "", values) for name, values in sorted(self.values.items()))


def enum_code(name, about, values):
    variants = "".join(f'    {pascal(value)} = "{value}",\n' for value in values)
    return f"string_enum! {{\n{doc(about, '    ')}    pub enum {name} {{\n{variants}    }}\n}}\n\n"


def type_of(schema, owner, key, enums):
    """The Rust type of a JSON schema."""
    if "$ref" in schema:
        return reference(schema)
    if values_of(schema):
        name = enums.names[owner, key]
        return name if "enum" in schema else f"Vec<{name}>"
    union = schema.get("oneOf") or schema.get("anyOf")
    if union:
        others = [one for one in union if one.get("type") != "null"]
        if len(others) > 1:
            return "serde_json::Value"
        text = type_of(others[0], owner, key, enums)
        return text if len(others) == len(union) else f"Option<{text}>"
    kind = schema.get("type")
    if isinstance(kind, list):
        text = type_of({**schema, "type": next(one for one in kind if one != "null")}, owner, key, enums)
        return f"Option<{text}>" if "null" in kind else text
    if kind == "array":
        return f"Vec<{type_of(schema['items'], owner, key, enums)}>"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"BTreeMap<String, {type_of(schema['additionalProperties'], owner, key, enums)}>"
    if kind == "integer":
        width = "32" if schema.get("format") == "int32" or schema.get("maximum", 2**63) < 2**32 else "64"
        return ("u" if schema.get("minimum", -1) >= 0 else "i") + width
    return {"string": "String", "number": "f64", "boolean": "bool"}.get(kind, "serde_json::Value")


def schema_code(name, schema, enums):
    about = schema.get("description", "")
    if "enum" in schema:
        return enum_code(name, about, schema["enum"])
    if "properties" not in schema:
        return f"{doc(about)}pub type {name} = {type_of(schema, name, '', enums)};\n\n"
    required = schema.get("required", [])
    lines = []
    for key, value in schema["properties"].items():
        text = type_of(value, name, key, enums)
        described = value.get("description") or next((one["description"] for one in value.get("oneOf", []) if "description" in one), "")
        lines.append(doc(described, "    "))
        attributes = [] if camel(field(key)) == key else [f'rename = "{key}"']
        if key not in required:
            text = text if text.startswith("Option<") else f"Option<{text}>"
            attributes += ["default", 'skip_serializing_if = "Option::is_none"']
        if attributes:
            lines.append(f"    #[serde({', '.join(attributes)})]\n")
        lines.append(f"    pub {field(key)}: {text},\n")
    return f"{doc(about)}{RESPONSE}pub struct {name} {{\n{''.join(lines)}}}\n\n"


def event_code(schemas):
    """The data of events by type."""
    types = api_document.event_data(schemas)
    about = doc(schemas["EventData"]["description"])
    variants = "".join(f"    {pascal(one)}({data}),\n" for one, data in types.items())
    arms = "".join(f"            EventType::{pascal(one)} => EventDetails::{pascal(one)}(serde_json::from_value(data)?),\n" for one in types)
    return f"""{about}#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum EventDetails {{
{variants}    /// The data of a type that this version does not know.
    Other(serde_json::Value),
}}

impl Event {{
    /// The data by type. Fails if it is not that of the type.
    pub fn details(&self) -> Result<EventDetails, serde_json::Error> {{
        let data = self.data.clone();
        Ok(match self.r#type {{
{arms}            EventType::Other(_) => EventDetails::Other(data),
        }})
    }}
}}

"""


def query_code(name, query, enums, owner):
    fields, adds = [], []
    for one in query:
        text = type_of(one["schema"], owner, one["name"], enums)
        is_list = text.startswith("Vec<")
        fields.append(f"{doc(one.get('description', ''), '    ')}    pub {field(one['name'])}: {text if is_list else f'Option<{text}>'},\n")
        adds.append(f'        query.{"add_list" if is_list else "add"}("{one["name"]}", &self.{field(one["name"])});\n')
    derive = "#[derive(Clone, Debug, Default, PartialEq)]\n"
    return (
        f"/// The parameters of `{name}`. Those that are not set have their default.\n{derive}pub struct {pascal(name)}Query {{\n{''.join(fields)}}}\n\n"
        f"impl {pascal(name)}Query {{\n    pub(crate) fn pairs(&self) -> Query {{\n        let mut query = Query::default();\n{''.join(adds)}        query\n    }}\n}}\n\n"
    )


class Methods:
    """The methods of the client, and the structs of their parameters."""

    def __init__(self, enums):
        self.enums = enums
        self.queries = ""
        self.methods = ""

    def add(self, endpoint):
        owner, name = pascal(endpoint.name), snake(endpoint.name)
        if not endpoint.forms:
            # Streams have a method of their own; only their parameters come from the document.
            self.queries += query_code(name, endpoint.query, self.enums, owner)
            return
        for i, form in enumerate(endpoint.forms):
            query = typed(endpoint) if form.query else []
            one_name = name if i == 0 else snake(form.schema)
            arguments, pairs = self.parameters(one_name, query, endpoint, owner)
            fix = 'query.or("after", "start");\n' if i > 0 else ""
            body = f"{pairs}{fix}self.get({'&' if endpoint.in_path else ''}{self.url(endpoint)}, query).await"
            self.methods += f"{doc(endpoint.description)}pub async fn {one_name}({arguments}) -> Result<{form.schema}, Error> {{ {body} }}\n\n"
        if endpoint.items:
            pointer = "".join(f"/{key}" for key in endpoint.items.keys)
            query = [one for one in typed(endpoint) if one["name"] not in ("page", "limit", "after")]
            iter_name = "iter_" + name.removeprefix("list_")
            item = type_of(endpoint.items.schema, owner, "", self.enums)
            arguments, pairs = self.parameters(iter_name, query, endpoint, owner)
            has_limit = str(any(one["name"] == "limit" for one in endpoint.query)).lower()
            about = f"/// All items of `{name}`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.\n"
            body = f'{pairs}Items::new(self.clone(), {self.url(endpoint)}, "{pointer}", query, {has_limit})'
            self.methods += f"{about}pub fn {iter_name}({arguments}) -> Items<{item}> {{ {body} }}\n\n"

    def parameters(self, name, query, endpoint, owner):
        arguments = ["&self", *(f"{field(one['name'])}: &str" for one in endpoint.in_path)]
        needed = [one for one in query if one.get("required")]
        optional = [one for one in query if not one.get("required")]
        adds = ""
        for one in needed:
            is_list = one["schema"].get("type") == "array"
            arguments.append(f"{field(one['name'])}: {'&[&str]' if is_list else '&str'}")
            adds += f'query.{"add_list" if is_list else "add_text"}("{one["name"]}", {field(one["name"])});\n'
        if optional:
            arguments.append(f"query: &{pascal(name)}Query")
            self.queries += query_code(name, optional, self.enums, owner)
        is_changed = adds or name.endswith("_range")
        start = "query.pairs()" if optional else "Query::default()"
        return ", ".join(arguments), f"let {'mut ' if is_changed else ''}query = {start};\n{adds}"

    @staticmethod
    def url(endpoint):
        values = [f"segment({field(one['name'])})" for one in endpoint.in_path]
        template = re.sub(r"\{\w+\}", "{}", endpoint.path)
        return f'format!("{template}", {", ".join(values)})' if values else f'"{endpoint.path}"'


def main():
    document = api_document.read()
    schemas, endpoints = document["components"]["schemas"], api_document.endpoints(document)
    enums = Enums(schemas, endpoints)
    methods = Methods(enums)
    for endpoint in endpoints:
        methods.add(endpoint)
    # The body of errors is read by the client itself; the data of events is by type.
    types = "".join(schema_code(name, schema, enums) for name, schema in schemas.items() if name not in ("Error", "EventData"))
    types = types.replace("pub data: EventData,", "pub data: serde_json::Value,")
    code = HEADER + types + enums.code() + event_code(schemas) + methods.queries
    code += f"/// One method for each endpoint.\nimpl Client {{\n{methods.methods}}}\n"
    command = ["rustfmt", "--edition", "2024", "--config-path", str(HERE / "rustfmt.toml"), "--emit", "stdout"]
    formatted = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    if formatted.returncode != 0:
        sys.exit(formatted.stderr)
    api_document.write(HERE / "src/generated.rs", formatted.stdout)


if __name__ == "__main__":
    main()
