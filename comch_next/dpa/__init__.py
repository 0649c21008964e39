"""The DPA, the card's data path accelerator, as far as message queues need it (DOCA DPA).

On the emulated driver a kernel is a Python function that a thread of this process runs; on a card it is compiled, and
this module raises NotSupported. What kernels may call is in comch_next.dpa.dev, under the names of C.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from comch_next._exits import exit_block
from comch_next._handles import handle_of
from comch_next._names import Hinted
from comch_next.arguments import instance
from comch_next.device import Device
from comch_next.engine import deadline_after

__all__ = ["Dpa", "DpaCompletion", "DpaThread"]


class Dpa(Hinted):
    """A DPA instance (C: struct doca_dpa); a `with` block starts, stops and destroys it."""

    def __init__(self, device: Device) -> None:
        """Create the DPA of a device (C: doca_dpa_create). Raises NotSupported for a device that has none."""
        self._driver = instance(device, Device, "device")._driver
        self._dpas = self._driver.dpas
        self._handle = self._dpas.create(device._handle)
        self._pid = os.getpid()

    def set_app(self, app: object) -> None:
        """Set the program that has the kernels, before start; emulated, none is needed (C: doca_dpa_set_app)."""
        self._dpas.set_app(self._handle, app)

    def start(self) -> None:
        """Start the DPA: from then on it can have threads, completions and queues."""
        self._dpas.start(self._handle)

    def stop(self) -> None:
        """Stop the DPA. Raises InUse while threads, completions or queues of it are started."""
        self._dpas.stop(self._handle)

    def destroy(self) -> None:
        """Destroy the DPA. Raises InUse while something of it exists."""
        self._dpas.destroy(self._handle)

    @property
    def error(self) -> BaseException | None:
        """The fatal error: what a kernel raised, or the refusal of a device call. None if there was none.

        After a fatal error no kernel runs, and the contexts of its message queues stop. `stop`, then `start` clears it.
        """
        return self._dpas.peek_at_last_error(self._handle)

    def __enter__(self) -> Dpa:
        self.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        exit_block(self, error, self._end)

    def _end(self) -> None:
        self.stop()
        self.destroy()


class DpaThread(Hinted):
    """A thread of a DPA, which runs one kernel whenever that is activated (C: struct doca_dpa_thread).

    `run` activates the kernel for the first time; later, completion contexts do whose notification it has requested. A
    kernel that ends by doca_dpa_dev_thread_reschedule runs again when it is activated; one that ends by
    doca_dpa_dev_thread_finish, or returns, never runs again.
    """

    def __init__(self, dpa: Dpa) -> None:
        """Create a thread (C: doca_dpa_thread_create).

        Raises BadState unless the DPA is started, NoMemory if memory or descriptors have run out.
        """
        self._threads = instance(dpa, Dpa, "dpa")._driver.dpa_threads
        self._handle = self._threads.create(dpa._handle)

    def set_func_arg(self, func: Callable[[Any], object], arg: Any = None) -> None:
        """Set the kernel, and the argument of its calls; before start."""
        self._threads.set_func_arg(self._handle, func, arg)

    def set_local_storage(self, storage: Any) -> None:
        """Set what doca_dpa_dev_thread_get_local_storage returns in the kernel; before start."""
        self._threads.set_local_storage(self._handle, storage)

    def start(self) -> None:
        """Start the thread, which then waits for `run`. Raises BadConfig without a kernel."""
        self._threads.start(self._handle)

    def run(self) -> None:
        """Activate the kernel; from then on completion contexts may, too. Raises BadState unless started."""
        self._threads.run(self._handle)

    def stop(self, timeout: float | None = 5.0) -> None:
        """Wait until the kernel's run has ended, and end the thread.

        timeout: seconds; None waits for ever. Raises TimeOut, with the kernel's name, if the run has not ended by then:
        a kernel cannot be stopped from outside.
        """
        deadline_after(timeout, "dpa_thread_stop")  # a refusal has no effect
        self._threads.stop(self._handle, None if timeout is None else float(timeout))

    def destroy(self) -> None:
        """Destroy the thread. Raises InUse unless it is stopped, or while completion contexts have it."""
        self._threads.destroy(self._handle)


class DpaCompletion(Hinted):
    """Where a kernel finds that sends of DPA producers have completed (C: struct doca_dpa_completion)."""

    def __init__(self, dpa: Dpa, queue_size: int) -> None:
        """Create a completion context (C: doca_dpa_completion_create) for `queue_size` unacknowledged completions."""
        self._completions = instance(dpa, Dpa, "dpa")._driver.dpa_completions
        self._handle = self._completions.create(dpa._handle, queue_size)

    def set_thread(self, thread: DpaThread) -> None:
        """Set the thread whose kernel a completion activates; optional, before start."""
        self._completions.set_thread(self._handle, handle_of(thread))

    def start(self) -> None:
        """Start the completion context: its configuration is final."""
        self._completions.start(self._handle)

    def stop(self) -> None:
        """Stop the completion context. Raises InUse while producers are attached."""
        self._completions.stop(self._handle)

    def get_dpa_handle(self) -> int:
        """Return the handle by which kernels use it. Raises BadState before the start."""
        return self._completions.get_dpa_handle(self._handle)

    def destroy(self) -> None:
        """Destroy the completion context. Raises InUse unless it is stopped."""
        self._completions.destroy(self._handle)
