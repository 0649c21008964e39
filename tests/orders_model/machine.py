"""Random orders of every call of the modern API, legal and illegal, each step compared with the model."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

import comch_next as comch
from comch_next.errors import InUse, InvalidValue
from tests.orders_model.choices import (
    engines,
    hosts,
    illegal,
    maybe,
    msg_sizes,
    names,
    one_sided,
    pick,
    seldom,
)
from tests.orders_model.messages import Messages
from tests.orders_model.model import OK, EndState, Phase
from tests.orders_model.stage import LATE, Subject, compare, error_of
from tests.processes import SOON_S

__all__ = ["Orders", "ThreadedOrders"]


class Orders(Messages):
    """Every call: those that make, set and look at contexts, too."""

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
        assert subject.epoll.poll(SOON_S), f"recv_fd of {subject.model.key} slept through a message"

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
