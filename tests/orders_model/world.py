"""The world of the model: which contexts there are, who finds whom, and what a call of one does to others."""

from __future__ import annotations

from collections.abc import Iterator

from comch_next.errors import (
    AlreadyExist,
    BadState,
    ConnectionAborted,
    InvalidValue,
    NotConnected,
    NotSupported,
    TimeOut,
)
from tests.orders_model.model import DEFAULT_MSG_SIZE, DPU, OK, SILENT, Context, End, EndState, Errors, Phase, one_of

__all__ = ["World"]


class World:
    """All contexts of a program, and who is connected to whom."""

    def __init__(self, *, threaded: bool) -> None:
        self.threaded = threaded
        self.contexts: list[Context] = []
        self._numbers = iter(range(1, 1 << 30))

    def make(self, kind: str, **options: object) -> Context:
        context = Context(f"{kind} {len(self.contexts)}", kind)
        context.settings.update(**options)
        self.contexts.append(context)
        return context

    def stamp(self) -> int:
        return next(self._numbers)

    def servers(self) -> Iterator[Context]:
        return (context for context in self.contexts if context.role == "server" and context.phase is Phase.ACTIVE)

    def _serving(self, device_rep: str | None, name: str | None) -> Context | None:
        wanted = (device_rep, name)
        servers = (server for server in self.servers() if (server.settings.device_rep, server.settings.name) == wanted)
        return next(servers, None)

    def listen(self, context: Context, name: str | None = None) -> Errors:
        settings = context.settings
        if context.phase is Phase.CLOSED:
            return SILENT.CLOSED
        if context.phase is not Phase.IDLE:
            return SILENT.OTHER_ROLE if context.role == "client" else one_of(BadState)
        if name is not None:
            settings.name = name
        context.engine_is_open, context.listen_failed = settings.engine is None, True
        if None in (settings.device, settings.device_rep, settings.name):
            return SILENT.MISSING
        if self._serving(settings.device_rep, settings.name):
            return one_of(AlreadyExist)
        context.role, context.phase, context.engine_is_open = "server", Phase.ACTIVE, False
        settings.engine = settings.engine or "own"
        return OK

    def connect(self, context: Context, name: str | None = None) -> Errors:
        """Connect with a time-out of 0. A refusal may come from the call, or later through the connection."""
        settings = context.settings
        if context.phase is Phase.CLOSED:
            return SILENT.CLOSED
        if context.phase is not Phase.IDLE:
            return SILENT.OTHER_ROLE if context.role == "server" else one_of(BadState)
        if name is not None:
            settings.name = name
        context.engine_is_open = settings.engine is None
        if None in (settings.device, settings.name):
            return SILENT.MISSING
        context.connect_failed = True
        if settings.device == DPU:
            return one_of(NotSupported)
        settings.engine, context.engine_is_open = settings.engine or "own", False
        server = self._serving(settings.device, settings.name)
        if server is None:
            return one_of(ConnectionAborted)
        context.role, context.connect_failed = "client", False
        self._join(context, server)
        return OK

    def _join(self, client: Context, server: Context) -> None:
        number = self.stamp()
        end, peer = End(client, number), End(server, number)
        end.peer, peer.peer = peer, end
        client.end, client.phase = end, Phase.ACTIVE
        client.ends.append(end)
        sizes = self.agreed_sizes(client, server)
        if len(sizes) > 1:
            end.state, client.phase = EndState.REFUSED, Phase.ENDED
            return
        end.max_msg_size = peer.max_msg_size = next(iter(sizes), DEFAULT_MSG_SIZE)
        server.ends.append(peer)
        if self.threaded:  # "waiting clients" do not wait
            end.state = peer.state = EndState.UP

    def agreed_sizes(self, client: Context, server: Context) -> set[int]:
        """Who has set no size takes that of the other side; two sizes do not agree."""
        return {size for size in (client.settings.max_msg_size, server.settings.max_msg_size) if size is not None}

    def refuse_at_once(self, client: Context) -> None:
        """A refusal was raised by connect itself."""
        client.phase, client.connect_failed = Phase.IDLE, True

    def time_out(self, client: Context) -> Errors:
        """A connect that has begun is not accepted in time; nothing is left of it."""
        assert client.end is not None
        errors = one_of(TimeOut)
        if client.end.state is EndState.REFUSED:  # which the server says when it receives
            client.end.peer.owner.broken_handshakes += 1
            errors = one_of(TimeOut, ConnectionAborted)
        self._leave(client.end)
        client.phase, client.connect_failed = Phase.IDLE, True
        return errors

    def accept(self, server: Context) -> None:
        for end in server.waiting():
            end.state = end.peer.state = EndState.UP

    def send_to(self, context: Context, data: bytes, end: End | None) -> Errors:
        if end is None:
            return one_of(NotConnected)
        if end.owner is not context:
            if context.phase is Phase.ACTIVE:
                return one_of(InvalidValue)
            return one_of(InvalidValue, NotConnected, BadState)
        return self.send(end, data)

    def send(self, end: End, data: bytes) -> Errors:
        if end.owner.phase is Phase.CLOSED:
            return SILENT.CLOSED
        errors = end.send(data, self.stamp())
        self._note_ends(end.owner)
        return errors

    def disconnect(self, context: Context, end: End | None) -> Errors:
        """On a client None stands for its connection."""
        if context.phase is Phase.CLOSED:
            return SILENT.CLOSED
        if context.role == "server":
            return self._disconnect_from_server(context, end)
        if context.phase is Phase.IDLE:
            if context.connect_failed:
                return SILENT.AFTER_FAILURE | SILENT.LEFT_TWICE
            return one_of(BadState) if end is None else SILENT.LEFT_TWICE
        if end is not None and end is not context.end:
            return SILENT.LEFT_TWICE if end.owner is context else SILENT.FOREIGN
        assert context.end is not None
        self._leave(context.end)
        context.phase, context.connect_failed = Phase.IDLE, False
        return OK

    def _disconnect_from_server(self, server: Context, end: End | None) -> Errors:
        if server.phase is not Phase.ACTIVE:
            return SILENT.LEFT_TWICE
        if end is None or end.owner is not server:
            return SILENT.FOREIGN
        if end.state is EndState.LEFT:
            return SILENT.LEFT_TWICE
        self._leave(end)
        return OK

    def stop(self, server: Context) -> Errors:
        """Stop a server, and progress until it is IDLE."""
        if server.phase is Phase.CLOSED:
            return SILENT.CLOSED
        if server.phase is Phase.IDLE:
            server.engine_is_open = server.settings.engine is None
            return one_of(BadState)
        for end in server.ends:
            self._leave(end)
        server.phase = Phase.IDLE
        return OK

    def _leave(self, end: End) -> None:
        if end.state is EndState.WAITING and end.owner.role == "client":
            end.peer.owner.broken_handshakes += 1
        end.leave()
        self._note_ends(end.peer.owner)

    def _note_ends(self, context: Context) -> None:
        ended = (EndState.NOTIFIED, EndState.REFUSED, EndState.ERROR)
        if context.role == "client" and context.end and context.end.state in ended and context.phase is Phase.ACTIVE:
            context.phase = Phase.ENDED

    def close(self, context: Context) -> None:
        """Close for good; a second time has no effect."""
        if context.phase is Phase.CLOSED:
            return
        if context.phase is not Phase.IDLE:
            for end in [context.end] if context.role == "client" and context.end else context.ends:
                self._leave(end)
        context.phase = Phase.CLOSED
