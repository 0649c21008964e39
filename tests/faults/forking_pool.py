"""A server whose two children, started by multiprocessing, each ask it for an echo: `forking_pool METHOD`."""

from __future__ import annotations

import multiprocessing
import sys
from contextlib import suppress
from typing import Any

import comch_next as comch
from tests.faults.forking import ask_for_an_echo
from tests.processes import SOON_S


def main(method: str) -> None:
    multiprocessing.set_start_method(method)
    answers: Any = multiprocessing.SimpleQueue()
    with comch.open_device("03:00.0") as device, comch.Server(device, "b1:00.0", "svc") as server:
        children = [multiprocessing.Process(target=ask_for_an_echo, args=(answers,)) for _ in range(2)]
        for child in children:
            child.start()
        served = 0
        while served < len(children):
            with suppress(comch.ConnectionReset):
                message = server.receive(timeout=SOON_S)
                message.reply(message.data)
                served += 1
        for child in children:
            child.join(SOON_S)
        for _ in children:
            print(answers.get())


if __name__ == "__main__":
    main(sys.argv[1])
