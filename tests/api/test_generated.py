"""What is made from the tables is fresh, and the status tables know every old symbol, no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

from comch_next import api, errors
from comch_next._codes import Counter, ErrorCode, PciFuncType, RepFilter, State, SubmitFlag
from comm_channel_compat.cc import flat
from migrate.old_api import _tables
from migrate.rules._registry import load
from tests.processes import ROOT, StartPython
from tools import symbols

TOOLS = ("tools/declarations.py", "tools/facts.py", "tools/generate.py", "tools/symbols.py")


def test_generated_texts_are_fresh(start_python: StartPython) -> None:
    assert start_python("-m", "tools.generate", "--check").finish() == (0, "", "")


def test_a_stale_text_is_told(start_python: StartPython, tmp_path: Path) -> None:
    for name in (*TOOLS, "tools/status.toml", "docs/symbols.md", "migrate/old_api/_tables.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "comch_next").mkdir()
    (tmp_path / "comch_next" / "_codes.py").write_text("# old\n")
    (tmp_path / "comch_next" / "api").symlink_to(ROOT / "comch_next" / "api")
    status = tmp_path / "tools" / "status.toml"
    status.write_text(status.read_text().replace("_ep_listen", "_ep_lisen", 1))

    finished = start_python("-m", "tools.generate", "--check", cwd=tmp_path).finish()

    assert finished.returncode == 1
    assert "comch_next/_codes.py: stale" in finished.stdout
    assert "comm_channel doca_comm_channel_ep_listen has no row" in finished.stdout
    assert "comm_channel doca_comm_channel_ep_lisen has a row but is in no table" in finished.stdout
    assert "migrate/old_api/_tables.py" not in finished.stdout
    assert (tmp_path / "comch_next" / "_codes.py").read_text() == "# old\n"


def test_every_old_symbol_has_a_row_and_every_row_a_symbol() -> None:
    """Told by the files themselves, not by the loader that the generator uses."""

    def table(name: str) -> dict[str, list[dict[str, str]]]:
        text = (ROOT / "comch_next" / "api" / f"{name}.json").read_text(encoding="utf-8")
        return dict(json.loads(text))

    def names(part: object) -> set[str]:
        assert isinstance(part, dict)
        found = {row["name"] for row in part["functions"]} | set(part["constants"])
        found |= {alias["name"] for row in part["functions"] for alias in row.get("aliases", ())}
        found |= {row["name"] for row in part.get("truncated_spellings", ())}
        return found | {value for row in part["enums"] for value in row["values"]}

    current = table("comm_channel")
    expected = {("comm_channel", name) for name in names(current)}
    expected |= {("comm_channel_1x", name) for name in names(current["legacy_1x"])}
    expected |= {("cc", name) for name in names(table("cc"))}
    renames = json.loads((ROOT / "comch_next" / "api" / "renames.json").read_text(encoding="utf-8"))
    old = {(row["old_generation"], row["old"]) for row in renames}
    expected |= {key for key in old if key[0] in symbols.OLD}
    assert set(symbols.statuses()) == expected


def test_what_runs_or_is_rewritten_of_generation_2_has_its_function_and_its_rule() -> None:
    rows = {name: status for (generation, name), status in symbols.statuses().items() if generation == "cc"}
    functions = {row.name for row in api.functions("cc")}
    assert {name for name in rows if rows[name].runs == "yes"} == {name for name in rows if hasattr(flat, name)}
    assert {name for name in rows if rows[name].migrates == "rewritten"} & functions == functions & set(load())


def test_the_page_shows_every_symbol() -> None:
    page = (ROOT / "docs" / "symbols.md").read_text(encoding="utf-8")
    assert all(f"</a>`{name}` |" in page for _, name in symbols.statuses())


def test_every_row_of_the_page_has_an_anchor_of_its_own() -> None:
    anchors = re.findall(r'<a id="([^"]*)">', (ROOT / "docs" / "symbols.md").read_text(encoding="utf-8"))
    assert len(set(anchors)) == len(anchors) == len(symbols.statuses())


def test_enums_say_what_the_tables_say() -> None:
    constants = api.constants()
    assert all(constants[errors.code_name(code)] == code for code in ErrorCode)
    prefixes = {
        State: "DOCA_CTX_STATE_",
        Counter: "DOCA_COMCH_COUNTER_",
        RepFilter: "DOCA_DEVINFO_REP_FILTER_",
        PciFuncType: "DOCA_PCI_FUNC_TYPE_",
        SubmitFlag: "DOCA_TASK_SUBMIT_FLAG_",
    }
    for enum, prefix in prefixes.items():
        members = {f"{prefix}{name}": int(member) for name, member in enum.__members__.items()}
        assert members == {name: value for name, value in constants.items() if name.startswith(prefix)}


def test_migrate_knows_the_same_error_classes() -> None:
    assert {
        errors.code_name(cls.code): name
        for name, cls in vars(errors).items()
        if isinstance(cls, type) and issubclass(cls, errors.DocaError) and cls is not errors.DocaError
    } == _tables.ERROR_CLASSES


def test_migrate_knows_the_same_names() -> None:
    assert dict(api.aliases()) == _tables.ALIASES
    assert {(row.old_generation, row.old) for row in api.renames()} == set(_tables.RENAMES)
    returns, params = _tables.FUNCTIONS["comm_channel", "doca_comm_channel_ep_listen"]
    assert returns == "doca_error_t"
    assert params == (("local_ep", "in", "struct doca_comm_channel_ep_t *"), ("name", "in", "const char *"))
    assert _tables.CONSTANTS["comm_channel", "DOCA_CC_MSG_FLAG_NONE"] == 0
