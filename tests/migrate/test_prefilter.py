"""What the bytes of a file show: old names, imports; and which files imports connect."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate._prefilter import Imports, groups, scan

OLD = "import doca_comm_channel as cc\n"
TOP = Path("/project")


def imports_of(files: dict[str, str]) -> Imports:
    return Imports({TOP / name: scan(text.encode()) for name, text in files.items()})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a", {"a"}),
        ("import a.b.c as d, e", {"a", "a.b", "a.b.c", "e"}),
        ("from a.b import c, d as e", {"a.b", "a.b.c", "a.b.d"}),
        ("from a import (  # ) not yet\n  b,\n  c)", {"a", "a.b", "a.c"}),
        ("from . import b", {".", ".b"}),
        ("from ..a import *", {"..a", "..a.*"}),
        ("from a \\\n    import b, \\\n    c", {"a", "a.b", "a.c"}),
        ("x = 1; import a; from b import c", {"a", "b", "b.c"}),
        ("if x: import a", {"a"}),
        ("\tfrom a import b\r\n", {"a", "a.b"}),
        ("from a import(b)", {"a", "a.b"}),
        ("import_module('a.b')", {"a", "a.b"}),
        ("importlib.import_module('a.b')", {"a", "a.b"}),
        ('__import__("a")', {"a"}),
        ('patch("a.b.c", x)', {"a", "a.b", "a.b.c"}),
        ("monkeypatch.setattr('a.b', x)", {"a", "a.b"}),
        ("# import a", set()),
        ("reimport = important", set()),
    ],
)
def test_imports_are_found_without_parsing(text: str, names: set[str]) -> None:
    assert scan(text.encode()).imports == names


@pytest.mark.parametrize(
    "text", [OLD, "lib.doca_comm_channel_ep_create(ep)", "from comm_channel_compat import *", "x = DOCA_SUCCESS"]
)
def test_old_names_are_found(text: str) -> None:
    assert scan(text.encode()).is_old


@pytest.mark.parametrize(("code", "is_old"), [("CCM034", True), ("CCM083", True), ("CCM061", False)])
def test_what_an_earlier_run_has_left_is_found(code: str, is_old: bool) -> None:
    text = f"# {code}: a title (python -m migrate explain {code})\nep.sendto(b'', 1)\n"
    assert scan(text.encode()).is_old is is_old


def test_tests_and_fixtures_are_tied_to_the_fixtures_above_them() -> None:
    files = dict.fromkeys(("conftest.py", "deep/conftest.py", "fixtures.py"), "@pytest.fixture\ndef ep(): ...")
    files |= {"deep/test_it.py": "def test_it(ep): ...", "deep/util.py": "", "other/check.py": "def test_it(ep): ..."}
    of = imports_of(files).of
    found = {str(path.relative_to(TOP)): {str(file.relative_to(TOP)) for file in ties} for path, ties in of.items()}
    assert found == {
        "conftest.py": set(),
        "deep/conftest.py": {"conftest.py"},
        "fixtures.py": {"conftest.py"},
        "deep/test_it.py": {"conftest.py", "deep/conftest.py"},
        "deep/util.py": set(),
        "other/check.py": {"conftest.py"},
    }


def test_groups_are_what_imports_connect() -> None:
    imports = imports_of({"a.py": "import b", "b.py": OLD, "c.py": OLD, "d.py": "import c", "e.py": OLD})
    parts = groups(imports.scans, imports)
    assert [[path.stem for path in part] for part in parts] == [["a", "b"], ["c", "d"], ["e"]]


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("importlib.import_module('net.chan')", False),
        ('import_module( "net" , __name__)', False),
        ("import_module('net.' + name)", True),
        ("__import__(name)", True),
        ("spec.loader.exec_module(module)", True),
        ("runpy.run_path(path)", True),
        ("if __name__ == '__main__':", False),
    ],
)
def test_imports_by_names_that_are_not_written_are_found(text: str, loads: bool) -> None:
    assert bool(scan(text.encode()).loading) is loads


@pytest.mark.parametrize(
    ("path", "words", "target", "loads"),
    [
        ("main.py", "plugs", "plugs/one.py", True),
        ("main.py", "one", "plugs/one.py", False),
        ("main.py", "one", "one.py", True),
        ("main.py", "two", "one.py", False),
        ("net/__init__.py", "one", "net/one.py", True),
        ("tests/tool.py", "demo one", "build/demo/one.py", False),
        ("tests/tool.py", "build demo", "build/demo/one.py", True),
        ("tests/tool.py", "net", "src/net/one.py", True),
        ("tests/tool.py", "net", "src/net/sub/one.py", False),
        ("net/sub/one.py", "net", "net/__init__.py", True),
    ],
)
def test_who_imports_by_computed_names_has_words_of_those(path: str, words: str, target: str, loads: bool) -> None:
    texts = {"src/net/__init__.py": "", path: f"import_module(name, {words.split()})", target: OLD}
    imports = imports_of(texts)
    assert (TOP / target in imports.of[TOP / path]) is loads
