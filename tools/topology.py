"""The JSON Schema of topology files, made from the tables of their reader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["Reader", "schema"]


class Reader(NamedTuple):
    """The tables of the reader: by table the keys with their types, and those that are required; by key the words that
    it takes; by limit the default, the least and the largest value."""

    keys: Mapping[str, Mapping[str, type]]
    required: Mapping[str, tuple[str, ...]]
    words: Mapping[str, tuple[str, ...]]
    limits: Mapping[str, tuple[int, int, int]]


# What each key means, for an editor that shows it; the page is docs/topology.md
_MEANINGS = {
    "answers": "false: its kernel driver fails queries",
    "capable": "false: it cannot do Comch",
    "device": "Every device of both sides; no PCI address stands twice",
    "func_type": "Kind of the function; PF unless stated",
    "limits": "Limits of all devices, or of this one",
    "pci_addr": "PCI address, in short or long form; of a representor, that of its host function",
    "representor": "What stands on the DPU for the functions of the host",
    "side": "The side that has the device",
    "vhca_id": "Its place in the list unless stated",
    "vuid": "Made from the address unless stated",
    "working": "false: it cannot be opened",
}
_TYPES = {str: "string", bool: "boolean", int: "integer"}
_ADDRESS = r"^([0-9a-fA-F]{1,4}:)?[0-9a-fA-F]{1,2}:[0-9a-fA-F]{1,2}\.[0-7]$"


def schema(reader: Reader) -> str:
    """The text of topology.schema.json."""
    tables = {kind: _table(reader, kind) for kind in reader.keys}
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A topology file of the emulated driver (COMCH_TOPOLOGY), as TOML",
        **tables.pop("topology"),
        "$defs": {**tables, "limits": _limits(reader)},
    }
    return json.dumps(whole, indent=2) + "\n"


def _table(reader: Reader, kind: str) -> dict[str, Any]:
    values = {key: _value(reader, key, type_) for key, type_ in reader.keys[kind].items()}
    properties = {key: {"description": _MEANINGS[key], **value} for key, value in values.items()}
    return {
        "type": "object",
        "required": list(reader.required[kind]),
        "additionalProperties": False,
        "properties": properties,
    }


def _value(reader: Reader, key: str, type_: type) -> dict[str, Any]:
    if type_ is dict:
        return {"$ref": f"#/$defs/{key}"}
    if type_ is list:
        return {"type": "array", "items": {"$ref": f"#/$defs/{key}"}}
    if key in reader.words:
        return {"enum": list(reader.words[key])}
    if key == "pci_addr":
        return {"type": "string", "pattern": _ADDRESS}
    return {"type": _TYPES[type_]}


def _limits(reader: Reader) -> dict[str, Any]:
    properties = {}
    for name, (default, least, most) in reader.limits.items():
        properties[name] = {"type": "integer", "minimum": least, "maximum": most, "default": default}
    return {"type": "object", "additionalProperties": False, "properties": properties}
