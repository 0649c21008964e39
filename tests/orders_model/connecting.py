"""Calls by which contexts meet and part, each compared with the model."""

from __future__ import annotations

from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

import comch_next as comch
from comch_next.errors import InvalidValue
from tests.orders_model.cast import Cast
from tests.orders_model.choices import (
    bad_names,
    names,
    pick,
    seldom,
)
from tests.orders_model.model import SILENT, End, EndState, Phase
from tests.orders_model.stage import LATE, Subject, compare, error_of, until


class Connecting(Cast):
    """Listens, connects, disconnects and closes."""

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

    @rule(who=pick, really=seldom)
    def stop(self, who: int, really: bool) -> None:
        """A server may be anything again, then; a client is by its disconnect."""
        subject = self.living(who, "server")
        if subject is None or not really:
            return
        expected = self.world.stop(subject.model)
        compare(expected, subject.real.stop, f"stop of {subject.model.key}")
        if not expected:
            until(lambda: self._is_idle(subject), f"{subject.model.key} is IDLE")
            self.stage.settle()

    def _is_idle(self, subject: Subject) -> bool:
        subject.real.engine.progress()
        return subject.real.state is comch.State.IDLE

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
