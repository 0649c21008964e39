"""C programs and Python ends in every pairing: each tells the same whoever is at the other end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.faces.conftest import Start
from tests.processes import Child, StartPython
from tools.side_by_side import LEGACY, MODERN

HOST, DPU = "Hello from the host", "Hello from the DPU"


def _line(what: str, text: str) -> str:
    return f"peer 1 {what} {len(text)} bytes '{text}'"


# What each program tells, its last line apart; a client's own send may complete after the answer has come.
TOLD = {
    "hello_client": [_line("sent", HOST), _line("received", DPU), _line("sent", "bye"), _line("received", "bye")],
    "hello_service": [_line("received", HOST), _line("sent", DPU), _line("received", "bye"), _line("sent", "bye")],
    "ctrl_path_client": [_line("sent", HOST), _line("received", DPU)],
    "ctrl_path_server": [_line("received", HOST), _line("sent", DPU)],
    "data_path_high_speed_client": [_line("sent", HOST), _line("received", DPU)],
    "data_path_high_speed_server": [_line("received", HOST), _line("sent", DPU)],
    "secure_channel_client": ["sent 200, received 200"],
    "secure_channel_server": ["sent 200, received 200"],
    "secure_channel_fast_client": ["sent 200, received 200"],
    "secure_channel_fast_server": ["sent 200, received 200"],
}
DPU_ARGUMENTS = ("-p", "03:00.0", "-t", DPU)
BOTH_SIDES = ("data_path_high_speed", "secure_channel", "secure_channel_fast")  # one program, whose device decides
PAIRS = {
    "hello": ("hello_service", "hello_client"),
    **{pair: (f"{pair}_server", f"{pair}_client") for pair in ("ctrl_path", *BOTH_SIDES)},
}


@pytest.fixture
def begin(start: Start, start_python: StartPython) -> Callable[..., Child]:
    """Start one end: a C program, a modern Python one, or an old one under the launcher."""

    def starting(spelling: str, name: str) -> Child:
        script = name.replace("_server", "_service") + ".py"
        side = name.rpartition("_")[2]
        if spelling == "c" and (program := name.removesuffix(f"_{side}")) in BOTH_SIDES:
            return start(program, *(DPU_ARGUMENTS if side == "server" else ()))
        if spelling == "c":
            return start(name)
        if spelling == "old":
            return start_python("-m", "comm_channel_compat", "run", str(LEGACY / script))
        return start_python(str(MODERN / script))

    return starting


def _check(spelling: str, name: str, child: Child) -> None:
    ended = child.finish()
    assert (ended.returncode, ended.stderr) == (0, ""), ended
    told = [line for line in ended.stdout.splitlines() if not line.startswith("listening")]
    assert told[-1] == "result DOCA_SUCCESS"
    if spelling == "c":
        assert sorted(told[:-1]) == sorted(TOLD[name])


PAIRINGS = [
    *(("hello", service, client) for service in ("c", "old", "new") for client in ("c", "old", "new")),
    *(("ctrl_path", service, client) for service in ("c", "new") for client in ("c", "new")),
    *(("data_path_high_speed", service, client) for service in ("c", "new") for client in ("c", "new")),
    ("secure_channel", "c", "c"),
    ("secure_channel_fast", "c", "c"),
]


@pytest.mark.parametrize(("pair", "service", "client"), [row for row in PAIRINGS if "c" in row[1:]])
def test_both_ends_come_to_their_good_end(pair: str, service: str, client: str, begin: Callable[..., Child]) -> None:
    serving, connecting = PAIRS[pair]
    server = begin(service, serving)
    server.wait_for("listening on")
    _check(client, connecting, begin(client, connecting))
    _check(service, serving, server)


def test_a_client_without_a_server_falls_back_to_idle(start: Start) -> None:
    assert start("ctrl_path_client").finish().stdout == "result DOCA_ERROR_CONNECTION_ABORTED\n"


def test_the_arguments_of_a_program_reach_it(start: Start) -> None:
    assert start("ctrl_path_client", "-p", "b1:00.9").finish().stdout == "result DOCA_ERROR_NOT_FOUND\n"
