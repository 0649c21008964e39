"""The pull port, traced: what programs pull, those of the first generation among them."""

from collections.abc import Callable
from typing import Any, TypeVar

from comch_next.driver._traced._nouns import Noun
from comch_next.driver._traced._tracer import ACCEPTED, REFUSED, Link, Scope, Tracer, now, result
from comch_next.driver.protocol import Driver, OpenPort
from comch_next.errors import ConnectionReset, DocaError

__all__ = ["open_traced"]

_T = TypeVar("_T")


class TracedPort(Noun):
    """A receive that finds nothing is not recorded."""

    quick = None

    def __init__(self, noun: Any, tracer: Tracer, scope: Scope) -> None:
        super().__init__(noun, tracer)
        self._scope = scope

    def send(self, connection: Any, data: Any) -> bool:
        return self._scope.at_once(self._send, connection, data)

    def _send(self, connection: Any, data: Any) -> bool:
        at_ns, tracer = now(), self._tracer
        try:
            accepted: bool = self._noun.send(connection, data)
        except DocaError as error:
            tracer.message("send", tracer.names(connection), data, at_ns, **result(error.code))
            _of_program(error)
            raise
        if accepted:
            link = tracer.link(connection)
            tracer.message("send", link.names, data, at_ns, n=next(link.sent), **ACCEPTED)
        else:
            tracer.message("send", tracer.names(connection), data, at_ns, **REFUSED)
        return accepted

    def receive(self, size: int) -> tuple[bytes, Any] | None:
        return self._scope.at_once(self._receive, size)

    def _receive(self, size: int) -> tuple[bytes, Any] | None:
        try:
            found: tuple[bytes, Link] | None = self._noun.receive(size)
        except DocaError as error:
            if (link := _of_program(error)) is not None:
                self._tracer.record("lost", link.names, **result(error.code))
            raise
        if found is None:
            return None
        data, link = found
        return data, self._tracer.received(link, data)

    def accept(self, greet: Callable[[Any], _T]) -> _T | None:
        def greeted(connection: Any) -> _T:
            self._tracer.record("up", self._tracer.names(connection), ok=True)
            return greet(connection)

        try:
            return self._noun.accept(greeted)  # type: ignore[no-any-return]
        except ConnectionReset:
            self._tracer.record("up", {}, ok=False)
            raise

    def get_connections(self) -> list[Any]:
        return [link.user_data for link in self._noun.get_connections()]


def open_traced(driver: Driver, tracer: Tracer) -> OpenPort | None:
    """The driver's way to open a port, traced; None where it has none."""
    opened = driver.open_port
    if opened is None:
        return None

    def open_port(
        ctx: Any, max_msg_size: int | None, send_queue_size: int | None, one_sided: bool, predecessor: Any = None
    ) -> Any:
        before = None if predecessor is None else predecessor._noun
        sizes = {"max_msg_size": max_msg_size, "send_queue_size": send_queue_size}
        port, scope = opened(ctx, max_msg_size, send_queue_size, one_sided, before), tracer.scope(ctx)
        scope.port = {name: size for name, size in sizes.items() if size is not None}
        return TracedPort(port, tracer, scope)

    return open_port


def _of_program(error: DocaError) -> Link | None:
    """Let an exception name the program's connection; the record that it named before."""
    link = error.connection
    if not isinstance(link, Link):
        return None
    error.connection = link.user_data
    return link
