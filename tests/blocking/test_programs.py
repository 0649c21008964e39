"""Programs of DOCA 1.4, each a process of its own, against each other; what they must print stands here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import StartPython

PROGRAMS = Path(__file__).parent / "programs"
LAUNCHER = ("-m", "comm_channel_compat", "run", "--doca", "1.4")

SERVICE = """\
listening
received 40 messages; 41 394 4 80 1024
end
"""
CLIENT = """\
received 20 answer to message 10 True
received 20 answer to message 20 True
received 20 answer to message 30 True
received 20 answer to message 40 True
nothing waits: DOCA_ERROR_AGAIN
too long: DOCA_ERROR_INVALID_VALUE
to nobody: DOCA_ERROR_NOT_CONNECTED
sent 41 of 394 bytes; received 4 of 80
left: DOCA_ERROR_NOT_CONNECTED
twice: DOCA_ERROR_NOT_CONNECTED
"""


@pytest.mark.parametrize("client", ["flat", "cffi"])
@pytest.mark.parametrize("service", ["flat", "ctypes"])
def test_both_sides_say_what_they_said(start_python: StartPython, service: str, client: str) -> None:
    dpu = start_python(*LAUNCHER, str(PROGRAMS / f"{service}_service.py"))
    dpu.wait_for("listening")
    host = start_python(*LAUNCHER, str(PROGRAMS / f"{client}_client.py"))
    assert host.finish() == (0, CLIENT, "")
    assert dpu.finish() == (0, SERVICE, "")


WITHOUT = """
import doca_comm_channel as cc
print(hasattr(cc, "doca_comm_channel_ep_set_device"), hasattr(cc, "doca_comm_channel_init_attr"))
"""


@pytest.mark.parametrize(("options", "shown"), [(["--doca", "1.4"], "False True"), ([], "True False")])
def test_the_module_is_that_of_the_release(start_python: StartPython, options: list[str], shown: str) -> None:
    finished = start_python("-m", "comm_channel_compat", "run", *options, "-c", WITHOUT).finish()
    assert finished == (0, f"{shown}\n", "")


REFUSED = {
    "doca_comm_channels_poll": "struct doca_pollfd",
    "DOCA_CC_INIT_FLAG_NONBLOCK": "DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK",
    "doca_comm_channel_ep_set_device": "came with DOCA 1.5",
    "doca_comm_channel_ep_listn": "did you mean doca_comm_channel_ep_listen?",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_there_is_refused_by_name(start_python: StartPython, name: str) -> None:
    finished = start_python(*LAUNCHER, "-c", f"import doca_comm_channel as cc\ncc.{name}").finish()
    last = finished.stderr.splitlines()[-1]
    assert finished.returncode == 1
    assert last.startswith("AttributeError: ")
    assert name in last
    assert REFUSED[name] in last


def test_the_c_library_lacks_what_the_tables_do_not_give(start_python: StartPython) -> None:
    code = "import ctypes\nctypes.CDLL('libdoca_comm_channel.so.2').doca_comm_channels_poll"
    finished = start_python(*LAUNCHER, "-c", code).finish()
    assert "undefined symbol: doca_comm_channels_poll" in finished.stderr.splitlines()[-1]
