"""Which files of a tree matter: names carry the old API from file to file, and nothing else is looked into."""

from __future__ import annotations

import ast
import tracemalloc
from pathlib import Path

import pytest

from migrate import _project
from migrate._affected import NEAR_BYTES, affected
from migrate._prefilter import Imports, scan
from migrate.rewriting import rewrite_project

OLD = "import doca_comm_channel as cc\n"
CHAN = OLD + "ep = cc.Endpoint()\n"
TOP = Path("/project")


def taken(files: dict[str, str]) -> list[str]:
    texts = {TOP / name: text.encode() for name, text in files.items()}
    imports = Imports({path: scan(data) for path, data in texts.items()})
    return sorted(str(path.relative_to(TOP)) for path in affected(imports, texts.__getitem__))


def test_importers_matter_however_far() -> None:
    files = {
        "chan.py": CHAN,
        "a.py": "import chan\nx = [chan.ep]",
        "b.py": "from a import x as y\ny.append(1)",
        "c.py": "import b\nb.y.pop()",
        "other.py": "x = 1",
    }
    assert taken(files) == ["a.py", "b.py", "c.py", "chan.py"]


@pytest.mark.parametrize(
    "text",
    [
        "import chan",
        "import chan\nchan.load('x')",
        "from chan import load, LIMIT\nload(LIMIT)",
        "import chan as ch\ndef run(x):\n    ch.load(x)",
    ],
)
def test_importers_that_use_nothing_old_do_not(text: str) -> None:
    chan = CHAN + "LIMIT = 3\ndef load(name):\n    return name\ndef open_link():\n    return ep.connect(b'svc')\n"
    assert taken({"chan.py": chan, "user.py": text}) == ["chan.py"]


@pytest.mark.parametrize(
    "text",
    [
        "import chan\nchan.open_link()",
        "import chan as ch\nch.open_link()",
        "from chan import open_link as connected\nconnected()",
        "from chan import *",
        "import chan\ngetattr(chan, 'open_link')()",
        "import chan\nchan.cc = None",
        "from unittest import mock\nmock.patch('chan.cc.Endpoint')",
        "import importlib\nimportlib.import_module('chan').open_link()",
        "import chan\ndef used():\n    return chan.settings()",
        "import chan\nclass Link(chan.Base):\n    pass",
        "import chan\n# type: (chan.ep) -> None",
        "import chan\ndef send(x):\n    x.sendto(b'', None)",
    ],
)
def test_importers_that_can_meet_a_handle_do(text: str) -> None:
    chan = CHAN + (
        "LIMIT = 3\ncurrent = []\n"
        "class Base:\n    def __init__(self):\n        current.append(self)\n"
        "def open_link():\n    current.append(ep)\n    return ep.connect(b'svc')\n"
        "def settings():\n    return current\n"
    )
    assert taken({"chan.py": chan, "user.py": text}) == ["chan.py", "user.py"]


def test_an_importer_that_may_compute_old_names_does() -> None:
    facade = "from doca_comm_channel import Endpoint\n"
    assert taken({"chan.py": facade, "user.py": "import chan\nend = chan.LIMIT"}) == ["chan.py"]
    assert taken({"chan.py": facade, "user.py": "import chan\nend = getattr(chan, name)"}) == ["chan.py", "user.py"]


@pytest.mark.parametrize(
    "loads", ["import_module('plugs.' + name)", "import_module(plugs[0])", "__import__(f'plugs.{name}')"]
)
def test_who_imports_by_computed_names_matters_to_what_nobody_imports(loads: str) -> None:
    plug, main = "from doca_comm_channel import Endpoint\n", f"from importlib import import_module\nplug = {loads}\n"
    assert taken({"plugs/one.py": plug, "main.py": main + "plug.Endpoint()"}) == ["main.py", "plugs/one.py"]
    assert taken({"plugs/one.py": plug, "main.py": main + "plug.LIMIT"}) == ["plugs/one.py"]


def test_a_star_import_of_a_package_may_bring_its_modules() -> None:
    files = {
        "net/__init__.py": "__all__ = ['chan']",
        "net/chan.py": "from doca_comm_channel import Endpoint\n",
        "main.py": "from net import *\nend = chan.Endpoint()",
        "other.py": "from net import *\nprint(chan)",
    }
    assert taken(files) == ["main.py", "net/__init__.py", "net/chan.py"]


def test_who_imports_the_main_module_matters_to_those_that_import_it() -> None:
    script = "import helper\nfrom doca_comm_channel import Endpoint\n"
    files = {"main.py": script, "helper.py": "import __main__\ndef make():\n    return __main__.Endpoint()\n"}
    assert taken(files) == ["helper.py", "main.py"]


def test_what_carriers_name_matters() -> None:
    files = {
        "chan.py": CHAN + "import retry, helpers\nretry.run(ep)",
        "retry.py": "from deep import x\ndef run(ep):\n    x(ep)",
        "deep.py": "def x(ep): pass",
        "helpers.py": "def y(): pass",
        "other.py": "import deep",
    }
    assert taken(files) == ["chan.py", "deep.py", "retry.py"]


def test_what_an_importer_hands_a_handle_to_matters() -> None:
    files = {
        "chan.py": CHAN,
        "main.py": "import chan, worker\nworker.run(chan.ep)",
        "worker.py": "def run(ep): ep.sendto(b'', p)",
    }
    assert taken(files) == ["chan.py", "main.py", "worker.py"]


def test_who_else_calls_a_function_that_gets_handles_matters() -> None:
    files = {
        "chan.py": CHAN + "import util\nutil.send(ep, b'', None)",
        "util.py": "def send(link, data, to):\n    link.sendto(data, to)\ndef other(): pass",
        "tcp.py": "import util, socket\nutil.send(socket.socket(), b'', ('h', 1))",
        "more.py": "import util\nutil.other()",
    }
    assert taken(files) == ["chan.py", "tcp.py", "util.py"]


def test_packages_and_relative_imports_are_followed() -> None:
    files = {
        "pkg/__init__.py": "from .chan import ep",
        "pkg/chan.py": CHAN,
        "pkg/sub/x.py": "from ..chan import ep",
        "pkg/sub/y.py": "from . import z",
        "app.py": "from pkg import ep",
        "whole.py": "import pkg\npkg.chan.ep.destroy()",
        "chan.py": "",
        "z.py": "from pkg.other import x",
    }
    assert taken(files) == ["app.py", "pkg/__init__.py", "pkg/chan.py", "pkg/sub/x.py", "whole.py"]


FIXTURE = OLD + "import pytest\n@pytest.fixture{name}\ndef ep():\n    return cc.Endpoint()\n"
TEST = "def test_it(link, {name}):\n    link({name})\n"


@pytest.mark.parametrize(("called", "name"), [("", "ep"), ("(name='end')", "end")])
def test_tests_that_ask_for_a_fixture_matter(called: str, name: str) -> None:
    files = {
        "conftest.py": FIXTURE.format(name=called),
        "test_it.py": TEST.format(name=name),
        "test_else.py": "def test_it(tmp_path): ...",
    }
    assert taken(files) == ["conftest.py", "test_it.py"]


def test_a_fixture_that_a_test_hands_a_handle_to_matters() -> None:
    files = {"conftest.py": "import pytest\n@pytest.fixture\ndef link():\n    return lambda ep: ep.sendto(b'', None)"}
    files["test_it.py"] = CHAN + TEST.format(name="name")
    assert taken(files) == ["conftest.py", "test_it.py"]


def test_what_passes_a_module_on_matters() -> None:
    files = {"chan.py": CHAN, "links.py": "import chan", "main.py": "import links\nlinks.chan.ep.destroy()"}
    assert taken(files) == ["chan.py", "links.py", "main.py"]


def test_a_module_is_the_nearest_of_its_name() -> None:
    use = "import util\nutil.ep.destroy()"
    files = {"one/util.py": CHAN, "one/x.py": use, "two/util.py": "", "two/x.py": use}
    assert taken(files) == ["one/util.py", "one/x.py"]


def test_of_a_large_tree_below_an_importer_the_near_and_the_calling_are_taken() -> None:
    files = {
        "chan.py": CHAN,
        "main.py": "import chan, first, third\nfirst.run(chan.ep)\nthird.run(chan.ep)",
        "first.py": "import second\ndef run(ep): second.run(ep)\n#" + " " * NEAR_BYTES,
        "second.py": "def run(ep): print(ep)",
        "third.py": "def run(ep): ep.sendto(b'', None)",
    }
    assert taken(files) == ["chan.py", "main.py", "third.py"]
    files["first.py"] = files["first.py"].rstrip(" ")
    assert taken(files) == ["chan.py", "first.py", "main.py", "second.py", "third.py"]


def test_circles_end() -> None:
    assert taken({"a.py": CHAN + "import b\nb.f(ep)", "b.py": "import a\ndef f(x): a.ep"}) == ["a.py", "b.py"]


def test_files_that_are_not_python_are_taken_for_themselves() -> None:
    assert taken({"chan.py": OLD + "print 'x'", "user.py": "import chan\nchan.cc"}) == ["chan.py"]


def written(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def test_a_file_of_which_nothing_is_carried_is_never_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    users = {f"user{number}.py": "import chan, large\nprint(large.x0)\n" for number in range(20)}
    large = "".join(f"x{number} = {number}\n" for number in range(100_000))
    written(tmp_path, {"chan.py": CHAN + "ep.connect('svc')\n", "large.py": large, **users})
    parsed: list[int] = []
    parse = ast.parse

    def counted(data: bytes, *, type_comments: bool) -> ast.AST:
        parsed.append(len(data))
        return parse(data, type_comments=type_comments)

    monkeypatch.setattr(ast, "parse", counted)
    project = _project.load([tmp_path])
    assert [list(group.files) for group in project.groups] == [[tmp_path / "chan.py"]]
    assert parsed == [(tmp_path / "chan.py").stat().st_size]


def test_of_a_file_that_names_nothing_old_nothing_is_kept(tmp_path: Path) -> None:
    line = "value = compute(value, 'text')  # and so on\n"
    written(tmp_path, {"chan.py": CHAN, "large.py": line * 50_000})
    tracemalloc.start()
    try:
        project = _project.load([tmp_path])
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = len(line) * 50_000
    assert len(project.groups) == 1
    assert held < size / 10
    assert peak < 1.5 * size


def test_what_another_caller_passes_to_a_function_keeps_it_old(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "chan.py": CHAN + "import util\nutil.send(ep, b'', ep.connect('svc'))\n",
            "util.py": "def send(link, data, to):\n    link.sendto(data, to)\n",
            "tcp.py": "import util, socket\nutil.send(socket.socket(), b'', ('h', 1))\n",
        },
    )
    (group,) = _project.load([tmp_path]).groups
    outcomes = {outcome.path.name: outcome for outcome in rewrite_project(group.files)}
    assert b"send_to" not in outcomes["util.py"].new
    assert {finding.code for finding in outcomes["util.py"].findings} == {"CCM035"}


def test_what_others_may_import_is_public(tmp_path: Path) -> None:
    facade = {"chan.py": CHAN + "__all__ = ['ep']\n", "app.py": "from chan import ep\nep.destroy()\n"}
    written(
        tmp_path,
        {
            "tool/pyproject.toml": "[project]\n",
            **{f"{at}/{name}": text for at in ("tool", "lab") for name, text in facade.items()},
        },
    )
    public = {
        path.parent.name: path in group.public for group in _project.load([tmp_path]).groups for path in group.files
    }
    assert public == {"tool": True, "lab": False}
