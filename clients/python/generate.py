"""Writes src/rollcall_client/_generated.py from ../openapi.json: a TypedDict for each schema, a method for each endpoint.

Run it as `python generate.py`; it needs no packages. With `--check` it only says whether the file is up to date.
"""

import json
import keyword
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import api_document  # noqa: E402

HEADER = '''"""Types and endpoints of the API. Generated from ../openapi.json by generate.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
from urllib.parse import quote as _quote

from ._transport import Transport


def quote(segment: str) -> str:
    return _quote(segment, safe="")


'''
PLAIN_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def type_of(schema):
    """The Python type of a JSON schema."""
    if "$ref" in schema:
        return api_document.reference(schema)
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(type_of(part) for part in schema[union]))
    if "allOf" in schema:
        return type_of(schema["allOf"][0])
    if "enum" in schema:
        return "Literal[" + ", ".join(repr(value) for value in schema["enum"]) + "]"
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(type_of({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"list[{type_of(schema.get('items', {}))}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {type_of(values)}]" if isinstance(values, dict) else "dict[str, Any]"
    return PLAIN_TYPES.get(kind, "Any")


def schema_code(name, schema):
    properties = schema.get("properties")
    if not properties:
        return f'{name}: TypeAlias = "{type_of(schema)}"\n'
    required = set(schema.get("required", []))
    types = {key: type_of(value) for key, value in properties.items()}
    types = {key: text if key in required else f"NotRequired[{text}]" for key, text in types.items()}
    about = schema.get("description", "")
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in types):
        lines = [f"class {name}(TypedDict):", f"    {json.dumps(about, ensure_ascii=False)}", ""]
        return "\n".join(lines + [f"    {key}: {text}" for key, text in types.items()]) + "\n"
    fields = ", ".join(f'"{key}": "{text}"' for key, text in types.items())
    return f'{name} = TypedDict("{name}", {{{fields}}})\n'


def event_code(schemas):
    """A TypedDict for each type of event: a comparison of `type` tells the type of `data`."""
    classes = {}
    for one, data in api_document.event_data(schemas).items():
        schema = schemas["Event"]
        properties = {**schema["properties"], "type": {"const": one}, "data": {"$ref": f"#/{data}"}}
        about = {"description": schemas[data]["description"], "properties": properties}
        classes[data.removesuffix("Data") + "Event"] = {**schema, **about}
    union = f'Event: TypeAlias = "{" | ".join(classes)}"\n'
    return "\n\n".join([*(schema_code(name, schema) for name, schema in classes.items()), union])


def argument(name):
    """A parameter as a Python name: `from` is a keyword."""
    name = api_document.snake(name)
    return f"{name}_" if keyword.iskeyword(name) else name


def method_code(endpoint):
    if not endpoint.forms:
        return ""
    names = {one["name"]: argument(one["name"]) for one in endpoint.in_path + endpoint.query}
    filled = re.sub(r"\{(\w+)\}", lambda match: "{quote(" + names[match[1]] + ")}", endpoint.path)
    url = f'f"{filled}"' if endpoint.in_path else f'"{endpoint.path}"'

    def signature(name, query, returned):
        given = [f"{names[one['name']]}: {type_of(one['schema'])}" for one in endpoint.in_path]
        if query:
            given.append("*")
        for one in sorted(query, key=lambda one: not one.get("required", False)):
            text = type_of(one["schema"])
            given.append(f"{names[one['name']]}: {text}" if one.get("required") else f"{names[one['name']]}: {text} | None = None")
        return f"    def {name}({', '.join(['self', *given])}) -> {returned}:"

    def values(query, *, has_cursor=False):
        def value(one):
            name = names[one["name"]]
            return f'{name} or "start"' if has_cursor and one["name"] == "after" else name

        return ", ".join(f'"{one["name"]}": {value(one)}' for one in query)

    name = api_document.snake(endpoint.name)
    lines = []
    for i, form in enumerate(endpoint.forms):
        # The second form is that of a call with parameters: `after` makes it sure.
        lines += [
            signature(name if i == 0 else api_document.snake(form.schema), form.query, form.schema),
            f"        {json.dumps(endpoint.description, ensure_ascii=False)}",
            f"        return self._transport.get({url}, {{{values(form.query, has_cursor=i > 0)}}})",
            "",
        ]
    if endpoint.items:
        keys = ", ".join(f'"{key}"' for key in endpoint.items.keys)
        query = [one for one in endpoint.query if one["name"] not in ("page", "limit", "after")]
        lines += [
            signature(f"iter_{name.removeprefix('list_')}", query, f"Iterator[{type_of(endpoint.items.schema)}]"),
            f"        \"All items of `{name}`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.\"",
            f"        return self._transport.items({url}, {{{values(query)}}}, {keys})",
            "",
        ]
    return "\n".join(lines) + "\n"


def main():
    document = api_document.read()
    schemas = document["components"]["schemas"]
    types = (event_code(schemas) if name == "Event" else schema_code(name, schema) for name, schema in schemas.items())
    code = HEADER + "\n\n".join(types)
    code += '\n\nclass Endpoints:\n    "One method for each endpoint."\n\n    def __init__(self, transport: Transport) -> None:\n        self._transport = transport\n\n'
    code += "".join(method_code(endpoint) for endpoint in api_document.endpoints(document))
    api_document.write(HERE / "src/rollcall_client/_generated.py", code.rstrip() + "\n")


if __name__ == "__main__":
    main()
