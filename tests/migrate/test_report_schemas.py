"""The JSON and SARIF reports against their schemas."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import attr
import pytest
import sarif_om
from jsonschema import Draft202012Validator

import migrate
from migrate.cli import main
from migrate.outcome import FileOutcome
from migrate.report import json as json_report
from migrate.report import sarif
from migrate.report.run import Problem, Run
from migrate.verify import report
from migrate.verify.rounds import Rounds
from migrate.verify.trees import Stays
from tests.migrate.sarif_schema import SCHEMA
from tests.migrate.test_reports import BASE, FINDINGS, RUN, A
from tests.verify.accounts import Acted, remains

_HOME = Path(migrate.__file__).parent
REPORT = json.loads((_HOME / "report" / "report.schema.json").read_text())
VERDICT = json.loads((_HOME / "verify" / "verdict.schema.json").read_text())
EMPTY = Run(Path("/"), (FileOutcome(Path("/<\x1b>.py"), b"", b"", skipped="CCM001", reason="no"),))
UNTIDY = Run(BASE, (FileOutcome(A, b"", b"\n", FINDINGS),), (Problem(A, "gone"),))


def verdict() -> str:
    """Return the report of a verification with something of every kind."""
    stays = Stays(Path("a.py"), 9, "CCM033", "a handle goes away")
    result = Rounds(Acted([remains(watched=())], [remains("other")], stays=(stays,)), ["again:send@1"]).result()
    return report.to_json(result)


def errors(schema: Any, document: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(schema).iter_errors(document)]


@pytest.mark.parametrize("schema", [REPORT, VERDICT, SCHEMA], ids=["report", "verdict", "sarif"])
def test_the_schemas_are_schemas(schema: Any) -> None:
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("run", [RUN, EMPTY, Run(BASE), UNTIDY], ids=["whole", "empty", "nothing", "untidy"])
def test_reports_are_as_their_schemas_say(run: Run) -> None:
    assert errors(REPORT, json.loads(json_report.text(run))) == []
    assert errors(SCHEMA, json.loads(sarif.text(run))) == []


def test_a_real_run_is_as_the_schemas_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a b.py").write_text("import doca_comm_channel as cc\nep = cc.Endpoint()\nsend(ep)\n")
    (tmp_path / "py2.py").write_text("import doca_comm_channel\nprint 'x'\n")
    wanted = [f"--report={tmp_path}/{name}" for name in ("out.json", "out.sarif")]
    assert main(["--jobs", "1", *wanted, str(tmp_path)]) != 0
    assert errors(REPORT, json.loads((tmp_path / "out.json").read_text())) == []
    assert errors(SCHEMA, json.loads((tmp_path / "out.sarif").read_text())) == []


# The objects of our schema that others have another name for.
CLASSES = {"base": "ArtifactLocation", "": "SarifLog"}


@pytest.mark.parametrize("name", ["", *SCHEMA["$defs"]])
def test_our_schema_is_within_that_of_sarif(name: str) -> None:
    """Its properties are the standard's, and what the standard requires it requires, too."""
    own = SCHEMA["$defs"][name] if name else SCHEMA
    fields = attr.fields(getattr(sarif_om, CLASSES.get(name, name[:1].upper() + name[1:])))
    required = {field.metadata["schema_property_name"]: field.default is attr.NOTHING for field in fields}
    assert own["properties"].keys() <= required.keys()
    assert {field for field, is_required in required.items() if is_required} <= {*own["required"]}


SHAPES = {
    "fixes": ("a b.py", "import doca_comm_channel as cc\ncc.Endpoint().destroy()\n"),
    "no findings": ("plain.py", "print('nothing old')\n"),
    "skipped": ("skipped.py", "import doca_comm_channel as cc\ncc.Endpoint().destroy()  # migrate: skip\n"),
    "letters": ("für/日本 %41#?.py", "import doca_comm_channel as cc\nsend('ü', cc.Endpoint(), '\U0001f600')\n"),
    "bytes": (os.fsdecode(b"no\xff\ntext.py"), "import doca_comm_channel as cc\nsend(cc.Endpoint())\n"),
    "latin": ("latin.py", "# coding: latin-1\nimport doca_comm_channel as cc\ncc.Endpoint().destroy()  # \xe9\n"),
    "no Python": ("py2.py", "import doca_comm_channel\nprint 'x'\n"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("options", [(), ("--write",)], ids=["reported", "written"])
def test_sarif_of_any_shape(
    shape: str, options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, text = SHAPES[shape]
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(text.encode("latin-1" if shape == "latin" else "utf-8"))
    monkeypatch.chdir(tmp_path)
    main(["--jobs", "1", "--report=out.sarif", *options, "."])
    log = json.loads((tmp_path / "out.sarif").read_text())
    assert errors(SCHEMA, log) == []
    results = log["runs"][0]["results"]
    places = [place["physicalLocation"]["artifactLocation"] for result in results for place in result["locations"]]
    assert {os.fsdecode(unquote_to_bytes(place["uri"])) for place in places} <= {name}
    assert bool(results) is (shape not in ("no findings", "no Python"))


def test_a_verdict_is_as_its_schema_says() -> None:
    assert errors(VERDICT, json.loads(verdict())) == []


def mutilated(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield the document without one key, and with one that has a value of another type, for every key in it."""
    for path in _paths(document):
        for change in ("without", "wrong"):
            copied = copy.deepcopy(document)
            holder = copied
            for key in path[:-1]:
                holder = holder[key]
            if change == "without":
                del holder[path[-1]]
            else:
                holder[path[-1]] = 1.5
            yield f"{change} {path}", copied


def _paths(part: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield (*above, key)
            yield from _paths(value, (*above, key))
    elif part and isinstance(part, list):
        yield from _paths(part[0], (*above, 0))


@pytest.mark.parametrize(
    ("schema", "text"), [(REPORT, json_report.text(RUN)), (VERDICT, verdict())], ids=["report", "verdict"]
)
def test_a_schema_holds_for_every_key(schema: Any, text: str) -> None:
    passed = [what for what, document in mutilated(json.loads(text)) if not errors(schema, document)]
    assert [what for what in passed if "evidence" not in what] == []
