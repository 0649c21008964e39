"""python -m migrate verify, with processes."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from migrate._options import UsageError
from migrate.cli import main
from migrate.outcome import Options
from migrate.verify import options
from migrate.verify.peers import LAUNCHER, Peer, Script
from tests import pages
from tests.processes import ROOT, SOON_S
from tests.pull.support import until
from tests.verify.conftest import PROGRAMS

HELLO = ROOT / "samples_legacy"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the programs that a test may change."""
    return Path(shutil.copytree(PROGRAMS, tmp_path / "programs", ignore=shutil.ignore_patterns("__pycache__")))


def verify(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    status = main(["verify", "--timeout", "120", "--linger", "100", "--patience", "100", *map(str, arguments)])
    return status, capsys.readouterr().out


def test_a_pair_in_every_pairing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for end in ("service", "client"):
        shutil.copy(HELLO / f"hello_{end}.py", tmp_path)
    ends = [tmp_path / f"hello_{end}.py" for end in ("service", "client")]
    report = tmp_path.parent / f"{tmp_path.name}.html"
    more = "--no-faults", "--report", report, "--args-client", "--text 'to whom it may concern'"
    status, text = verify(capsys, *ends, *more)
    assert (status, text) == (0, "equivalent: 4 runs, no difference; every call of the old API ran\n")
    page = pages.read(report.read_text())
    assert "equivalent: 4 runs" in page.words
    assert "hello server, process" in page.words
    assert {"file-1-diff", "file-2-diff"} <= {*page.ids}
    assert len(page.sources) == 2


def test_one_program_under_faults(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal shows how far it is, and nothing of that at the end."""
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    status, text = verify(capsys, folder / "flush.py", "--faults", "again:send@60", "--json")
    document = json.loads(text)
    assert (status, document["verdict"], document["runs"]) == (0, "equivalent", 4)
    assert "run 3: old, faults again:send@60" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


WHERE = """\
import os
import pathlib
import sys
import doca_comm_channel as cc
print("working in", os.getcwd())
print("started in", pathlib.Path(__file__).parent, file=sys.stderr)
pathlib.Path("a.log").write_text(f"{os.getcwd()} has {os.path.abspath('data')}\\n")
cc.Endpoint()
"""


def test_a_program_that_shows_where_it_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "where.py").write_text(WHERE)
    assert verify(capsys, tmp_path / "where.py", "--no-faults")[0] == 0


def test_a_module_that_is_found_by_way_of_another_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {
        "bin/program.py": "import os, sys\nsys.path.insert(0, os.path.dirname(__file__) + '/../lib')\nimport module\n",
        "lib/module.py": "from doca_comm_channel import *\nrc, ep = doca_comm_channel_ep_create()\nprint(rc)\n",
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    arguments = tmp_path / "bin/program.py", "--root", tmp_path, "--no-faults"
    equivalent = "equivalent: 2 runs, no difference; every call of the old API ran\n"
    assert verify(capsys, *arguments) == (0, equivalent)


BUILDS = """\
import cffi
builder = cffi.FFI()
builder.set_source("_doca", None)
builder.cdef(\'\'\'
struct doca_comm_channel_ep_t;
int doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
\'\'\')
builder.compile()
"""
IMPORTS = """\
import builds
from _doca import ffi
lib = ffi.dlopen("libdoca_comm_channel.so.2")
ep = ffi.new("struct doca_comm_channel_ep_t **")
print(lib.doca_comm_channel_ep_create(ep))
"""


def test_a_program_that_makes_its_declarations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are a file that the rewritten one does not need."""
    (tmp_path / "builds.py").write_text(BUILDS)
    (tmp_path / "program.py").write_text(IMPORTS)
    equivalent = "equivalent: 2 runs, no difference; every call of the old API ran\n"
    assert verify(capsys, tmp_path / "program.py", "--no-faults") == (0, equivalent)


def test_a_folder_with_links(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """To a folder that they lie in, by which modules are found, and to what is not there; others lead to copies."""
    home, outside = tmp_path / "given", tmp_path / "outside"
    (home / "parts").mkdir(parents=True)
    outside.mkdir()
    for path, text in {
        home / "program.py": "import package.parts.module\nprint(open('later').read(), open('there/data').read())\n",
        home / "parts/module.py": "from doca_comm_channel import *\nrc, ep = doca_comm_channel_ep_create()\n"
        "with open('made', 'w') as file:\n    file.write(str(rc))\n",
        outside / "data": "text",
    }.items():
        path.write_text(text)
    for link, target in {
        "package": ".",
        "parts/up": str(home),
        "parts/others": "../others",
        "later": "made",
        "nowhere": str(tmp_path / "absent"),
        "there": "../outside",
    }.items():
        (home / link).symlink_to(target)
    (home / "others").mkdir()
    (home / "others/back").symlink_to("../parts")
    kept = tmp_path / "kept"
    equivalent = "equivalent: 2 runs, no difference; every call of the old API ran\n"
    assert verify(capsys, home / "program.py", "--no-faults", "--keep", kept) == (0, equivalent)
    assert (kept / "old/there/data").read_text() == "text"
    links = {path for path in (kept / "old").rglob("*") if path.is_symlink()}
    assert all(link.resolve().is_relative_to(kept) for link in links)
    assert {str(link.relative_to(kept / "old")) for link in links} == {
        "package",
        "later",
        "others/back/others",
        "parts/others/back",
        "parts/up",
        "others/back/up",
    }
    assert not (home / "made").exists()


def _number_of(part: str, text: str) -> int:
    (number,) = [number for number, line in enumerate(text.splitlines(), start=1) if part in line]
    return number


def test_two_trees(folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What somebody made of a program; the first difference has both lines."""
    new = Path(shutil.copytree(folder, tmp_path / "new"))
    assert main(["--write", "--jobs", "1", str(new / "flush.py")]) == 0
    text = (new / "flush.py").read_text()
    (new / "flush.py").write_text(text.replace('send_to(b"%d" % sent', 'send_to(b"%d" % (sent ^ 1)'))
    capsys.readouterr()
    shown = tmp_path / "report.html"
    status, report = verify(capsys, "--tree", folder, new, "flush.py", "--no-faults", "--report", shown)
    assert status == 1
    words = pages.read(shown.read_text()).words
    assert "sent ^ 1" in words
    assert "rewritten, " not in words  # migrate had no part in it
    head, where, old, wrong, *_ = report.splitlines()
    assert head.startswith("diverged: ")
    assert where == "  program, sends of the client of objects, number 1 (new)"
    before, after = (_number_of("% sent, peer", text) for text in ((folder / "flush.py").read_text(), text))
    assert old == f"""    old: 1 bytes b'0'  [flush.py:{before}] ep.sendto(b"%d" % sent, peer)"""
    assert wrong == f"""    new: 1 bytes b'1'  [flush.py:{after}] ep.send_to(b"%d" % (sent ^ 1), peer, timeout=0)"""


def test_a_program_without_the_old_api(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "new.py"
    script.write_text("import comch_next\nprint(len(comch_next.devices()))\n")
    status, text = verify(capsys, script, "--no-faults")
    assert status == 2
    assert "the old side calls no old API" in text


def test_a_program_that_does_not_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "stuck.py"
    script.write_text("import time\nimport doca_comm_channel as cc\ncc.Endpoint()\nwhile True:\n    time.sleep(9)\n")
    status, text = verify(capsys, script, "--no-faults", "--timeout", "1.5")
    assert status == 2
    assert "the old program was killed at the time limit (--timeout)" in text


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "required: SCRIPT"),
        (["nowhere.py"], "is not a file"),
        (["a.py", "b.py", "c.py"], "one program, or a service and its client"),
        (["a.py", "--times", "0"], "not a number above 0"),
        (["a.py", "--timeout", "nan"], "not a number of seconds"),
        (["a.py", "--tree", "nowhere", "."], "is not a folder"),
        (["a.py", "--root", "tests"], "is not in"),
        ([__file__, "--keep", str(PROGRAMS)], "is not an empty folder"),
        ([__file__, "--faults", "again:sned@2"], "--faults: COMCH_FAULTS: 'again:sned@2' is not a fault"),
        ([__file__, "--args", "it's"], 'arguments "it\'s": No closing quotation'),
        ([__file__, "--doca", "9.9"], "--doca: '9.9' is not one of 1.4, 2.5, 2.6"),
        ([__file__, "--report", "a.sarif"], "--report a.sarif: the suffix is not one of .txt, .json, .html"),
    ],
)
def test_wrong_command_lines(capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str) -> None:
    try:
        status = main(["verify", *arguments])
    except SystemExit as end:
        status = int(str(end.code))
    assert status == 64
    assert reason in capsys.readouterr().err


def test_ends_and_their_arguments(folder: Path) -> None:
    (folder / "c").mkdir()
    compiled = folder / "c" / "service"
    compiled.write_bytes(b"\x7fELF")
    given = [str(compiled), str(folder / "desk.py"), "--args", "-a 'b c'", "--args-client", "-d", "--doca", "2.5"]
    settings = options.read_options(given)
    assert settings.roots == (folder,)
    service, client = settings.peers
    desk = Script(Path("desk.py"))
    assert service == Peer("service", Script(Path("c/service"), is_python=False), None, ("-a", "b c"), "2.5")
    assert client == Peer("client", desk, desk, ("-d",), "2.5")

    def words(peer: Peer, *, new: bool, launched: bool) -> list[str]:
        return peer.command(Path("/x"), new=new, launched=launched, account=Path("/a.json"))

    run_compiled = [*LAUNCHER, "exec", "--doca", "2.5", "--report", "/a.json"]
    assert words(service, new=True, launched=False) == [*run_compiled, "/x/c/service", "-a", "b c"]
    assert words(client, new=False, launched=True) == [*LAUNCHER, "run", "--doca", "2.5", "/x/desk.py", "-d"]
    assert words(client, new=True, launched=False)[1:] == ["/x/desk.py", "-d"]


@pytest.mark.parametrize("folder_of_settings", [".", "program"])
def test_the_settings_of_the_project_hold(tmp_path: Path, folder_of_settings: str) -> None:
    """Also from above the program's folder; options override them."""
    program = tmp_path / "program" / "main.py"
    program.parent.mkdir()
    program.write_text("import doca_comm_channel\n")
    (tmp_path / folder_of_settings / "pyproject.toml").write_text(
        "[tool.migrate]\nidioms = true\nunsafe = true\nwidth = 60\nexclude = ['kept']\n"
    )
    assert options.read_options([str(program)]).options == Options(unsafe=True, idioms=True, width=60)
    given = options.read_options([str(program), "--no-idioms", "--no-unsafe"])
    assert given.options == Options(width=60)
    assert [excluded.folder for excluded in given.excluded] == [str(tmp_path / folder_of_settings)]


def test_settings_that_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("")
    (tmp_path / "pyproject.toml").write_text("[tool.migrate]\nidiom = true\n")
    with pytest.raises(UsageError, match=r"\[tool.migrate\] has no key idiom"):
        options.read_options([str(tmp_path / "main.py")])


def test_what_the_settings_exclude_is_not_migrated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict names it, as anything else that stays old; a program that is named is migrated all the same."""
    call = "import doca_comm_channel as cc\nprint(len(cc.devices()) > 0)\n"
    (tmp_path / "main.py").write_text(f"import kept\n{call}")
    (tmp_path / "kept.py").write_text(call)
    (tmp_path / "pyproject.toml").write_text("[tool.migrate]\nexclude = ['*.py']\n")
    kept = tmp_path.parent / f"{tmp_path.name}-kept"
    status, text = verify(capsys, tmp_path / "main.py", "--no-faults", "--keep", kept)
    assert (status, [line.strip() for line in text.splitlines() if "stays" in line]) == (
        2,
        ["kept.py:1: stays old (excluded)"],
    )
    assert (kept / "new/kept.py").read_text() == call
    assert "comch_next" in (kept / "new/main.py").read_text()


def test_what_nobody_has_rewritten_is_not_compared_with_itself(folder: Path) -> None:
    program = folder / "program"
    program.write_bytes(b"\x7fELF")
    with pytest.raises(UsageError, match="nothing to compare: migrate rewrites no compiled program; --tree OLD NEW"):
        options.read_options([str(program)])


def test_what_is_ignored_is_a_regular_expression(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"--ignore '\(' is not a regular expression: missing \), "):
        options.read_options([str(folder / "flush.py"), "--ignore", "("])


def test_ends_with_successors(tmp_path: Path) -> None:
    """A compiled end, or one by another name, has a successor in the other folder; its results cannot be seen."""
    for name in ("old/service", "old/client.py", "new/service.py", "new/caller.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"\x7fELF")
    trees = ["--tree", str(tmp_path / "old"), str(tmp_path / "new")]
    settings = options.read_options([*trees, "service=service.py", "client.py=caller.py"])
    service, client = settings.peers
    assert service == Peer("service", Script(Path("service"), is_python=False), Script(Path("service.py")))
    assert client == Peer("client", Script(Path("client.py")), Script(Path("caller.py")))
    assert (service.shows_results, client.shows_results) == (False, True)
    with pytest.raises(UsageError, match=r"new/nothing.py is not a file"):
        options.read_options([*trees, "service=nothing.py"])


ENDLESS = """
import os, pathlib, time
import doca_comm_channel as cc
pathlib.Path("{pid}").write_text(str(os.getpid()))
cc.Endpoint()
while True:
    time.sleep(0.01)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_command_that_is_ended_leaves_no_program(tmp_path: Path, number: signal.Signals) -> None:
    program, pid = tmp_path / "endless.py", tmp_path / "pid"
    program.write_text(ENDLESS.format(pid=pid))
    command = [sys.executable, "-m", "migrate", "verify", "--timeout", "100", str(program)]
    with subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
        until(lambda: pid.exists() and pid.read_text())
        process.send_signal(number)  # it looks for its end, and so for signals, every few hundredths of a second
        assert process.wait(timeout=SOON_S) == (130 if number == signal.SIGINT else 128 + number)
    until(lambda: not Path(f"/proc/{pid.read_text()}").exists())
