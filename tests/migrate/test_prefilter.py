"""Which files matter, by their bytes alone; and that looking for them is quick."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate._prefilter import NEAR_BYTES, Imports, Scan, affected, groups, scan

OLD = "import doca_comm_channel as cc\n"
TOP = Path("/project")


def imports_of(files: dict[str, str]) -> Imports:
    return Imports({TOP / name: scan(text.encode()) for name, text in files.items()})


def taken(files: dict[str, str]) -> list[str]:
    return sorted(str(path.relative_to(TOP)) for path in affected(imports_of(files)))


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


def test_importers_matter_however_far(tmp_path: Path) -> None:
    files = {"chan.py": OLD, "a.py": "import chan", "b.py": "from a import x", "c.py": "import b", "other.py": "x = 1"}
    assert taken(files) == ["a.py", "b.py", "c.py", "chan.py"]


def test_what_is_imported_matters() -> None:
    files = {
        "chan.py": OLD + "import retry",
        "retry.py": "from deep import x",
        "deep.py": "",
        "other.py": "import deep",
    }
    assert taken(files) == ["chan.py", "deep.py", "retry.py"]


def test_what_an_importer_hands_a_handle_to_matters() -> None:
    files = {"chan.py": OLD, "main.py": "import chan, worker", "worker.py": "def run(ep): ep.sendto(b'', p)"}
    assert taken(files) == ["chan.py", "main.py", "worker.py"]


def test_packages_and_relative_imports_are_followed() -> None:
    files = {
        "pkg/__init__.py": "from .chan import Channel",
        "pkg/chan.py": OLD,
        "pkg/sub/x.py": "from ..chan import Channel",
        "pkg/sub/y.py": "from . import z",
        "app.py": "from pkg import Channel",
        "chan.py": "",
        "z.py": "from pkg.other import x",
    }
    assert taken(files) == ["app.py", "pkg/__init__.py", "pkg/chan.py", "pkg/sub/x.py"]


def test_a_module_is_the_nearest_of_its_name() -> None:
    files = {"one/util.py": OLD, "one/x.py": "import util", "two/util.py": "", "two/x.py": "import util"}
    assert taken(files) == ["one/util.py", "one/x.py"]


def test_of_a_large_tree_below_an_importer_the_near_and_the_calling_are_taken() -> None:
    scans = {
        TOP / "chan.py": Scan(10, True, True, frozenset()),
        TOP / "main.py": Scan(10, False, False, frozenset({"chan", "first"})),
        TOP / "first.py": Scan(NEAR_BYTES, False, False, frozenset({"second", "third"})),
        TOP / "second.py": Scan(10, False, False, frozenset()),
        TOP / "third.py": Scan(10, False, True, frozenset()),
    }
    assert sorted(path.stem for path in affected(Imports(scans))) == ["chan", "first", "main", "third"]


def test_groups_are_what_imports_connect() -> None:
    imports = imports_of({"a.py": "import b", "b.py": OLD, "c.py": OLD, "d.py": "import c", "e.py": OLD})
    parts = groups(affected(imports), imports)
    assert [[path.stem for path in part] for part in parts] == [["a", "b"], ["c", "d"], ["e"]]


def test_circles_end() -> None:
    assert taken({"a.py": OLD + "import b", "b.py": "import a"}) == ["a.py", "b.py"]
