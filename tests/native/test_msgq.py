"""Message queues on the native driver: its calls reach the library, with a DPA that libdoca_dpa has made."""

from __future__ import annotations

from tests.native.faces import ENV
from tests.processes import SOON_S, python


def test_messages_to_a_kernel_and_back() -> None:
    environment = {**ENV, "COMCH_DRIVER": "native"}
    ended = python("-m", "tests.native.msgq_program", env=environment, deadline_s=4 * SOON_S).finish()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "a DPA from here: NOT_SUPPORTED\nclosed\n"
