"""A peer is killed half-way: the other end says so, and ends by itself."""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.processes import StartPython
from tests.samples.support import assert_failed, changed, start_client, start_service
from tools.side_by_side import MODERN

ENDS = ("service", "client")


class Halt(NamedTuple):
    """Who is killed, what tells that it is time, and the text by which the victim is kept from its good end."""

    sample: str
    victim: str
    survivor_says: str = ""
    victim_says: str = ""
    script: str = ""
    old: str = ""
    new: str = ""


NO_TEXT = ("data_path_high_speed_common.py", "        send(end, producer", "        print('halt', producer")
HALTS = [
    Halt("ctrl_path", "service", "peer 1 sent", "", "ctrl_path_service.py",
         "self.server.task_send_alloc_init(connection, self.text).submit()", "pass"),
    Halt("ctrl_path", "client", "", "halt", "ctrl_path_client.py",
         "client.task_send_alloc_init(client.connection, self.text).submit()", "print('halt', flush=True)"),
    Halt("data_path_high_speed", "service", "peer 1 sent", "", *NO_TEXT),
    Halt("data_path_high_speed", "client", "peer 1 sent", "", *NO_TEXT),
    Halt("bulk_transfer", "service", "peer 1 sent start"),
    Halt("bulk_transfer", "client", "peer 1 received start"),
    Halt("bulk_transfer", "service", "streams begin", "streams begin"),
    Halt("bulk_transfer", "client", "streams begin", "streams begin"),
    Halt("scale_probe", "service", "rounds begin"),
    Halt("scale_probe", "client", "", "rounds begin"),
]  # fmt: skip
LONG = {"bulk_transfer": ["-n", "1000000000"], "scale_probe": ["-k", "1000000000"]}  # arguments of the client


@pytest.mark.parametrize("halt", HALTS, ids=lambda halt: f"{halt.sample}-{halt.victim}")
def test_the_survivor_says_so(start_python: StartPython, tmp_path: Path, halt: Halt) -> None:
    folders = dict.fromkeys(ENDS, MODERN)
    if halt.script:
        folders[halt.victim] = changed(tmp_path, halt.script, halt.old, halt.new)
    service = start_service(start_python, halt.sample, folder=folders["service"])
    client = start_client(start_python, halt.sample, *LONG.get(halt.sample, []), folder=folders["client"])
    victim, survivor = (service, client) if halt.victim == "service" else (client, service)
    for child, words in ((survivor, halt.survivor_says), (victim, halt.victim_says)):
        if words:
            child.wait_for(words)
    victim.kill()
    assert_failed(survivor.finish(), *(f"DOCA_ERROR_CONNECTION_{word}" for word in reported(halt)))


def reported(halt: Halt) -> tuple[str, ...]:
    """RESET is what tasks and callbacks tell, ABORTED what the connection says when it is asked for its state."""
    if halt.sample == "bulk_transfer":
        return "ABORTED", "RESET"  # the main thread asks, and the streams' tasks fail: whichever comes first
    asks = halt.victim == "service" or halt.sample == "data_path_high_speed"
    return ("ABORTED",) if asks else ("RESET",)
