"""The JSON Schema of topology files, made from the tables of their reader."""

from __future__ import annotations

import json
from typing import Any

from comch_next.driver.emulated._fabric.topology import KEYS, REQUIRED, WORDS, Limits, bounds

__all__ = ["schema"]

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


def schema() -> str:
    """The text of topology.schema.json."""
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A topology file of the emulated driver (COMCH_TOPOLOGY), as TOML",
        **_table("topology"),
        "$defs": {"device": _table("device"), "representor": _table("representor"), "limits": _limits()},
    }
    return json.dumps(whole, indent=2) + "\n"


def _table(kind: str) -> dict[str, Any]:
    properties = {key: {"description": _MEANINGS[key], **_value(key, type_)} for key, type_ in KEYS[kind].items()}
    return {
        "type": "object",
        "required": list(REQUIRED[kind]),
        "additionalProperties": False,
        "properties": properties,
    }


def _value(key: str, type_: type) -> dict[str, Any]:
    if type_ is dict:
        return {"$ref": f"#/$defs/{key}"}
    if type_ is list:
        return {"type": "array", "items": {"$ref": f"#/$defs/{key}"}}
    if key in WORDS:
        return {"enum": list(WORDS[key])}
    if key == "pci_addr":
        return {"type": "string", "pattern": _ADDRESS}
    return {"type": _TYPES[type_]}


def _limits() -> dict[str, Any]:
    properties = {}
    for name, default in Limits._field_defaults.items():
        least, most = bounds(name)
        properties[name] = {"type": "integer", "minimum": least, "maximum": most, "default": default}
    return {"type": "object", "additionalProperties": False, "properties": properties}
