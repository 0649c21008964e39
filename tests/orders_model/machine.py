"""Random orders of every call of the modern API, legal and illegal, each step compared with the model."""

from __future__ import annotations

from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import comch_next as comch
from comch_next.errors import InUse, InvalidValue
from tests.orders_model.model import OK, SILENT, End, EndState, Phase
from tests.orders_model.stage import LATE, Stage, Subject, compare, error_of, until

__all__ = ["Orders", "ThreadedOrders"]

ENDED = (EndState.NOTIFIED, EndState.UNAWARE, EndState.ERROR, EndState.REFUSED, EndState.LEFT)
MOST_CLIENTS, MOST_SERVERS = 3, 2

# A number that picks one of those there are at that time.
pick = st.integers(0, 11)
names = st.sampled_from(["svc", "svc", "svc", "other"])
hosts = st.sampled_from(["b1:00.0", "b1:00.0", "b1:00.0", "b1:00.1"])
msg_sizes = st.sampled_from([64, 100])
illegal_sizes = st.tuples(
    st.sampled_from(["max_msg_size", "recv_queue_size", *(["send_queue_size"] if LATE else [])]),
    st.sampled_from([0, -1, "8", 1.0, True]),
)
bad_names = st.sampled_from(["", "x" * 128, "a\0b"])
illegal = illegal_sizes | st.tuples(st.just("name"), bad_names) if LATE else illegal_sizes
lengths = st.sampled_from(["short", "short", "short", "empty", "longest", "too long"])
presence = st.sampled_from([True, True, True, True, False])


def maybe(values: st.SearchStrategy[Any], chances: st.SearchStrategy[bool] = presence) -> st.SearchStrategy[Any]:
    """A value, or None for a setting that is not given; in a tree without LATE what is mandatory is given."""
    if not LATE and chances is presence:
        return values
    return chances.flatmap(lambda present: values if present else st.none())


seldom = st.sampled_from([False, False, True])
engines = maybe(st.sampled_from(["A", "B"]), seldom)
one_sided = st.just(False)  # what is one-sided answers as generation 1 does: see endpoint_machine


class Orders(RuleBasedStateMachine):
    """Up to three clients and two servers in one process, on the driver's own form of the pull port."""

    threaded = False
    queue_sizes = st.sampled_from([1, 2, 5, 64])

    def __init__(self) -> None:
        super().__init__()
        self.stage = Stage(threaded=self.threaded)
        self.world = self.stage.world

    def teardown(self) -> None:
        try:
            for subject in self.stage.subjects:
                self.stage.drain(subject)
        finally:
            self.stage.close()

    # -- who -----------------------------------------------------------------------------------------------------

    def has_room(self, *kinds: str) -> bool:
        living = [s for s in self.stage.subjects if s.model.kind in kinds and s.model.phase is not Phase.CLOSED]
        return len(living) < (MOST_SERVERS if kinds == ("Server",) else MOST_CLIENTS)

    def has(self, *states: EndState) -> bool:
        """Whether the program knows a connection, in one of the states."""
        ends = (end for subject in self.stage.subjects for end in subject.connections)
        return any(not states or end.state in states for end in ends)

    def has_due(self) -> bool:
        return any(subject.model.due() for subject in self.stage.subjects)

    def has_closed(self) -> bool:
        return any(subject.model.phase is Phase.CLOSED for subject in self.stage.subjects)

    def living(self, number: int, *roles: str | None) -> Subject | None:
        """A context that is not closed, of one of the roles, if there is one."""
        found = [
            subject
            for subject in self.stage.subjects
            if subject.model.phase is not Phase.CLOSED and (not roles or subject.model.role in roles)
        ]
        return found[number % len(found)] if found else None

    # -- making --------------------------------------------------------------------------------------------------

    def given(self, **options: object) -> dict[str, Any]:
        return {name: value for name, value in options.items() if value is not None and value is not False}

    @initialize(data=st.data(), connected=st.sampled_from([True, True, False]))
    def begin_with_a_pair(self, data: st.DataObject, connected: bool) -> None:
        """Most orders of interest need a server that listens and a client that may connect, or has done so."""
        places = {"device": "03:00.0", "device_rep": "b1:00.0", "name": "svc"}
        self._listen(self.stage.add("Server", places | self.given(**self._sizes(data))), None)
        self.stage.add("Client", {"device": "b1:00.0", "name": "svc"} | self.given(**self._sizes(data)))
        if connected:
            self._meet(self.stage.subjects[1], known=True)

    @precondition(lambda self: self.has_room("Server"))
    @rule(data=st.data())
    def make_server(self, data: st.DataObject) -> None:
        options = self.given(
            device=data.draw(maybe(st.just("03:00.0")), "device"),
            device_rep=data.draw(maybe(hosts), "device_rep"),
            name=data.draw(maybe(names), "name"),
            **self._sizes(data),
        )
        self.stage.add("Server", options)

    @precondition(lambda self: self.has_room("Client", "Channel"))
    @rule(data=st.data(), device=st.sampled_from(["b1:00.0", "b1:00.0", "b1:00.1", "03:00.0"]))
    def make_client(self, data: st.DataObject, device: str) -> None:
        options = self.given(
            device=data.draw(maybe(st.just(device)), "device"),
            name=data.draw(maybe(names), "name"),
            **self._sizes(data),
        )
        self.stage.add("Client", options)

    @precondition(lambda self: LATE and self.has_room("Client", "Channel"))
    @rule(data=st.data(), device=st.sampled_from(["b1:00.0", "b1:00.0", "03:00.0"]))
    def make_channel(self, data: st.DataObject, device: str) -> None:
        options = self.given(device=data.draw(maybe(st.just(device)), "device"), **self._sizes(data))
        if device == "03:00.0":
            options |= self.given(device_rep=data.draw(maybe(hosts), "device_rep"))
        self.stage.add("Channel", options)

    def _sizes(self, data: st.DataObject) -> dict[str, Any]:
        return {
            "engine": data.draw(engines, "engine"),
            "max_msg_size": data.draw(maybe(msg_sizes, seldom), "max_msg_size"),
            "recv_queue_size": data.draw(maybe(self.queue_sizes, seldom), "recv_queue_size"),
            "send_queue_size": data.draw(maybe(self.queue_sizes, seldom), "send_queue_size"),
            "one_sided": data.draw(one_sided, "one_sided"),
        }

    # -- settings ------------------------------------------------------------------------------------------------

    def _settable(self, subject: Subject) -> bool:
        """A client whose server has ended it is neither active nor idle by the design; disconnect decides."""
        return subject.model.phase is not Phase.ENDED

    @rule(who=pick, size=msg_sizes, together=st.booleans(), depth=st.data())
    def set_sizes(self, who: int, size: int, together: bool, depth: st.DataObject) -> None:
        subject = self.living(who)
        if subject is None or not self._settable(subject):
            return
        queue = depth.draw(self.queue_sizes)
        self._set(subject, together=together and LATE, max_msg_size=size, recv_queue_size=queue)

    @precondition(lambda self: LATE)
    @rule(who=pick, name=names, host=hosts, together=st.booleans(), one_sided=one_sided)
    def set_places(self, who: int, name: str, host: str, together: bool, one_sided: bool) -> None:
        subject = self.living(who)
        if subject is None or not self._settable(subject):
            return
        options: dict[str, Any] = {"name": name, "one_sided": one_sided}
        if subject.model.role == "server":
            options |= {"device": "03:00.0", "device_rep": host}
        else:
            options |= {"device": host}
        self._set(subject, together=together, **options)

    @rule(who=pick, illegal=illegal)
    def set_illegal(self, who: int, illegal: tuple[str, object]) -> None:
        subject = self.living(who)
        if subject is None or not self._settable(subject):
            return
        if subject.model.settings.device is not None or illegal[0] != "name":
            self._set(subject, together=False, may_be=InvalidValue, **{illegal[0]: illegal[1]})

    @precondition(lambda self: LATE)
    @rule(who=pick, name=st.sampled_from(["max_message_size", "devise", "callback"]), together=st.booleans())
    def set_unknown(self, who: int, name: str, together: bool) -> None:
        subject = self.living(who)
        if subject is None:
            return
        if together:
            assert error_of(lambda: subject.real.configure(**{name: 1})) in (AttributeError, TypeError)
        else:
            assert error_of(lambda: setattr(subject.real, name, 1)) is AttributeError

    def _set(self, subject: Subject, *, together: bool, may_be: Any = None, **options: Any) -> None:
        """May_be: what an illegal value may raise while the settings are frozen, too."""
        real = self.stage.real(options)
        what = f"{options} on {subject.model.key} while {subject.model.phase.name}"
        if together:
            compare(subject.model.set(**options), lambda: subject.real.configure(**real), what)
            return
        for name in options:
            expected = subject.model.set(**{name: options[name]})
            expected |= frozenset({may_be} if may_be and expected else ())
            compare(expected, lambda n=name: setattr(subject.real, n, real[n]), what)  # type: ignore[misc]

    # -- engines -------------------------------------------------------------------------------------------------

    @rule(who=pick, key=st.sampled_from(["A", "B"]), by_setting=st.booleans())
    def connect_ctx(self, who: int, key: str, by_setting: bool) -> None:
        subject = self.living(who)
        if subject is None or subject.model.engine_is_open:
            return
        engine = self.stage.engines[key]
        expected = subject.model.connect_ctx()
        if by_setting and LATE and not expected:
            compare(expected, lambda: setattr(subject.real, "engine", engine), "engine =")
        else:
            what = f"connect_ctx of {subject.model.key} while {subject.model.phase.name}"
            compare(expected, lambda: engine.connect_ctx(subject.real), what)
        if not expected:
            subject.model.settings.engine = key

    @rule(key=st.sampled_from(["A", "B"]))
    def progress(self, key: str) -> None:
        """An engine in use moves on, and cannot be destroyed."""
        engine = self.stage.engines[key]
        engine.progress()
        used = [subject.model for subject in self.stage.subjects if subject.model.settings.engine == key]
        if any(model.phase is Phase.ACTIVE for model in used):
            assert error_of(engine.destroy) is InUse

    # -- connecting ----------------------------------------------------------------------------------------------

    @rule(who=pick, name=st.none() | names)
    def listen(self, who: int, name: str | None) -> None:
        subject = self.living(who, "server", None)
        if subject is not None:
            self._listen(subject, name if LATE else None)

    def _listen(self, subject: Subject, name: str | None) -> None:
        if subject.model.kind == "Channel" and subject.model.settings.device not in (None, "03:00.0"):
            return  # a host's device has no representor to set, so nothing is left to be refused
        arguments = () if name is None else (name,)
        expected = self.world.listen(subject.model, name)
        compare(expected, lambda: subject.real.listen(*arguments), f"listen on {subject.model.key}")

    @rule(who=pick, name=st.none() | names)
    def connect(self, who: int, name: str | None) -> None:
        subject = self.living(who, "client", None)
        if subject is not None and subject.model.phase is not Phase.ENDED:
            self._connect(subject, name if LATE else None)

    @rule(who=pick, known=st.booleans())
    def meet(self, who: int, known: bool) -> None:
        """Connect, and be accepted; known: the server takes a snapshot, too."""
        idle = [s for s in self.stage.subjects if s.model.role == "client" and s.model.phase is Phase.IDLE]
        if not idle:
            return
        self._meet(idle[who % len(idle)], known=known)

    def _meet(self, subject: Subject, *, known: bool) -> None:
        self._connect(subject, None)
        end = subject.model.end
        if subject.model.phase is not Phase.ACTIVE or end is None:
            return
        server = self.stage.subject_of(end.peer.owner)
        self.stage.accept(server)
        if known:
            self.stage.check_snapshot(server)

    @precondition(lambda self: LATE)
    @rule(who=pick, name=bad_names)
    def connect_to_illegal_name(self, who: int, name: str) -> None:
        subject = self.living(who, "client")
        if subject is not None and subject.model.phase is Phase.IDLE and subject.model.settings.device:
            assert error_of(lambda: subject.real.connect(name, timeout=0)) is InvalidValue

    def _connect(self, subject: Subject, name: str | None) -> None:
        arguments = () if name is None else (name,)
        model = subject.model
        before = model.end
        expected = self.world.connect(model, name)
        what = f"connect on {model.key} while {model.phase.name}"
        if not expected and model.end is not None and model.end.state is EndState.REFUSED:
            self._be_refused(subject, model.end, arguments)
            return
        connection = compare(expected, lambda: subject.real.connect(*arguments, timeout=0), what)
        if connection is not None:
            assert model.end is not None
            subject.learn(model.end, connection)
        assert model.end is before or not expected
        self.stage.settle()

    def _be_refused(self, subject: Subject, end: End, arguments: tuple[str, ...]) -> None:
        """The server refuses when it receives; connect itself reports it if that was quicker."""
        connections: list[Any] = []
        raised = error_of(lambda: connections.append(subject.real.connect(*arguments, timeout=0)))
        if raised is not None:
            assert raised is comch.ConnectionAborted
            self.world.refuse_at_once(subject.model)
            return
        if self.threaded:  # the helper thread decides which of the two it is; from here on they are the same
            subject.real.disconnect()
            self.world.refuse_at_once(subject.model)
            return
        subject.learn(end, connections[0])
        self.stage.refuse(self.stage.subject_of(end.peer.owner), connections[0])
        self.stage.settle()

    @rule(who=pick, really=seldom)
    def connect_in_vain(self, who: int, really: bool) -> None:
        """A connect with a time-out, while the server does not receive."""
        subject = self.living(who, "client")
        if subject is None or subject.model.phase is not Phase.IDLE or self.threaded or not really:
            return
        expected = self.world.connect(subject.model)
        if not expected:
            expected = self.world.time_out(subject.model)
        compare(expected, lambda: subject.real.connect(timeout=0.01), f"connect on {subject.model.key}")
        self.stage.settle()

    @rule(who=pick, which=pick)
    def disconnect(self, who: int, which: int) -> None:
        subject = self.living(who)
        if subject is None or (subject.model.role is None and subject.model.kind == "Channel"):
            return
        end, connection = self._some_end(subject, which)
        if subject.model.role == "client" and not LATE:
            end = connection = None
        if subject.model.role == "server" and end is not None and end.owner is subject.model:
            note(f"{end} is disconnected")
        arguments = () if subject.model.role == "client" and end is None else (connection,)
        what = f"disconnect of {end} on {subject.model.key} while {subject.model.phase.name}"
        expected = self.world.disconnect(subject.model, end)
        compare(expected, lambda: subject.real.disconnect(*arguments), what)
        self.stage.settle()

    def _some_end(self, subject: Subject, which: int) -> tuple[End | None, Any]:
        """A connection of this context most often, else None or that of another."""
        own = self.stage.known(subject)
        if which < 8 and own:
            return own[-1 - which % len(own)], subject.connections[own[-1 - which % len(own)]]
        others = [(end, known) for s in self.stage.subjects if s is not subject for end, known in s.connections.items()]
        return others[which % len(others)] if others and which % 2 else (None, None)

    @rule(who=pick, twice=st.booleans(), really=seldom)
    def close(self, who: int, twice: bool, really: bool) -> None:
        if not really:
            return
        subject = self.stage.subjects[who % len(self.stage.subjects)]
        self.world.close(subject.model)
        for _ in range(1 + twice):
            subject.real.close()
        self.stage.settle()

    @precondition(lambda self: self.has_closed())
    @rule(who=pick, call=st.sampled_from(["connect", "listen", "receive", "disconnect"]))
    def call_closed(self, who: int, call: str) -> None:
        closed = [subject for subject in self.stage.subjects if subject.model.phase is Phase.CLOSED]
        subject = closed[who % len(closed)]
        if (call == "listen" and subject.model.kind == "Client") or (call != "receive" and subject.model.role is None):
            return
        if subject.model.role == "server" and call in ("connect", "disconnect"):
            return
        arguments: dict[str, Any] = {"timeout": 0} if call in ("connect", "receive") else {}
        expected = SILENT.CLOSED
        if call == "disconnect":  # a connect that was refused by then may count as one that raised
            expected |= SILENT.AFTER_FAILURE
        compare(expected, lambda: getattr(subject.real, call)(**arguments), f"{call} after close")

    # -- messages ------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.has())
    @rule(who=pick, which=pick, length=lengths, through_context=st.booleans())
    def send(self, who: int, which: int, length: str, through_context: bool) -> None:
        subject = self.living(who)
        if subject is None:
            return
        end, connection = self._some_end(subject, which)
        if end is not None and self._would_overflow(end):
            return
        data = self._data(end, length)
        if through_context and LATE:
            expected = self.world.send_to(subject.model, data, end)
            call = lambda: subject.real.send_to(data, connection, timeout=0)  # noqa: E731
        elif end is None or end.owner is not subject.model:
            return
        else:
            expected = self.world.send(end, data)
            call = lambda: connection.send(data, timeout=0)  # noqa: E731
        compare(expected, call, f"send of {len(data)} bytes through {end} on {subject.model.key}")
        self.stage.settle()

    @precondition(lambda self: self.has(*ENDED))
    @rule(which=pick)
    def send_after_the_end(self, which: int) -> None:
        ended = [end for subject in self.stage.subjects for end in subject.connections if end.state in ENDED]
        living = [end for end in ended if end.owner.phase is not Phase.CLOSED]
        if not living:
            return
        end = living[which % len(living)]
        connection = self.stage.connection(end)
        expected = self.world.send(end, b"x")
        compare(expected, lambda: connection.send(b"x", timeout=0), f"send through {end}")
        self.stage.settle()

    @precondition(lambda self: self.has(EndState.UP))
    @rule(who=pick, which=pick, count=st.integers(2, 70))
    def send_many(self, who: int, which: int, count: int) -> None:
        """Until the queue is full, perhaps."""
        subject = self.living(who)
        ends = self.stage.known(subject) if subject else []
        if not ends:
            return
        end = ends[-1 - which % len(ends)]
        connection = self.stage.connection(end)
        for _ in range(count):
            if self._would_overflow(end):
                return
            data = self._data(end, "short")
            expected = self.world.send(end, data)
            compare(expected, lambda: connection.send(data, timeout=0), f"send through {end}")  # noqa: B023
            if expected or end.state is not EndState.UP:
                break
        self.stage.settle()

    def _would_overflow(self, end: End) -> bool:
        """A full queue of a threaded port holds up its engine ("messages"), so nothing there happens in time."""
        unread = sum(len(other.inbox) for other in end.peer.owner.ends)
        return self.threaded and unread + 1 >= end.peer.recv_queue_size

    def _data(self, end: End | None, length: str) -> bytes:
        size = end.max_msg_size if end else 64
        stamp = b"%d" % self.world.stamp()
        return {"short": stamp, "empty": b"", "longest": stamp.ljust(size), "too long": bytes(size + 1)}[length]

    @rule(who=pick)
    def receive(self, who: int) -> None:
        """One answer, of a context that has something to say more often than not."""
        due = [subject for subject in self.stage.subjects if subject.model.due()]
        subject = due[who % len(due)] if due and who < 8 else self.living(who)
        if subject is not None:
            self.stage.receive(subject)

    @precondition(lambda self: self.has_due())
    @rule(who=pick, count=st.integers(1, 70))
    def receive_many(self, who: int, count: int) -> None:
        due = [subject for subject in self.stage.subjects if subject.model.due()]
        subject = due[who % len(due)]
        while subject.model.due() and count:
            self.stage.receive(subject)
            count -= 1

    @precondition(lambda self: self.has_due())
    @rule(who=pick)
    def receive_into_too_little(self, who: int) -> None:
        """A message that is longer than the program can hold stays."""
        subject = self.living(who)
        due = subject.model.due() if subject else []
        if subject is None or len(due) != 1 or not due[0].inbox[0].data:
            return
        length = len(due[0].inbox[0].data)
        found: list[Any] = []

        def refused() -> bool:
            try:
                subject.real.receive(length - 1, timeout=0)
            except comch.Again:
                return False
            except InvalidValue as error:
                found.append(error.length)
            return True

        until(refused, "receive reports the message that is too long")
        assert found == [length]

    # -- looking -------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.has())
    @rule(who=pick, which=pick)
    def counters(self, who: int, which: int) -> None:
        subject = self.living(who)
        ends = self.stage.known(subject) if subject else []
        if ends:
            self.stage.check_counters(ends[which % len(ends)])

    @rule(who=pick)
    def snapshot(self, who: int) -> None:
        subject = self.living(who, "server")
        if subject is not None and subject.model.phase is Phase.ACTIVE:
            self.stage.check_snapshot(subject)

    @precondition(lambda self: self.has())
    @rule(who=pick)
    def wake_up(self, who: int) -> None:
        subject = self.living(who)
        if subject is not None and subject.model.phase is Phase.ACTIVE:
            self.stage.check_wake_up(subject)

    @precondition(lambda self: self.has(EndState.UP))
    @rule(who=pick, which=pick)
    def wake_up_later(self, who: int, which: int) -> None:
        """Armed before the message is sent."""
        subject = self.living(who)
        ends = [end for end in self.stage.known(subject) if end.state is EndState.UP] if subject else []
        if subject is None or not ends or subject.model.due() or comch.Again not in subject.model.receive_errors():
            return
        end = ends[which % len(ends)]
        peer = self.stage.subject_of(end.peer.owner)
        if end.peer not in peer.connections or self._would_overflow(end.peer) or subject.model.has_news():
            return
        self.stage.check_wake_up(subject)
        data = self._data(end, "short")
        assert self.world.send(end.peer, data) == OK
        peer.connections[end.peer].send(data, timeout=0)
        assert subject.epoll.poll(5.0), f"recv_fd of {subject.model.key} slept through a message"

    @invariant()
    def everything_reads_back(self) -> None:
        for subject in self.stage.subjects:
            if subject.model.phase is not Phase.CLOSED:
                self.stage.check_settings(subject)
                self.stage.check_state(subject)


class ThreadedOrders(Orders):
    """The same with the helper thread. Its queues are kept from filling up: "messages" says what happens then."""

    threaded = True
    queue_sizes = st.sampled_from([5, 64])
