"""Writes src/rollcall_client/_generated.py from ../openapi.json: a TypedDict for each schema, a method for each endpoint.

Run it as `python generate.py`; it needs no packages. With `--check` it only says whether the file is up to date.
"""

import json
import keyword
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
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
        return schema["$ref"].rsplit("/", 1)[1]
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


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def argument(name):
    """A parameter as a Python name: `from` is a keyword."""
    name = snake(name)
    return f"{name}_" if keyword.iskeyword(name) else name


def list_of(document, data):
    """The key and the type of the items in the `data` of a list."""
    for key, schema in document["components"]["schemas"].get(data, {}).get("properties", {}).items():
        if schema.get("type") == "array":
            return key, type_of(schema["items"])
    return None


def method_code(document, path, operation):
    content = operation["responses"]["200"]["content"].get("application/json")
    if content is None:
        return ""
    # The first form is that of a call without `after` and `fields`.
    data = content["schema"]["properties"]["data"]
    data = type_of(data.get("anyOf", [data])[0])
    parameters = operation.get("parameters", [])
    in_path = [one for one in parameters if one["in"] == "path"]
    in_query = [one for one in parameters if one["in"] == "query"]
    names = {one["name"]: argument(one["name"]) for one in parameters}
    filled = re.sub(r"\{(\w+)\}", lambda match: "{quote(" + names[match[1]] + ")}", path)
    url = f'f"{filled}"' if in_path else f'"{path}"'

    def signature(name, left_out, returned):
        given = [f"{names[one['name']]}: {type_of(one['schema'])}" for one in in_path]
        optional = [one for one in in_query if one["name"] not in left_out]
        if optional:
            given.append("*")
        for one in sorted(optional, key=lambda one: not one.get("required", False)):
            text = type_of(one["schema"])
            given.append(f"{names[one['name']]}: {text}" if one.get("required") else f"{names[one['name']]}: {text} | None = None")
        return f"    def {name}({', '.join(['self', *given])}) -> {returned}:"

    def values(left_out):
        return ", ".join(f'"{one["name"]}": {names[one["name"]]}' for one in in_query if one["name"] not in left_out)

    name = snake(operation["operationId"])
    lines = [
        signature(name, (), data),
        f"        {json.dumps(operation['description'], ensure_ascii=False)}",
        f"        return self._transport.get({url}, {{{values(())}}})",
        "",
    ]
    items = list_of(document, data)
    if items and any(one["name"] == "after" for one in in_query):
        left_out = ("page", "limit", "after")
        lines += [
            signature(f"iter_{name.removeprefix('list_')}", left_out, f"Iterator[{items[1]}]"),
            f"        \"All items of `{name}`, page by page. None is skipped or repeated while the list changes.\"",
            f'        return self._transport.items({url}, "{items[0]}", {{{values(left_out)}}})',
            "",
        ]
    return "\n".join(lines) + "\n"


def main():
    document = json.loads((HERE.parent / "openapi.json").read_text(encoding="utf-8"))
    code = HEADER + "\n\n".join(schema_code(name, schema) for name, schema in document["components"]["schemas"].items())
    code += '\n\nclass Endpoints:\n    "One method for each endpoint."\n\n    def __init__(self, transport: Transport) -> None:\n        self._transport = transport\n\n'
    for path, item in document["paths"].items():
        code += method_code(document, path, item["get"])
    file, code = HERE / "src/rollcall_client/_generated.py", code.rstrip() + "\n"
    if "--check" not in sys.argv:
        file.write_text(code, encoding="utf-8")
    elif not file.exists() or file.read_text(encoding="utf-8") != code:
        sys.exit(f"{file.name} is out of date: run {Path(__file__).name}")


if __name__ == "__main__":
    main()
