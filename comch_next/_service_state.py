"""Who is connected to a server, for programs that ask instead of being called (old guide: Service State and Events)."""

from __future__ import annotations

from typing import NamedTuple

from comch_next._alone import alone
from comch_next._control import ControlContext
from comch_next.connection import Connection
from comch_next.driver.protocol import by_system
from comch_next.errors import Driver as DriverError
from comch_next.errors import NoMemory
from comch_next.pull import PullPort

__all__ = ["ServiceState"]


class _Snapshot(NamedTuple):
    """What was known of a server."""

    connections: tuple[Connection, ...] = ()
    pending: int = 0


_NOTHING_KNOWN = _Snapshot()  # made before: a server that has just started has to know that


class ServiceState(ControlContext):
    """What a server adds to its port: a descriptor for clients that come and go, and snapshots of who is there."""

    def _forget_service(self) -> None:
        """Begin another life: nothing is armed, nobody known."""
        self._service_armed = False
        self._snapshot = _NOTHING_KNOWN

    @property
    def service_fd(self) -> int:
        """A descriptor for poll and epoll, ready when a client connects or disconnects, or the server fails.

        Asking for it first arms it; afterwards `arm_service` and `update_info` do.
        """
        fd = self._service_port("service_fd").service_fd
        if not self._service_armed:
            self.arm_service()
        return fd

    @alone
    def arm_service(self) -> None:
        """Arm `service_fd` once. It is ready at once if a client waits."""
        self._service_port("arm_service").arm_service()
        self._service_armed = True

    def _service_port(self, call: str) -> PullPort:
        endpoint = self._endpoint
        return self._opened_port(call) if endpoint is None else endpoint.server_port(call)

    @alone
    def update_info(self) -> None:
        """Arm `service_fd`, then snapshot `connections` and `pending`: what the snapshot lacks is an event.

        Raises ConnectionReset, after the snapshot, when the server has failed: it has lost its name, and no client
        finds it any more. Close it and make another.
        """
        port = self._service_port("update_info")
        try:
            self.arm_service()
            self._snapshot = _Snapshot(tuple(port.connections), port.pending)
        except by_system(NoMemory, OSError) as error:
            if self._endpoint is None:
                raise
            raise DriverError(f"update_info: the system does not answer: {error}") from error  # as generation 1
        if self._failed:
            raise self._failure("update_info")

    @property
    def connections(self) -> list[Connection]:
        """The connections that were up at the last `update_info`, the oldest first; none before it."""
        return list(self._known("connections").connections)

    @property
    def pending(self) -> int:
        """The number of clients that waited at the last `update_info`; `receive` accepts them."""
        return self._known("pending").pending

    def _known(self, call: str) -> _Snapshot:
        self._service_port(call)
        self._contexts.get_state(self._handle)  # a forked child is refused here
        return self._snapshot
