"""What a blocking receive costs while nothing comes: python -m benchmarks._idle SECONDS prints its processor time."""

from __future__ import annotations

import sys
import time

import comch_next as comch


def main(seconds: float) -> None:
    """A connected server waits; the client in the same process is only there to be connected."""
    with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host:
        with comch.Server(dpu, "b1:00.0", "idle") as server:
            client = comch.Client(host, "idle")
            connection = client.connect(timeout=0)
            while not _up(connection):
                _poll(server)
            before = time.process_time()
            _poll(server, seconds)
            print((time.process_time() - before) / seconds)
            client.close()


def _up(connection: comch.Connection) -> bool:
    try:
        connection.update_info()
    except comch.ConnectionInprogress:
        return False
    return True


def _poll(server: comch.Server, timeout: float = 0) -> None:
    try:
        server.receive(timeout=timeout)
    except (comch.Again, comch.TimeOut):
        return
    raise RuntimeError("a message came, though nobody sent one")


if __name__ == "__main__":
    main(float(sys.argv[1]))
