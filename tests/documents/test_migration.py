"""What MIGRATION.md says migrate writes, it writes; every code has a cause, and every old name is one."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from migrate.codes import CODES
from migrate.old_api._tables import FUNCTIONS
from migrate.outcome import Options
from migrate.rewriting import rewrite
from tests.documents.support import block
from tests.processes import ROOT, StartPython

PAGE = "MIGRATION.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
CODE = r"CCM\d{3}"


def migrated(program: str, *, idioms: bool = False) -> str:
    return rewrite(program.encode(), options=Options(idioms=idioms)).new.decode()


def without_reasons(line: str) -> str:
    return line.partition("  # ")[0]


def test_the_program_after_is_what_migrate_writes() -> None:
    after = block(PAGE, "ask_after.py").splitlines()
    assert [without_reasons(line) for line in after] == migrated(block(PAGE, "ask_before.py")).splitlines()


def test_every_changed_line_of_the_program_says_why() -> None:
    before, after = (block(PAGE, title).splitlines() for title in ("ask_before.py", "ask_after.py"))
    said = [line for line in after if line != without_reasons(line)]
    matcher = difflib.SequenceMatcher(None, before, [without_reasons(line) for line in after], autojunk=False)
    kept = {number for match in matcher.get_matching_blocks() for number in range(match.b, match.b + match.size)}
    assert said == [line for number, line in enumerate(after) if number not in kept]


def test_what_idioms_make_of_the_program() -> None:
    joined = {line.strip() for line in migrated(block(PAGE, "ask_before.py"), idioms=True).splitlines()}
    _, _, table = TEXT.partition("| Without `--idioms` |")
    shown = re.findall(r"^\|.*\| `([^`]+)` \|$", table.partition("\n\n")[0], re.MULTILINE)
    assert len(shown) == 3
    assert set(shown) <= joined


@pytest.mark.parametrize(
    ("title", "launcher"), [("ask_before.py", ("-m", "comm_channel_compat", "run")), ("ask_after.py", ())]
)
def test_the_program_runs(start_python: StartPython, tmp_path: Path, title: str, launcher: tuple[str, ...]) -> None:
    (tmp_path / title).write_text(block(PAGE, title))
    service = start_python("-m", "comm_channel_compat", "run", str(ROOT / "samples_legacy/hello_service.py"))
    service.wait_for("listening on hello\n")
    asked = start_python(*launcher, str(tmp_path / title)).finish()
    assert asked == (0, "Hello from the DPU\nsent: 1\n", "")
    assert service.finish().returncode == 0


def test_a_program_that_opens_other_devices(start_python: StartPython, tmp_path: Path) -> None:
    launcher, sample = ("-m", "comm_channel_compat", "run"), "samples_legacy/hello_service.py"
    arguments = (*launcher, sample, "-p", "af:00.0", "-r", "3b:00.0")
    assert start_python(*arguments).finish()[:2] == (1, "result DOCA_ERROR_NOT_FOUND\n")
    (tmp_path / "devices.toml").write_text(block(PAGE, "devices.toml"))
    env = {"COMCH_TOPOLOGY": str(tmp_path / "devices.toml")}
    service = start_python(*arguments, env=env)
    service.wait_for("listening on hello\n")
    client = (*launcher, "samples_legacy/hello_client.py", "-p", "3b:00.0")
    assert start_python(*client, env=env).finish().returncode == 0
    assert service.finish().returncode == 0


OBJECTS = "import doca_comm_channel as cc\nmsg = b'hello'\n"
FLAT = "from doca_comm_channel import *\nmsg = b'hello'\n"
CONTEXTS = """\
import doca_cc as cc
app = object()
msg = b"hello"
dev = cc.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
host = cc.open_device("b1:00.0")
def done(task, user_data, ctx_data):
    pass
def failed(task, user_data, ctx_data):
    pass
def received(event, data, length, connection):
    pass
def up(event, connection, ok):
    pass
def down(event, connection, ok):
    pass
"""
MAPS = {"objects": OBJECTS, "flat": FLAT, "blocking": FLAT, "contexts": CONTEXTS}


def rows(name: str) -> list[tuple[str, str]]:
    """Return the old and the new statement of each row of a call map."""
    _, _, table = TEXT.partition(f"<!-- map: {name} -->\n\n")
    return re.findall(r"^\|[^|]*\| `([^`]+)` \| `([^`]+)` \|$", table.partition("\n\n")[0], re.MULTILINE)


def squeezed(text: str) -> str:
    """Return a text without the line breaks of long calls."""
    return re.sub(r",?([)\]}])", r"\1", re.sub(r"\s+", "", text))


@pytest.mark.parametrize("name", MAPS)
def test_a_call_map_is_what_migrate_writes(name: str) -> None:
    """The rows of a map are one program, whose codes are checked."""
    found = rows(name)
    assert len(found) > 8
    check = "if rc:\n    raise SystemExit(rc)\n"
    old = "".join(f"{row[0]}\n" + check * row[0].startswith("rc") for row in found)
    new = squeezed(migrated(MAPS[name] + old))
    assert "CCM" not in new
    place = 0
    for _, statement in found:
        assert squeezed(statement) in new[place:], statement
        place = new.index(squeezed(statement), place) + len(squeezed(statement))


def test_every_code_has_one_cause() -> None:
    causes = TEXT.partition("<!-- causes:begin -->")[2].partition("<!-- causes:end -->")[0]
    assert Counter(re.findall(CODE, causes)) == Counter(list(CODES))


def test_every_code_that_waits_for_a_person_has_a_question() -> None:
    """But for those of calls and values, which say themselves what to write."""
    questions = TEXT.partition("\n## What only you can decide\n")[2].partition("\n## ")[0]
    named = set(re.findall(CODE, questions)) | {f"CCM{number}" for number in (*range(100, 107), *range(120, 125))}
    assert {code for code, page in CODES.items() if page.level == "needs-evidence"} <= named
    assert named <= set(CODES)


def test_words_tell_the_releases_of_generation_2_apart() -> None:
    words = {"2.5": ("send_task_", "post_recv_task_"), "2.6": ("task_send_", "task_post_recv_")}
    rows = re.findall(r"^\| `doca_cc_` with `(\w+)` or `(\w+)`;.*\| (2\.\d) \|$", TEXT, re.MULTILINE)
    assert {release: tuple(found) for *found, release in rows} == words
    functions = json.loads((ROOT / "comch_next/api/cc.json").read_text(encoding="utf-8"))["functions"]
    for release, named in words.items():
        of_release = [row for row in functions if any(word in row["name"] for word in named)]
        assert {(row["since"], row["until"]) for row in of_release} == {(release, release)}


def test_every_old_function_that_is_named_is_one() -> None:
    known = {name for _, name in FUNCTIONS}
    called = set(re.findall(r"\b(doca_(?:comm_channel|cc)_[a-z0-9_]+)\(", TEXT)) - {"doca_comm_channel_init_attr"}
    assert called
    assert called <= known
