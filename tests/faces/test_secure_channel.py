"""Generation 3's secure channel over control messages: C, cffi, ctypes and comch_next at either end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faces.conftest import MODULES
from tests.faces.support import ENV, compiled, run
from tests.processes import Child, StartPython

HERE = Path(__file__).parent
NUMBER = 100
TOLD = [f"{NUMBER} sent, {NUMBER} received, 0 wrong", "DOCA_SUCCESS"]
SPELLINGS = ("c", "cffi", "ctypes", "comch_next")
SIDES = {"server": (), "client": ("-p", "b1:00.0")}

Begin = Callable[[str, str], Child]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = HERE / "field" / "secure_ctrl.c"
    return compiled(tmp_path_factory.mktemp("secure"), [source], *MODULES, flags=("-std=gnu99",))


@pytest.fixture
def begin(program: Path, start_python: StartPython) -> Iterator[Begin]:
    """Start one end in a spelling; it is killed, by its own id, if it still runs when the test ends."""
    children: list[Child] = []

    def starting(spelling: str, side: str) -> Child:
        if spelling != "c":
            script = str(HERE / "secure" / f"of_{spelling}.py")
            return start_python(script, side, str(NUMBER), env={**ENV, "PYTHONPATH": str(HERE.parents[1])})
        children.append(run(program, *SIDES[side], "-n", str(NUMBER)))
        return children[-1]

    yield starting
    for child in children:
        child.kill()


@pytest.mark.parametrize("client", SPELLINGS)
@pytest.mark.parametrize("server", SPELLINGS)
def test_both_sides_have_everything(server: str, client: str, begin: Begin) -> None:
    serving = begin(server, "server")
    serving.wait_for("listening")
    for child in (begin(client, "client"), serving):
        ended = child.finish()
        assert (ended.returncode, ended.stderr) == (0, "")
        assert [line for line in ended.stdout.splitlines() if line != "listening"] == TOLD
