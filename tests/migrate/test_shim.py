"""Mode shim: imports change and nothing else does, and what is left of the old module's name is reported."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from migrate import _shim
from migrate.cli import main
from migrate.outcome import FileOutcome, Level, Options
from migrate.rewriting import rewrite, rewrite_project
from migrate.verify.trees import Trees
from tests.migrate.runner import Runner
from tests.migrate.shapes.shape import SHAPES, Shape
from tests.verify.cases import GUESTS, PROGRAMS

SHIM = Options(mode="shim")
ROOT = Path("/project")
IMPORTING = ("files", "imports", "names", "source", "stars")  # kinds of shapes in which imports are the point


def findings(outcome: FileOutcome) -> list[tuple[str, int]]:
    """What is not simply redirected: code and line."""
    return [(finding.code, finding.span.line) for finding in outcome.findings if finding.code]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import doca_comm_channel", "import comm_channel_compat as doca_comm_channel"),
        ("import doca_comm_channel as cc", "import comm_channel_compat as cc"),
        ("import os, doca_comm_channel  as  cc, re # x", "import os, comm_channel_compat  as  cc, re # x"),
        ("import doca_comm_channel.flat", "import comm_channel_compat as doca_comm_channel"),
        ("import doca_comm_channel.flat as f", "import comm_channel_compat.flat as f"),
        ("from doca_comm_channel import Again as A, flat", "from comm_channel_compat import Again as A, flat"),
        ("from doca_comm_channel import (Again,  # a\n  Endpoint)",
         "from comm_channel_compat import (Again,  # a\n  Endpoint)"),
        ("from \\\n\tdoca_comm_channel import *", "from \\\n\tcomm_channel_compat import *"),
        ("from doca_comm_channel.flat import *", "from comm_channel_compat.flat import *"),
        ("import doca_cc", "import comm_channel_compat.cc as doca_cc"),
        ("import doca_cc as cc, doca_comm_channel as old",
         "import comm_channel_compat.cc as cc, comm_channel_compat as old"),
        ("from doca_cc.flat import doca_pe_create", "from comm_channel_compat.cc.flat import doca_pe_create"),
        ("import importlib\ncc = importlib.import_module('doca_cc')",
         "import importlib\ncc = importlib.import_module('comm_channel_compat.cc')"),
        ("def f():\n    import doca_comm_channel", "def f():\n    import comm_channel_compat as doca_comm_channel"),
        ("try: import doca_comm_channel as cc\nexcept ImportError: cc = None",
         "try: import comm_channel_compat as cc\nexcept ImportError: cc = None"),
        ("import doca_comm_channel as cc\nif hasattr(cc, 'x'):\n    from doca_comm_channel import Again",
         "import comm_channel_compat as cc\nif hasattr(cc, 'x'):\n    from comm_channel_compat import Again"),
        ("\ufeff# coding: utf-8\r\nimport doca_comm_channel as cc; x = 'é'\r\ncc.Endpoint()",
         "\ufeff# coding: utf-8\r\nimport comm_channel_compat as cc; x = 'é'\r\ncc.Endpoint()"),
        ("import doca_comm_channel as cc\ngetattr(cc, 'doca_comm_channel_ep_create')()\n__all__ = ['cc']",
         "import comm_channel_compat as cc\ngetattr(cc, 'doca_comm_channel_ep_create')()\n__all__ = ['cc']"),
        ("import doca_comm_channel\ndef f(ep: 'doca_comm_channel.Endpoint'): pass",
         "import comm_channel_compat as doca_comm_channel\ndef f(ep: 'doca_comm_channel.Endpoint'): pass"),
        ("import doca_comm_channel as cc\ncc.nothing()", "import comm_channel_compat as cc\ncc.nothing()"),
        ("cc = __import__(r'doca_comm_channel')", "cc = __import__(r'comm_channel_compat')"),
        ("import importlib\ncc = importlib.import_module('doca_comm_channel')",
         "import importlib\ncc = importlib.import_module('comm_channel_compat')"),
        ("import importlib.util\nif importlib.util.find_spec('doca_comm_channel'): import doca_comm_channel as cc",
         "import importlib.util\nif importlib.util.find_spec('comm_channel_compat'): import comm_channel_compat as cc"),
    ],
)  # fmt: skip
def test_imports_are_redirected(old: str, new: str) -> None:
    outcome = rewrite(old.encode(), options=SHIM)
    assert outcome.new.decode() == new
    assert findings(outcome) == []
    assert rewrite(outcome.new, options=SHIM).new == outcome.new


FIND = "comm_channel_compat.libraries.find"


def check_opening(before: str, after: str, old: str, new: str) -> None:
    """Redirect what opens the library, below these imports before and after; a second run leaves it as it is."""
    rest = "\nlib.doca_cc_server_create()\n"
    outcome = rewrite(f"{before}{old}{rest}".encode(), options=SHIM)
    assert outcome.new.decode() == f"{after}import comm_channel_compat.libraries\n{new}{rest}"
    assert findings(outcome) == []
    again = rewrite(outcome.new, options=SHIM)
    assert (again.new, findings(again)) == (outcome.new, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lib = ffi.dlopen('libdoca_cc.so.2', 1)", f"lib = ffi.dlopen({FIND}('libdoca_cc.so.2'), 1)"),
        ("lib = CDLL('/opt/mellanox/doca/lib/libdoca_cc.so')",
         f"lib = CDLL({FIND}('/opt/mellanox/doca/lib/libdoca_cc.so'))"),
        ("for name in ('libdoca_cc.so.2', 'libdoca_cc.so'):\n    lib = ctypes.cdll.LoadLibrary(name)",
         f"for name in ('libdoca_cc.so.2', 'libdoca_cc.so'):\n    lib = ctypes.cdll.LoadLibrary({FIND}(name))"),
        ("libc = CDLL(None), CDLL('libc.so.6'), CDLL(find_library('m'))\nlib = CDLL('libdoca_cc.so.2')",
         f"libc = CDLL(None), CDLL('libc.so.6'), CDLL(find_library('m'))\nlib = CDLL({FIND}('libdoca_cc.so.2'))"),
    ],
)  # fmt: skip
def test_libraries_are_opened_by_their_path(old: str, new: str) -> None:
    top = "import ctypes, cffi\nfrom ctypes import CDLL\nfrom ctypes.util import find_library\n"
    check_opening(top, top, old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lib = CDLL(find_library('doca_cc'))", f"lib = CDLL({FIND}('doca_cc'))"),
        ("lib = CDLL(find_library('doca_cc') or 'libdoca_cc.so.2')",
         f"lib = CDLL({FIND}({FIND}('doca_cc') or 'libdoca_cc.so.2'))"),
        ("path = find_library('doca_cc')\nlib = CDLL(path) if path else None",
         f"path = {FIND}('doca_cc')\nlib = CDLL({FIND}(path)) if path else None"),
    ],
)  # fmt: skip
def test_a_function_that_found_the_library_is_imported_no_more(old: str, new: str) -> None:
    top, line = "from ctypes import CDLL\n", "from ctypes.util import find_library\n"
    check_opening(top + line, top, old, new)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from ctypes.util import find_library\nlibm = CDLL(find_library('m'))\n", ""),
        ("from ctypes.util import find_library\n__all__ = ['find_library', 'lib']\n", ""),
        ("from ctypes.util import find_library\n", "from chan import find_library, lib\n"),
        ("from ctypes.util import find_library\n", "import chan\nchan.find_library = str\n"),
        ("def load(): return CDLL('libdoca_cc.so.2')\nfrom ctypes.util import find_library\n", ""),
        ("try:\n    from ctypes.util import find_library\nexcept ImportError: raise\n", ""),
    ],
)
def test_a_function_that_found_the_library_stays_where_others_need_it(before: str, after: str) -> None:
    chan = f"from ctypes import CDLL\n{before}lib = CDLL(find_library('doca_cc'))\nlib.doca_cc_server_create()\n"
    texts = {ROOT / "chan.py": chan.encode(), ROOT / "main.py": after.encode()}
    new = next(outcome.new for outcome in rewrite_project(texts, options=SHIM) if outcome.path.name == "chan.py")
    assert "import find_library" in new.decode()
    assert f"import {FIND.removesuffix('.find')}\n" in new.decode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f'libdoca_{part}.so.2'", f"{FIND}(f'libdoca_{{part}}.so.2')"),
        ("f'/opt/lib{part}.so.2'", f"{FIND}(f'/opt/lib{{part}}.so.2')"),
        ("'libdoca_%s.so.2' % part", f"{FIND}('libdoca_%s.so.2' % part)"),
        ("'libdoca_{}.so.2'.format(part)", f"{FIND}('libdoca_{{}}.so.2'.format(part))"),
        ("'libdoca_' + part", f"{FIND}('libdoca_' + part)"),
        ("part + '/libfoo.so'", "part + '/libfoo.so'"),
        ("'libdoca-x.so'", "'libdoca-x.so'"),
    ],
)
def test_a_library_whose_name_is_put_together(old: str, new: str) -> None:
    top = "from ctypes import CDLL\n"
    check_opening(
        top, top, f"CDLL('libdoca_cc.so.2')\nlib = CDLL({old})", f"CDLL({FIND}('libdoca_cc.so.2'))\nlib = CDLL({new})"
    )


@pytest.mark.parametrize(
    "opened",
    [
        "CDLL(name='libdoca_cc.so.2')",
        "CDLL(name='libdoca_common.so.2')",
        "CDLL(*['libdoca_cc.so.2'])",
        "cdll['libdoca_cc.so.2']",
        "find_library(name='doca_cc')",
    ],
)
def test_a_library_that_stays_beside_another_one(opened: str) -> None:
    """Each has its own finding, in a run after the first one, too."""
    text = (
        f"from ctypes import *\nfrom ctypes.util import find_library\ncommon = CDLL('libdoca_cc.so')\nlib = {opened}\n"
    )
    outcome = rewrite(f"{text}lib.doca_cc_server_create()\n".encode(), options=SHIM)
    assert findings(outcome) == [("CCM089", 4)]
    assert f"common = CDLL({FIND}('libdoca_cc.so'))\n" in outcome.new.decode()
    again = rewrite(outcome.new, options=SHIM)
    assert (again.new, [code for code, _ in findings(again)]) == (outcome.new, ["CCM089"])


def test_a_library_that_stays() -> None:
    text = b"import ctypes\nlib = ctypes.CDLL('libdoca_cc.so.2')  # migrate: skip\nlibc = ctypes.CDLL('libc.so.6')\n"
    assert not rewrite(text, options=SHIM).changed
    opened = b"import ctypes\nlib = ctypes.CDLL(name=%s)\n" % b"'libdoca_cc.so.2'"
    outcome = rewrite(opened, options=SHIM)
    assert outcome.new.endswith(opened.partition(b"\n")[2])
    assert findings(outcome) == [("CCM089", 2)]


def test_other_files_keep_what_they_open() -> None:
    texts = {ROOT / "main.py": b"import ctypes\nlib = ctypes.CDLL('libdoca_cc.so.2')\n",
             ROOT / "other.py": b"import ctypes\ndef load(name):\n    return ctypes.CDLL(name)\n"}  # fmt: skip
    main_py, other_py = rewrite_project(texts, options=SHIM)
    assert (main_py.changed, other_py.changed) == (True, False)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("x = importlib.import_module('doca_comm_' 'channel')", "CCM005"),
        ("x = load('doca_comm_channel')", "CCM005"),
        ("x = sys.modules['doca_comm_channel']", "CCM005"),
        ("mock.patch('doca_comm_channel.Endpoint')", "CCM005"),
        ("exec('import doca_comm_channel as c')", "CCM005"),
        ("import importlib.util\nx = importlib.util.find_spec('doca_comm_channel')", "CCM005"),
        ("def f():\n    '''\n    >>> import doca_comm_channel\n    '''", "CCM005"),
        ("x = ffi.dlopen('libdoca_comm_channel.so.2')", "CCM005"),
        ("lib.doca_comm_channel_ep_create()", "CCM007"),
        ("lib.doca_cc_server_create()", "CCM007"),
    ],
)
def test_what_is_left_is_reported(line: str, code: str) -> None:
    outcome = rewrite(f"import doca_comm_channel as cc\n{line}\n".encode(), options=SHIM)
    assert [found for found, _ in findings(outcome)] == [code]
    head, *rest = outcome.new.decode().splitlines()
    assert head == "import comm_channel_compat as cc"
    assert "".join(rest).count(f"# {code}: ") == 1
    assert [text for text in rest if f"# {code}: " not in text] == line.splitlines()


def test_modules_of_the_program() -> None:
    """Its own doca_comm_channel is not the old one; its own comm_channel_compat would be found by the new import."""
    own = {ROOT / "main.py": b"import doca_comm_channel\n", ROOT / "doca_comm_channel.py": b"Endpoint = 1\n"}
    assert not any(outcome.changed or outcome.findings for outcome in rewrite_project(own, options=SHIM))
    taken = {ROOT / "main.py": b"import doca_comm_channel\n", ROOT / "comm_channel_compat.py": b"Endpoint = 1\n"}
    main_py = rewrite_project(taken, options=SHIM)[1]
    assert findings(main_py) == [("CCM050", 1)]
    assert main_py.new.endswith(b"\nimport doca_comm_channel\n")


def test_a_file_that_reads_its_source() -> None:
    outcome = rewrite(b"import doca_comm_channel\nprint(open(__file__).read())\n", options=SHIM)
    assert findings(outcome) == [("CCM084", 1)]


def test_comments_of_the_program() -> None:
    text = b"import doca_comm_channel as cc  # migrate: skip\nfrom doca_comm_channel import (\n  Again,\n  Endpoint)\n"
    text += b"x = 1  # migrate: skip\n"
    outcome = rewrite(text, options=SHIM)
    assert outcome.new == text.replace(b"from doca_comm_channel", b"from comm_channel_compat")
    assert findings(outcome) == [("CCM091", 5)]


def test_a_failed_check_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shim, "complaints", lambda *_, **__: ["lost"])
    outcome = rewrite(b"import doca_comm_channel as cc\n", options=SHIM)
    assert findings(outcome) == [("CCM046", 1)]
    assert outcome.new.endswith(b"\nimport doca_comm_channel as cc\n")


def redirected(shape: Shape) -> list[FileOutcome]:
    return rewrite_project({ROOT / name: data for name, data in shape.files.items()}, options=SHIM)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape.kind in IMPORTING], ids=lambda shape: shape.id)
def test_programs_need_no_launcher(shape: Shape, runner: Runner) -> None:
    outcomes = redirected(shape)
    back = [
        outcome.new.replace(b"comm_channel_compat as doca_comm_channel", b"doca_comm_channel")
        .replace(b"comm_channel_compat", b"doca_comm_channel") for outcome in outcomes
    ]  # fmt: skip
    if all(finding.level is Level.SAFE for outcome in outcomes for finding in outcome.findings):
        assert back == [outcome.old for outcome in outcomes]
        new = {str(outcome.path.relative_to(ROOT)): outcome.new for outcome in outcomes}
        assert runner.run(new, launched=False) == runner.run(shape.files, launched=True)


USERS = {name: PROGRAMS[name] for name in ("import_styles", "kv_package", "reexported")}
USERS |= {name: case for name, case in GUESTS.items() if name.startswith(("cffi/", "ctypes/")) and not case.release}


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("name", USERS)
def test_programs_as_users_run_them(tmp_path: Path, runtime_dir: Path, name: str) -> None:
    case = USERS[name]
    new = Path(shutil.copytree(case.folder, tmp_path / name))
    assert main(["--mode", "shim", "--write", str(new)]) == 0
    sides = Trees(case.folder, new, (), (), frozenset())
    remains = case.stage(sides, runtime_dir).run("new", [True] * len(case.commands))
    for end, left in zip(case.ends(), remains, strict=True):
        assert (left.stdout, left.status) == (end.output, end.status), left.stderr
