"""What a server or client is to be before the library has its context, and again after it has left.

A program may create, configure and name in any order, as with sockets. The library's context is made as soon as it
can be, so that every value is checked where it is given; a setting that is changed while IDLE makes it anew, with
everything that has been set and registered, and with the descriptors that were given out.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypedDict

from comch_next._alone import alone
from comch_next._codes import State
from comch_next._endpoint import Endpoint
from comch_next._library_context import LibraryContext
from comch_next._one_sided_port import convert
from comch_next._origins import shown
from comch_next._sizes import SIZES
from comch_next.device import Device, DevInfo, Representor
from comch_next.driver.protocol import Lock, bytes_of, quoted
from comch_next.engine import ProgressEngine
from comch_next.errors import BadState, DocaError, InvalidValue, NotPermitted
from comch_next.pull import PullPort

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Configured", "Options"]

_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "device": (Device, "an open device"),
    "device_rep": ((Representor, str), "a representor or its PCI address"),
    "engine": ((ProgressEngine, type(None)), "a ProgressEngine, or None for one of its own"),
    "one_sided": (bool, "True or False"),
}
_SIZES: dict[str, Callable[[DevInfo], int]] = {  # the largest value of each
    "max_msg_size": DevInfo.cap_get_max_msg_size,
    "recv_queue_size": DevInfo.cap_get_max_recv_queue_size,
    "send_queue_size": DevInfo.cap_get_max_send_tasks,
}
_LIMITS = {**_SIZES, "task_send_set_conf": DevInfo.cap_get_max_send_tasks}


class Options(TypedDict, total=False):
    """The options that every context has. Sizes: bytes of a message, messages in a queue."""

    engine: ProgressEngine | None
    max_msg_size: int | None
    recv_queue_size: int | None
    send_queue_size: int | None
    one_sided: bool | None


class Settings(Options, total=False):
    """What can be set: the options, and the other arguments of the constructors."""

    device: Device
    device_rep: Representor | str
    name: str


class Configured(LibraryContext):
    """A context with settings. Its kinds define which `_options` they have, which are `_required`, how to `_create`."""

    _options: tuple[str, ...] = (*_KINDS, *_SIZES, "name")
    _required: tuple[str, ...]
    _endpoint: Endpoint | None = None  # while it is one-sided and pulled from

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._settings = dict.fromkeys(self._options)  # None: the default, or not known yet
        self._configure_first()
        self.configure(**{option: value for option, value in options.items() if value is not None})

    def _configure_first(self) -> None:
        """Register what the kind itself needs to hear."""

    # Settings

    def configure(self, **options: Unpack[Settings]) -> None:
        """Set several options of the constructor at once: all of them, or none if one is refused.

        A size of None is the default again; a one-sided context refuses it, as generation 1 did.
        Legal while IDLE, so again after `disconnect`. Raises TypeError for an unknown option, InvalidValue for a value
        that does not fit, as far as the device is known, and BadState while active.
        """
        for option in options.keys() - set(self._options):
            import difflib  # only here, for a call that fails

            likely = difflib.get_close_matches(option, self._options, 1)
            hint = f"did you mean {likely[0]!r}?" if likely else f"it has {', '.join(sorted(self._options))}"
            raise TypeError(f"{type(self).__name__} has no option {option!r}; {hint}")
        given: dict[str, Any] = dict(options)
        if "engine" in given:
            lock = _lock_of(given["engine"], self._first_lock)
            self._configure_with(lock, lambda: self._configure_alone(given))
        else:
            self._configure_alone(given)

    def _configure_with(self, lock: Lock, configure: Callable[[], None]) -> None:
        """Configure with the lock held that is the context's from then on, too.

        Always in the same order: another thread may take a context from that engine to this one.
        """
        while True:
            known = self._lock
            first, second = sorted((known, lock), key=id)
            with first, second:
                if known is self._lock:
                    return configure()

    @alone
    def _configure_alone(self, options: dict[str, Any]) -> None:
        before = self._settings, self._outdated, self._endpoint
        try:
            # It comes first, for it decides how the others are measured.
            if options.get("one_sided") is True and self._endpoint is None:
                self._configure({name: options.pop(name) for name in ("one_sided", "device_rep") if name in options})
            if (endpoint := self._endpoint) is not None:
                options = endpoint.accept(options)
            self._configure(options)
        except BaseException:
            self._settings, self._outdated, self._endpoint = before
            self._lock = _lock_of(self._settings["engine"], self._first_lock)
            raise

    def _configure(self, options: dict[str, Any]) -> None:
        if options:
            self._refuse_active("set_" + " and set_".join(options))
        known = self._settings
        changes = {name: value for name, value in options.items() if value is None or not _same(value, known[name])}
        if changes:
            self._set(changes)

    def _refuse_active(self, call: str) -> None:
        if (endpoint := self._endpoint) is not None:
            endpoint.check("set_engine")
            return
        if not self._alive:
            raise InvalidValue(f"{call} was attempted on {self!r}, which has been destroyed; make another")
        if self.state is not State.IDLE:
            text = f"{call} was attempted on {self!r} while {self.state.name}; it is legal while IDLE"
            raise BadState(text)

    def _set(self, options: dict[str, Any]) -> None:
        self._settings = {**self._settings, **options}
        self._check(options)
        self._choose_view()
        self._lock = _lock_of(self._settings["engine"], self._first_lock)
        self._outdated = True
        if self._complete():
            self._settle("configure")
        elif self._made:  # for an earlier life, whose device and engine are in use until another context is made
            with suppress(DocaError):
                self._settle("configure")
        elif self._settings["engine"] is not None:
            self._settings["engine"]._awaited.add(self)

    def _choose_view(self) -> None:
        """Choose whether calls answer as in generation 1: by the settings, and by how messages reach the program."""
        one_sided = bool(self._settings["one_sided"]) and not self._pushes
        if one_sided and self._endpoint is None:
            self._endpoint = Endpoint(self)
            known = {option: self._settings.get(option) for option in ("device", "device_rep", *SIZES)}
            set_before = {option: value for option, value in known.items() if value is not None}
            self._settings.update(self._endpoint.accept(set_before))
        elif not one_sided and self._endpoint is not None:
            self._endpoint = None
            convert(self._port, PullPort)

    @alone
    def _register(self, call: str, apply: Callable[[], object], *callbacks: object) -> None:
        super()._register(call, apply, *callbacks)
        self._choose_view()

    def _check(self, options: dict[str, Any]) -> None:
        """Check what can be checked without the library's context, and has not been by the endpoint."""
        if self._endpoint is not None:
            options = {option: value for option, value in options.items() if option in ("engine", "one_sided")}
        device = self._settings["device"]
        for option in filter(options.__contains__, _KINDS):
            kind, wanted = _KINDS[option]
            value = options[option]
            gone = "" if getattr(value, "_open", True) else ", which is not open any more: closed or destroyed"
            if gone or not isinstance(value, kind):
                raise InvalidValue(f"{type(self).__name__} takes {wanted} as {option}, not {shown(value)}{gone}")
        for option in _SIZES:  # with a device also those that were set before it
            if self._settings[option] is not None and not options.keys().isdisjoint((option, "device")):
                self._check_size(option, self._settings[option])
        named = "name" in options or ("device" in options and self._settings["name"] is not None)
        if named and self._endpoint is None and not self._complete():
            _check_name(self._settings["name"], device)

    def _check_size(self, call: str, value: object) -> None:
        """Refuse a size or number that no device, or not this one, can do."""
        device = self._settings["device"]
        most = None if device is None else _LIMITS[call](device.devinfo)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1 or (most is not None and value > most):
            limit = "1 on" if most is None else f"1 to {most}"
            raise InvalidValue(f"{call} takes a whole number from {limit}, not {quoted(value)}")

    @property
    def device(self) -> Device:
        """The device; None until it is set (C: doca_comch_*_get_device)."""
        if (endpoint := self._endpoint) is not None:
            return endpoint.get("device")  # type: ignore[no-any-return]
        device: Device = self._settings["device"]
        return device

    @device.setter
    def device(self, device: Device) -> None:
        self.configure(device=device)

    @property
    def name(self) -> str:
        """The service's name; None until it is set."""
        name: str = self._settings["name"]
        return name

    @name.setter
    def name(self, name: str) -> None:
        self.configure(name=name)

    @property
    def engine(self) -> ProgressEngine:
        """The progress engine: one that you set or connect by `connect_ctx`, else an engine of the context's own."""
        given: ProgressEngine | None = self._settings["engine"]
        if given is not None:
            return given
        while self._made:  # another thread may have it made anew, or not at all, which takes the engine away
            if (engine := self._engine) is not None:
                return engine
            self._join_default()
        return self._default_engine()

    @engine.setter
    def engine(self, engine: ProgressEngine | None) -> None:
        self.configure(engine=engine)

    @alone
    def _join_default(self) -> None:
        if self._made:
            super()._join_default()

    @property
    def max_msg_size(self) -> int:
        """The longest message, in bytes. If both sides set it, they connect only with the same value.

        The default is the device's; None until every required setting is known.
        """
        if (endpoint := self._endpoint) is not None:
            return endpoint.get("max_msg_size")  # type: ignore[no-any-return]
        size: int = self._settings["max_msg_size"]
        return self._contexts.get_max_msg_size(self._handle) if size is None and self._made else size

    @max_msg_size.setter
    def max_msg_size(self, size: int | None) -> None:
        self.configure(max_msg_size=size)

    @property
    def recv_queue_size(self) -> int:
        """The depth of each connection's receive queue, in messages. Beyond it messages stay in flight at the sender.

        The default is the device's; None until every required setting is known.
        """
        if (endpoint := self._endpoint) is not None:
            return endpoint.get("recv_queue_size")  # type: ignore[no-any-return]
        size: int = self._settings["recv_queue_size"]
        return self._contexts.get_recv_queue_size(self._handle) if size is None and self._made else size

    @recv_queue_size.setter
    def recv_queue_size(self, size: int | None) -> None:
        self.configure(recv_queue_size=size)

    @property
    def send_queue_size(self) -> int | None:
        """The messages that may be in flight on each connection, if the context is pulled from; None: the default."""
        if (endpoint := self._endpoint) is not None:
            return endpoint.get("send_queue_size")  # type: ignore[no-any-return]
        size: int | None = self._settings["send_queue_size"]
        return size

    @send_queue_size.setter
    def send_queue_size(self, size: int | None) -> None:
        self.configure(send_queue_size=size)

    @property
    def one_sided(self) -> bool:
        """Whether calls answer as in generation 1, in codes and values: for programs that are being migrated.

        Sizes are rounded up, a representor cannot be given by its address, the wrong side raises NotPermitted, a taken
        name ConnectionAborted, and so on. A peer that leaves in order is not reported: no Shutdown is raised,
        `update_info` of its connection still succeeds, and it leaves a server's `connections`. A message that is lost
        by that, or else the next send, puts the connection into the error state: `send_to` raises ConnectionReset,
        `update_info` ConnectionAborted, and `receive` once ConnectionReset, after the messages that had arrived. The
        death of a peer has this effect at once. Source: the old guide. Tasks and callbacks are not affected.
        """
        return bool(self._settings["one_sided"])

    @one_sided.setter
    def one_sided(self, one_sided: bool) -> None:
        self.configure(one_sided=one_sided)

    def _lacks(self) -> list[str]:
        return [option for option in self._required if self._settings[option] is None]

    def _complete(self) -> bool:
        """Whether the library makes the context now; what is one-sided is made when it is opened."""
        return self._endpoint is None and not self._lacks()

    def _agreed_sizes(self) -> tuple[int | None, int | None]:
        if (endpoint := self._endpoint) is None:
            return self._settings["max_msg_size"], self._settings["recv_queue_size"]
        return None, endpoint.size("recv_queue_size")  # each side's largest message is its own

    def _port_sizes(self) -> dict[str, int | None]:
        """What a port of this context is opened with, unless it is given something else."""
        if (endpoint := self._endpoint) is None:
            return {"max_msg_size": None, "send_queue_size": self._settings["send_queue_size"]}
        return {size: endpoint.size(size) for size in ("max_msg_size", "send_queue_size")}

    def _take_engine(self, engine: ProgressEngine) -> None:
        self._configure_with(engine._lock, lambda: self._take_first_engine(engine))

    @alone
    def _take_first_engine(self, engine: ProgressEngine) -> None:
        self._refuse_active("connect_ctx")
        if self._has_engine:
            raise NotPermitted(f"connect_ctx: {self!r} has a progress engine already")
        self._configure_alone({"engine": engine})


def _same(value: object, known: object) -> bool:
    return value is known or (type(value) is type(known) and isinstance(value, (int, str)) and value == known)


def _lock_of(engine: object, default: Lock) -> Lock:
    return engine._lock if isinstance(engine, ProgressEngine) else default


def _check_name(name: object, device: Device | None) -> None:
    size = len(bytes_of(name)) if isinstance(name, str) else 0
    most = None if device is None else device.devinfo.cap_get_max_name_len() - 1  # without its NUL
    if not isinstance(name, str) or not name or "\0" in name or (most is not None and size > most):
        limit = "at least 1 byte" if most is None else f"1 to {most} bytes"
        raise InvalidValue(f"a service name is {limit} of text without NUL, not {quoted(name)}")
