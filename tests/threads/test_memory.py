"""Memory between threads: a map's free callback holds nobody up."""

from __future__ import annotations

import threading

from comch_next import AccessFlag, Mmap, open_device
from tests.processes import SOON_S


def test_a_free_callback_may_wait_for_a_thread_that_uses_another_map() -> None:
    device = open_device("03:00.0")
    mmap, other = (Mmap(device, 4096, AccessFlag.PCI_READ_WRITE) for _ in range(2))
    asked: list[int] = []

    def free(*_: object) -> None:
        thread = threading.Thread(target=lambda: asked.append(other.num_bufs), daemon=True)
        thread.start()
        thread.join(SOON_S)

    mmap.set_free_cb(free)
    mmap.start()
    mmap.destroy()
    assert asked == [0]
    other.destroy()
    device.close()
