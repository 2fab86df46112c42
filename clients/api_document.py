"""What the generators of the clients read from openapi.json. Needs the standard library only."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True)
class Form:
    """One form of the `data` of an endpoint."""

    schema: str
    """The name of the schema."""
    query: list[Schema]
    """Its query parameters."""


@dataclass(frozen=True)
class Items:
    """The items of a list that can be read page by page."""

    keys: list[str]
    """Where `data` has them: `["servers"]`, `["leaderboard", "entries"]`."""
    schema: Schema
    """One item."""


@dataclass(frozen=True)
class Endpoint:
    name: str
    path: str
    description: str
    in_path: list[Schema]
    forms: list[Form]
    """The first is that of a call without parameters. Empty if the endpoint answers with a stream."""
    query: list[Schema]
    """All query parameters, without `format`: the clients read JSON."""
    has_selection: bool
    """Whether `after` and `fields` change the form of a page."""
    items: Items | None
    """If the list can be read page by page."""


def read() -> Schema:
    document: Schema = json.loads((Path(__file__).parent / "openapi.json").read_text(encoding="utf-8"))
    return document


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def reference(schema: Schema) -> str:
    """The name of the schema that is referred to."""
    return str(schema["$ref"]).rsplit("/", 1)[1]


def endpoints(document: Schema) -> list[Endpoint]:
    return [_endpoint(document, path, item["get"]) for path, item in document["paths"].items()]


def _endpoint(document: Schema, path: str, operation: Schema) -> Endpoint:
    parameters = operation.get("parameters", [])
    query = [one for one in parameters if one["in"] == "query" and one["name"] != "format"]
    content = operation["responses"]["200"]["content"].get("application/json")
    alternatives = []
    if content is not None:
        data = content["schema"]["properties"]["data"]
        alternatives = data.get("anyOf", [data])
    names = [reference(one) for one in alternatives if "$ref" in one]
    # Two schemas: parameters ask for the second one.
    forms = [Form(name, query if i == len(names) - 1 else []) for i, name in enumerate(names)]
    items = None
    if forms and any(one["name"] == "after" for one in query):
        items = _items(document["components"]["schemas"], forms[-1].schema)
    return Endpoint(
        name=operation["operationId"],
        path=path,
        description=operation["description"],
        in_path=[one for one in parameters if one["in"] == "path"],
        forms=forms,
        query=query,
        has_selection=len(alternatives) > len(names),
        items=items,
    )


def _items(schemas: Schema, name: str) -> Items | None:
    """The first list of a schema, or else that of a schema inside it."""
    properties = schemas[name].get("properties", {})
    for key, schema in properties.items():
        if schema.get("type") == "array":
            return Items([key], schema["items"])
    for key, schema in properties.items():
        inner = _items(schemas, reference(schema)) if "$ref" in schema else None
        if inner is not None:
            return Items([key, *inner.keys], inner.schema)
    return None


def event_data(schemas: Schema) -> dict[str, str]:
    """The schema of the data of each type of event: `server.online` has `ServerOnlineData`."""
    types = schemas["Event"]["properties"]["type"]["enum"]
    names = {one: "".join(part.capitalize() for part in one.split(".")) + "Data" for one in types}
    assert set(names.values()) == {reference(one) for one in schemas["EventData"]["oneOf"]}
    return names


def write(file: Path, code: str) -> None:
    """Writes the file; with `--check` says whether it is up to date."""
    if "--check" not in sys.argv:
        file.write_text(code, encoding="utf-8")
    elif not file.exists() or file.read_text(encoding="utf-8") != code:
        sys.exit(f"{file} is out of date: run {sys.argv[0]}")
