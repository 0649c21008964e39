"""One end of a pair: the control path, and on it memory, consumers and producers."""

import hashlib
from functools import partial
from typing import Any

from comch_next._codes import AccessFlag
from comch_next.consumer import Consumer
from comch_next.errors import DocaError
from comch_next.memory import Buf, BufInventory, Mmap
from comch_next.producer import Producer
from comch_next.task import PostRecvTask
from comch_next.testing._control_side import ControlSide

__all__ = ["Side", "told_data"]

_ELEMENTS = 1024
_LONGEST_TOLD = 4096
_PCI_READ_WRITE = int(AccessFlag.PCI_READ_WRITE)


def told_data(data: bytes | memoryview) -> bytes:
    """Return how received data is reported: as it is up to 4 KiB, otherwise as its SHA-256."""
    return bytes(data) if len(data) <= _LONGEST_TOLD else hashlib.sha256(data).digest()


class Side(ControlSide):
    """One end, driven by calls that take and return plain values, so that it may be in another process.

    Contexts, engines and maps go by name; connections, tasks and buffers by number; states, and codes of tasks,
    are their names; offsets and lengths are bytes. What the library refuses is raised as its DocaError.
    """

    def __init__(self, role: str, service: str, driver: str | None = None) -> None:
        super().__init__(role, service, driver)
        self.inventory = BufInventory(_ELEMENTS, driver)
        self.inventory.start()
        self.maps: dict[str, Mmap] = {}
        self.bufs: dict[int, Buf] = {}

    # Memory

    def map(
        self, size: int, key: str = "map", *, own: bool = False, permissions: int = _PCI_READ_WRITE
    ) -> None:
        """Start a map of memory that the library makes, or with `own` of the program's."""
        memory = bytearray(size) if own else size
        self.maps[key] = Mmap(self.device, memory, AccessFlag(permissions))
        self.maps[key].start()

    def stop_map(self, key: str = "map") -> None:
        """Stop a map (C: doca_mmap_stop)."""
        self.maps[key].stop()

    def start_map(self, key: str = "map") -> None:
        """Start a map (C: doca_mmap_start)."""
        self.maps[key].start()

    def destroy_map(self, key: str = "map") -> None:
        """Destroy a map (C: doca_mmap_destroy)."""
        self.maps[key].destroy()
        del self.maps[key]

    def export_map(self, key: str = "map") -> bytes:
        """Return the export of a map (C: doca_mmap_export_pci)."""
        return self.maps[key].export_pci(self.device)

    def import_map(self, export_desc: bytes, key: str) -> None:
        """Make a map of an export (C: doca_mmap_create_from_export)."""
        self.maps[key] = Mmap.create_from_export(export_desc, self.device)

    def write(self, data: bytes, offset: int = 0, key: str = "map") -> None:
        """Write bytes into a map."""
        self.maps[key].view[offset : offset + len(data)] = data

    def read(self, offset: int, length: int, key: str = "map") -> bytes:
        """Return bytes of a map."""
        return bytes(self.maps[key].view[offset : offset + length])

    def buf(self, offset: int, length: int, data_len: int = 0, key: str = "map") -> int:
        """Take a buffer whose data segment begins at its head (C: doca_buf_inventory_buf_get_by_args)."""
        head, number = self.maps[key].addr + offset, next(self._numbers)
        self.bufs[number] = self.inventory.buf_get_by_args(self.maps[key], head, length, head, data_len)
        return number

    def source(self, data: bytes, offset: int = 0, key: str = "map") -> int:
        """Write bytes into a map, and take a buffer with them as its data."""
        self.write(data, offset, key)
        return self.buf(offset, len(data), len(data), key)

    def data(self, buf: int) -> bytes:
        """Return the data segment of a buffer."""
        return bytes(self.bufs[buf].view)

    def chain(self, first: int, second: int) -> None:
        """Chain two buffers (C: doca_buf_chain_list)."""
        self.bufs[first].chain_list(self.bufs[second])

    def unchain(self, first: int, second: int) -> None:
        """Split a chain (C: doca_buf_unchain_list)."""
        self.bufs[first].unchain_list(self.bufs[second])

    def give_back(self, buf: int) -> None:
        """Drop the reference to a buffer (C: doca_buf_dec_refcount)."""
        self.bufs[buf].dec_refcount()
        del self.bufs[buf]

    def destroy_inventory(self) -> None:
        """Destroy the inventory (C: doca_buf_inventory_destroy)."""
        self.inventory.destroy()

    # Consumers and producers

    def consumer(
        self, key: str = "consumer", *, lies_in: str = "map", engine: str = "main", tasks: int = 64, lacking: str = ""
    ) -> int:
        """Make a consumer on the newest connection, configured but for `lacking`, not started; return its id."""
        made = Consumer(self.connections[-1], self.maps[lies_in], engine=self.engine(engine))
        self._keep(key, made)
        if lacking != "post_recv":
            self.configure_fast(key, tasks)
        return made.id

    def producer(
        self, key: str = "producer", *, engine: str = "main", tasks: int = 64, lacking: str = ""
    ) -> int:
        """Make a producer on the newest connection, configured but for `lacking`, not started; return its id."""
        made = Producer(self.connections[-1], engine=self.engine(engine))
        self._keep(key, made)
        if lacking != "send":
            self.configure_fast(key, tasks)
        return made.id

    def _keep(self, key: str, context: Consumer | Producer) -> None:
        self.contexts[key] = context
        context.set_state_changed_cb(partial(self._on_state, key))

    def configure_fast(self, key: str, tasks: int) -> None:
        """Set the callbacks and the size of the pool of a consumer or producer."""
        context, failed = self.contexts[key], partial(self._on_task, "failed", key)
        if isinstance(context, Consumer):
            context.task_post_recv_set_conf(partial(self._on_received, key), failed, tasks)
        else:
            context.task_send_set_conf(partial(self._on_task, "done", key), failed, tasks)

    def receive_task(
        self, buf: int | None, key: str = "consumer", *, keep: bool = False, repeat: int = 0
    ) -> int:
        """Take a task of a consumer's pool, without submitting it."""
        made = self.contexts[key].task_post_recv_alloc_init(None if buf is None else self.bufs[buf])
        return self.hold(made, keep, repeat)

    def post(self, buf: int | None, key: str = "consumer", *, keep: bool = False, repeat: int = 0) -> int:
        """Post a receive; its completion is reported as "received" or "failed"."""
        number = self.receive_task(buf, key, keep=keep, repeat=repeat)
        self._submit_or_free(number)
        return number

    def send_task(
        self, buf: int | None, imm: bytes | None, consumer: int, key: str = "producer", *, keep: bool = False
    ) -> int:
        """Take a task of a producer's pool, without submitting it."""
        data = None if buf is None else self.bufs[buf]
        return self.hold(self.contexts[key].task_send_alloc_init(data, imm, consumer), keep, 0)

    def produce(self, buf: int | None, imm: bytes | None, consumer: int, key: str = "producer") -> int:
        """Send to a consumer; the task is freed when it completes or is refused."""
        number = self.send_task(buf, imm, consumer, key)
        self._submit_or_free(number)
        return number

    def _submit_or_free(self, task: int) -> None:
        try:
            self.submit(task)
        except DocaError:
            self.free(task)
            raise

    def task_values(self, task: int) -> dict[str, Any]:
        """Return the readable values of a task of the fast path."""
        found = self.tasks[task].task
        names = ("imm_data", "producer_id") if isinstance(found, PostRecvTask) else ("imm_data", "consumer_id")
        return {name: getattr(found, name) for name in names}

    def set_task(self, task: int, name: str, value: Any) -> None:
        """Change a task that the program holds; a buffer is passed by its number."""
        setattr(self.tasks[task].task, name, self.bufs[value] if name == "buf" and value is not None else value)

    # The end

    def release(self) -> None:
        for key in [key for key, context in self.contexts.items() if isinstance(context, Consumer | Producer)]:
            self.destroy(key)
        for number in list(self.bufs):
            self.give_back(number)
        for key in list(self.maps):
            self.destroy_map(key)
        self.destroy_inventory()
        super().release()

    # Callbacks

    def _on_received(self, key: str, task: PostRecvTask) -> None:
        self.expect_alive(task, key)
        data = None if task.buf is None else told_data(task.buf.view)
        self.tell("received", key, task.user_data, data, task.imm_data, task.producer_id)
        self.dispose(task)
