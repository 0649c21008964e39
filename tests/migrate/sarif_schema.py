"""What SARIF 2.1.0 asks of the objects that the report has, as a JSON Schema: written from the text of the standard.

No Python package that could be found brings the standard's own schema. This one is narrower: it knows the properties
that the report uses and no others, and of these the ones that the standard requires (sections 3.13 to 3.58). A test
compares it with sarif-om, whose classes were made from the standard's.
"""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string", "minLength": 1}
_URI = {"type": "string", "pattern": r"^[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*$"}  # RFC 3986, or a reference
_LEVEL = {"enum": ["none", "note", "warning", "error"]}


def _object(required: str, **properties: Any) -> dict[str, Any]:
    names = required.split()
    return {"type": "object", "required": names, "properties": properties, "additionalProperties": False}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _array(name: str, least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": _ref(name), "minItems": least}


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_object("version runs", version={"const": "2.1.0"}, runs=_array("run"), **{"$schema": _URI}),
    "$defs": {
        "run": _object(
            "tool",
            tool=_object("driver", driver=_ref("toolComponent")),
            columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            originalUriBaseIds={"type": "object", "additionalProperties": _ref("base")},
            invocations=_array("invocation"),
            results=_array("result"),
        ),
        "toolComponent": _object(
            "name", name=_TEXT, version=_TEXT, rules={**_array("reportingDescriptor"), "uniqueItems": True}
        ),
        "reportingDescriptor": _object(
            "id", id=_TEXT, **{name: _ref("message") for name in ("shortDescription", "fullDescription", "help")}
        ),
        "base": _object("uri", uri={**_URI, "allOf": [{"pattern": "^file:///([^/]+/)*$"}]}),
        "invocation": _object(
            "executionSuccessful",
            executionSuccessful={"type": "boolean"},
            exitCode={"type": "integer"},
            toolExecutionNotifications=_array("notification"),
        ),
        "notification": _object("message", message=_ref("message"), level=_LEVEL, locations=_array("location")),
        "result": _object(
            "message",
            message=_ref("message"),
            ruleId=_TEXT,
            ruleIndex={"type": "integer", "minimum": 0},
            level=_LEVEL,
            locations=_array("location"),
            relatedLocations=_array("location"),
            fixes=_array("fix"),
        ),
        "message": _object("text", text=_TEXT),
        "location": _object("", physicalLocation=_ref("physicalLocation"), message=_ref("message")),
        "physicalLocation": _object(
            "artifactLocation", artifactLocation=_ref("artifactLocation"), region=_ref("region")
        ),
        "artifactLocation": _object("uri", uri=_URI, uriBaseId=_TEXT),
        "region": _object(
            "startLine",
            **{
                name: {"type": "integer", "minimum": 1} for name in ("startLine", "startColumn", "endLine", "endColumn")
            },
        ),
        "fix": _object("artifactChanges", description=_ref("message"), artifactChanges=_array("artifactChange", 1)),
        "artifactChange": _object(
            "artifactLocation replacements",
            artifactLocation=_ref("artifactLocation"),
            replacements=_array("replacement", 1),
        ),
        "replacement": _object(
            "deletedRegion",
            deletedRegion=_ref("region"),
            insertedContent=_object("", text={"type": "string"}),
        ),
    },
}
