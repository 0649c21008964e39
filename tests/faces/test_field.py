"""Programs in the manner of public samples, as C99 and as C++: what they print follows from the API's documents."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from tests.faces.conftest import MODULES
from tests.faces.support import compiled, run
from tests.processes import Child

FIELD = Path(__file__).parent / "field"
LANGUAGES = {"c": ("gcc", "-std=gnu99"), "cc": ("g++", "-std=c++17")}
HOST = ("-p", "b1:00.0")
GOOD = "DOCA_SUCCESS"

Start = Callable[..., Child]

PAIRS = {
    "ctrl": (
        (("ctrl_server", "-t", "answer"), ["listening", "received 'question'", GOOD]),
        (("ctrl_client", *HOST, "-t", "question"), ["received 'answer'", GOOD]),
    ),
    "secure": (
        (("secure_ctrl", "-n", "300"), ["listening", "300 sent, 300 received, 0 wrong", GOOD]),
        (("secure_ctrl", *HOST, "--number", "300"), ["300 sent, 300 received, 0 wrong", GOOD]),
    ),
    "channel": (
        (("channel_service",), ["listening", "200 messages", GOOD]),
        (("channel_client", *HOST, "-n", "200"), ["the sum agrees", "1 message of 4 bytes", GOOD]),
    ),
}

_LIMITS = ["  names 128, messages 65535, queue 8192, clients 512"]
_LIMITS += ["  lists 1, tasks yes, posts yes, immediate data yes, consumers yes", "  exports yes, imports yes"]
_TYPES = enumerate((0, 0, 1, 2))  # two physical functions, a virtual and a scalable one
ALONE = {
    ("capabilities",): [
        "version equal",
        *("0000:03:00.0 server yes, client no", *_LIMITS),
        *(f"  representor 0000:b1:00.{number} of type {kind}" for number, kind in _TYPES),
        *(line for number in range(4) for line in (f"0000:b1:00.{number} server no, client yes", *_LIMITS)),
        GOOD,
    ],
    ("logs",): ["file 6, descriptor 3", "own source 1, buffered yes", "the library's own 2", GOOD],
    ("notified",): ["1 and 1 received", GOOD],
    ("argument_kinds", "--name", "eve", "-c", "3", "-L"): ["eve 3 times, loud, 3 calls", GOOD],
    ("argument_kinds", "--version"): ["version 1"],
}
# What the calls of `buffers` return but DOCA_SUCCESS, and what it prints beside them.
REFUSED = [("doca_mmap_start(mmap)", "INVALID_VALUE"), ("doca_mmap_set_memrange(mmap, memory, SIZE)", "BAD_STATE")]
REFUSED += [("doca_buf_dec_refcount(second, &count)", "NOT_PERMITTED"), ("doca_mmap_destroy(mmap)", "NOT_PERMITTED")]
SHOWN = ["65536 bytes, the program's", "data at 10 of 20 bytes", "2 in the list, the last one is the second"]
SHOWN += ["0 free", "4 free", "freed 1"]


@pytest.fixture(scope="module", params=LANGUAGES)
def build(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("field")
    compiler, standard = LANGUAGES[request.param]
    for header in FIELD.glob("*.h"):
        shutil.copy(header, folder)

    @cache
    def built(name: str) -> Path:
        source = folder / f"{name}.{request.param}"
        shutil.copy(FIELD / f"{name}.c", source)
        return compiled(folder, [source], *MODULES, compiler=compiler, flags=(standard, "-Wpedantic"))

    return built


@pytest.fixture
def start(build: Callable[[str], Path]) -> Iterator[Start]:
    """Start a program by its name; it is killed, by its own id, if it still runs when the test ends."""
    with ExitStack() as children:

        def begin(name: str, *arguments: str) -> Child:
            child = run(build(name), *arguments)
            children.callback(child.kill)
            return child

        yield begin


def _check(child: Child, told: list[str]) -> None:
    ended = child.finish()
    assert (ended.returncode, ended.stdout.splitlines(), ended.stderr) == (0, told, "")


@pytest.mark.parametrize("pair", PAIRS)
def test_a_pair(pair: str, start: Start) -> None:
    (serving, served), (connecting, connected) = PAIRS[pair]
    server = start(*serving)
    server.wait_for("listening")
    _check(start(*connecting), connected)
    _check(server, served)


@pytest.mark.parametrize("command", ALONE, ids=" ".join)
def test_a_program(command: tuple[str, ...], start: Start) -> None:
    _check(start(*command), ALONE[command])


def test_buffers_and_their_map(start: Start) -> None:
    ended = start("buffers").finish()
    lines = ended.stdout.splitlines()
    calls = [line.rpartition(": DOCA_") for line in lines if ": DOCA_" in line]
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [(call, code.removeprefix("ERROR_")) for call, _, code in calls if code != "SUCCESS"] == REFUSED
    assert [line for line in lines if ": DOCA_" not in line] == SHOWN


@pytest.mark.parametrize("arguments", [("-c", "3"), ("--name", "eve", "-c", "100"), ("--name", "eve", "--other")])
def test_arguments_that_are_refused(arguments: tuple[str, ...], start: Start) -> None:
    assert start("argument_kinds", *arguments).finish().returncode not in (0, None)
