"""Random orders of generation 1's calls, legal and illegal, each step compared with the model."""

from __future__ import annotations

import select
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import comm_channel_compat as cc
from tests.orders_model.endpoint_model import SIZES, Endpoint, EndpointWorld, Statistics
from tests.orders_model.model import End, EndState, Errors, Phase
from tests.orders_model.stage import compare, error_of, open_descriptors, until
from tests.processes import SOON_S

__all__ = ["EndpointOrders", "ThreadedEndpointOrders"]

MOST = 5

pick = st.integers(0, 11)
names = st.sampled_from(["svc", "svc", "svc", "other"])
devices = st.sampled_from(["03:00.0", "b1:00.0", "b1:00.0", "b1:00.1"])
lengths = st.sampled_from(["short", "short", "short", "empty", "longest", "too long"])
seldom = st.sampled_from([False, False, True])


class Subject:
    """An endpoint and its model, and the peers by which the program knows its ends."""

    def __init__(self, model: Endpoint, real: Any) -> None:
        self.model = model
        self.real = real
        self.peers: dict[End, Any] = {}
        self.fds: tuple[int, int] | None = None

    def end_of(self, peer: object) -> End | None:
        return next((end for end, known in self.peers.items() if known is peer), None)

    def learn(self, end: End, peer: object) -> None:
        assert self.peers.setdefault(end, peer) is peer, f"{end} has a second peer"
        assert self.end_of(peer) is end, f"{end} has the peer of {self.end_of(peer)}"


class EndpointOrders(RuleBasedStateMachine):
    """Up to five endpoints in one process, on the driver's own form of the pull port."""

    threaded = False
    queue_sizes = st.sampled_from([1, 8, 9, 64])

    def __init__(self) -> None:
        super().__init__()
        self.world = EndpointWorld(threaded=self.threaded)
        self.subjects: list[Subject] = []
        self.before = open_descriptors()
        self.devices: dict[str, Any] = {pci: cc.open_device(pci) for pci in ("03:00.0", "b1:00.0", "b1:00.1")}
        self.reps: dict[str, Any] = {
            pci: self.devices["03:00.0"].open_representor(pci) for pci in ("b1:00.0", "b1:00.1")
        }

    def teardown(self) -> None:
        try:
            for subject in self.subjects:
                while subject.model.due():
                    self._receive(subject)
        finally:
            for subject in self.subjects:
                error_of(subject.real.destroy)
            for closable in (*self.reps.values(), *self.devices.values()):
                closable.close()
        until(lambda: len(open_descriptors()) <= len(self.before), f"{self.before} stay open, not {open_descriptors()}")

    # -- who -----------------------------------------------------------------------------------------------------

    def has(self, *states: EndState) -> bool:
        ends = (end for subject in self.subjects for end in subject.peers)
        return any(not states or end.state in states for end in ends)

    def subject(self, number: int, role: str | None = None) -> Subject:
        """An endpoint, destroyed ones seldom."""
        living = [s for s in self.subjects if s.model.phase is not Phase.CLOSED and role in (None, s.model.role)]
        chosen = living if living and number < 10 else self.subjects
        return chosen[number % len(chosen)]

    def subject_of(self, end: End) -> Subject:
        return next(subject for subject in self.subjects if subject.model is end.owner)

    def some_end(self, subject: Subject, which: int) -> tuple[End | None, Any]:
        """A peer of this endpoint most often, else None or that of another."""
        own = list(subject.peers)
        if which < 9 and own:
            return own[-1 - which % len(own)], subject.peers[own[-1 - which % len(own)]]
        others = [pair for s in self.subjects if s is not subject for pair in s.peers.items()]
        return others[which % len(others)] if others and which % 2 else (None, None)

    # -- creating and setting ------------------------------------------------------------------------------------

    @initialize(connected=st.sampled_from([True, True, False]), send=queue_sizes, recv=queue_sizes, depth=st.booleans())
    def begin_with_a_pair(self, connected: bool, send: int, recv: int, depth: bool) -> None:
        service, client = self._create(), self._create()
        self._set_device(service, "03:00.0")
        self._set(service, "device_rep", "b1:00.0", self.reps["b1:00.0"])
        self._set_device(client, "b1:00.0")
        for subject in (service, client) if depth else ():
            self._set(subject, "send_queue_size", send, send)
            self._set(subject, "recv_queue_size", recv, recv)
        self._listen(service, "svc")
        if connected:
            self._connect(client, "svc")
            self._let_in(service)

    def _create(self) -> Subject:
        self.subjects.append(Subject(self.world.make_endpoint(), cc.Endpoint()))
        return self.subjects[-1]

    @precondition(lambda self: sum(s.model.phase is not Phase.CLOSED for s in self.subjects) < MOST)
    @rule(device=st.none() | devices, rep=st.none() | st.sampled_from(["b1:00.0", "b1:00.1"]))
    def create(self, device: str | None, rep: str | None) -> None:
        subject = self._create()
        if device is not None:
            self._set_device(subject, device)
        if rep is not None and device == "03:00.0":
            self._set(subject, "device_rep", rep, self.reps[rep])

    @rule(who=pick, device=devices)
    def set_device(self, who: int, device: str) -> None:
        subject = self.subject(who)
        if subject.model.role is not None and device == "03:00.0":
            return  # a role that changes: the guide does not say whether it may
        self._set_device(subject, device)

    def _set_device(self, subject: Subject, device: str) -> None:
        self._set(subject, "device", device, self.devices[device])

    @rule(who=pick, size=st.sampled_from(sorted(SIZES)), data=st.data())
    def set_size(self, who: int, size: str, data: st.DataObject) -> None:
        values = st.sampled_from([1, 64, 100]) if size == "max_msg_size" else self.queue_sizes
        value = data.draw(values | st.sampled_from([0, -1, 65536]))
        self._set(self.subject(who), size, value, value)

    def _set(self, subject: Subject, name: str, value: object, real: object) -> None:
        expected = subject.model.set(**{name: value})
        what = f"set_{name}({value}) on {subject.model.key} while {subject.model.phase.name}"
        compare(expected, lambda: getattr(subject.real, f"set_{name}")(real), what)

    @rule(who=pick)
    def get_all(self, who: int) -> None:
        subject = self.subject(who)
        for name in ("device", "device_rep", *SIZES):
            what = f"get_{name} of {subject.model.key}"
            value = compare(subject.model.get(name), getattr(subject.real, f"get_{name}"), what)
            expected = getattr(subject.model.settings, name)
            handles = {"device": self.devices, "device_rep": self.reps}.get(name, {})
            if value is not None:
                assert value == handles.get(expected, expected), what

    # -- connecting ----------------------------------------------------------------------------------------------

    @rule(who=pick, name=names)
    def listen(self, who: int, name: str) -> None:
        subject = self.subject(who)
        if subject.model.role != "client" or subject.model.is_active:
            self._listen(subject, name)

    def _listen(self, subject: Subject, name: str) -> None:
        expected = self.world.ep_listen(subject.model, name)
        compare(expected, lambda: subject.real.listen(name), f"listen on {subject.model.key}")

    @rule(who=pick, name=st.sampled_from(["", "x" * 128, "a\0b"]), listen=st.booleans())
    def illegal_name(self, who: int, name: str, listen: bool) -> None:
        subject = self.subject(who)
        role = (subject.real.listen, self.world.ep_listen) if listen else (subject.real.connect, self.world.ep_connect)
        if subject.model.phase is Phase.IDLE and subject.model.settings.device and subject.model.role is None:
            assert error_of(lambda: role[0](name)) in (cc.InvalidValue, cc.BadState, cc.NotPermitted)

    @rule(who=pick, name=names, let_in=st.booleans())
    def connect(self, who: int, name: str, let_in: bool) -> None:
        subject = self.subject(who)
        self._connect(subject, name)
        end = subject.model.end
        if let_in and end is not None and end.state is EndState.WAITING:
            self._let_in(self.subject_of(end.peer))

    def _connect(self, subject: Subject, name: str) -> None:
        expected = self.world.ep_connect(subject.model, name)
        peer = compare(expected, lambda: subject.real.connect(name), f"connect on {subject.model.key}")
        if peer is not None:
            assert subject.model.end is not None
            subject.learn(subject.model.end, peer)
        self._settle()

    @rule(who=pick, which=pick, really=st.booleans())
    def disconnect(self, who: int, which: int, really: bool) -> None:
        subject = self.subject(who)
        end, peer = self.some_end(subject, which)
        if really:
            expected = self.world.ep_disconnect(subject.model, end)
            compare(expected, lambda: subject.real.disconnect(peer), f"disconnect of {end} on {subject.model.key}")
            self._settle()

    @rule(who=pick, really=seldom)
    def destroy(self, who: int, really: bool) -> None:
        if really:
            subject = self.subject(who)
            compare(self.world.ep_destroy(subject.model), subject.real.destroy, f"destroy of {subject.model.key}")
            self._settle()

    def _settle(self) -> None:
        """Wait until each side has noticed what it can notice."""
        for subject in self.subjects:
            for end, peer in subject.peers.items():
                if subject.model.phase is not Phase.CLOSED:
                    self._until_update_info(end.update_info(), peer, end)

    def _until_update_info(self, expected: Errors, peer: Any, end: End) -> None:
        expected = expected or frozenset({type(None)})
        until(lambda: (error_of(peer.update_info) or type(None)) in expected, f"update_info of {end}")
        self.subject_of(end).model.update_info(end)

    # -- messages ------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.has())
    @rule(who=pick, which=pick, length=lengths, flags=st.sampled_from([0, 0, 0, 0, 1]))
    def sendto(self, who: int, which: int, length: str, flags: int) -> None:
        subject = self.subject(who)
        end, peer = self.some_end(subject, which)
        if end is not None and (self._would_overflow(end) or (length == "too long" and end.state is EndState.WAITING)):
            return
        msg = self._msg(end, length)
        expected = self.world.ep_sendto(subject.model, msg, end, flags)
        what = f"sendto of {len(msg)} bytes to {end} on {subject.model.key}"
        compare(expected, lambda: subject.real.sendto(msg, peer, flags), what)
        self._settle()

    @precondition(lambda self: self.has(EndState.UNAWARE, EndState.ERROR, EndState.REFUSED, EndState.LEFT))
    @rule(which=pick)
    def sendto_a_connection_that_has_ended(self, which: int) -> None:
        ended = [end for subject in self.subjects for end in subject.peers if end.state is not EndState.UP]
        living = [end for end in ended if end.owner.phase is not Phase.CLOSED and end.state is not EndState.WAITING]
        if not living:
            return
        end = living[which % len(living)]
        subject = self.subject_of(end)
        expected = self.world.ep_sendto(subject.model, b"x", end)
        compare(expected, lambda: subject.real.sendto(b"x", subject.peers[end]), f"sendto to {end}")
        self._settle()

    @precondition(lambda self: self.has(EndState.UP))
    @rule(who=pick, which=pick, count=st.integers(2, 140))
    def send_many(self, who: int, which: int, count: int) -> None:
        """Until the queue is full, perhaps."""
        ends = [end for subject in self.subjects for end in subject.peers if end.state is EndState.UP]
        end = ends[(who + which) % len(ends)]
        subject = self.subject_of(end)
        for _ in range(count):
            if self._would_overflow(end):
                return
            msg = self._msg(end, "short")
            expected = self.world.ep_sendto(subject.model, msg, end)
            compare(expected, lambda: subject.real.sendto(msg, subject.peers[end]), f"sendto to {end}")  # noqa: B023
            if expected:
                self._full_queue(subject, end)
                break
        self._settle()

    def _full_queue(self, subject: Subject, end: End) -> None:
        """Who waits for room sleeps until the other side has taken a message."""
        send_fd, _ = subject.real.get_event_channel()
        receiver = self.subject_of(end.peer)
        if any(other.in_flight == 0 and other.state is EndState.UP for other in subject.peers if other is not end):
            return  # room for another peer
        if receiver.model.phase is Phase.CLOSED or not receiver.model.due():
            return
        for _ in range(2):  # the first may report messages to other peers that have ended meanwhile
            subject.real.event_handle_arm_send()
        assert not ready(send_fd, 0.002), "send is ready although the queue is full"
        while end.in_flight >= end.send_queue_size:
            self._receive(receiver)
        assert ready(send_fd, SOON_S), "send slept although a message had ended"

    def _would_overflow(self, end: End) -> bool:
        """A full queue of a threaded port holds up its engine ("messages"), so nothing there happens in time."""
        unread = sum(len(other.inbox) for other in end.peer.owner.ends)
        return self.threaded and unread + 1 >= end.peer.recv_queue_size

    def _msg(self, end: End | None, length: str) -> bytes:
        size = end.max_msg_size if end else 64
        stamp = b"%d" % self.world.stamp()
        return {"short": stamp, "empty": b"", "longest": stamp.ljust(size), "too long": bytes(size + 1)}[length]

    @rule(who=pick, count=st.sampled_from([1, 1, 3, 100]))
    def recvfrom(self, who: int, count: int) -> None:
        due = [subject for subject in self.subjects if subject.model.due()]
        subject = due[who % len(due)] if due and who < 8 else self.subject(who)
        self._receive(subject)
        while subject.model.due() and count > 1:
            self._receive(subject)
            count -= 1

    @rule(who=pick)
    def recvfrom_into_too_little(self, who: int) -> None:
        due = [subject for subject in self.subjects if len(subject.model.due()) == 1]
        if not due or not due[who % len(due)].model.due()[0].inbox[0].data:
            return
        subject = due[who % len(due)]
        length, found = len(subject.model.due()[0].inbox[0].data), []

        def refused() -> bool:
            try:
                subject.real.recvfrom(length - 1)
            except cc.Again:
                return False
            except cc.InvalidValue as error:
                found.append(error.length)
            return True

        until(refused, "recvfrom reports the message that is too long")
        assert found == [length]

    def _receive(self, subject: Subject) -> None:
        """One answer of recvfrom that the model has to give, waited for; a service lets everybody in."""
        model = subject.model
        if model.due() or cc.Again not in model.receive_errors():
            until(lambda: self._take(subject) is not cc.Again, f"recvfrom on {model.key}, {model.ends}")
        else:
            assert self._take(subject) is not None
        if model.role == "server" and model.is_active:
            self._let_in(subject)

    def _let_in(self, subject: Subject) -> None:
        waiting = [end.peer for end in subject.model.waiting()]
        if not waiting:
            return

        def up() -> bool:
            self._take(subject)
            return all(error_of(self.subject_of(end).peers[end].update_info) is None for end in waiting)

        until(up, f"{subject.model.key} lets in {waiting}")
        self.world.accept(subject.model)
        for end in waiting:
            self.subject_of(end).model.update_info(end)

    def _take(self, subject: Subject) -> type[BaseException] | None:
        """Receive once. The class raised, after it was found right; None for a message."""
        due, expected = subject.model.due(), subject.model.receive_errors()
        try:
            msg, peer = subject.real.recvfrom(65535)
        except Exception as error:
            self._check_error(subject, error, due, expected)
            return type(error)
        end = subject.end_of(peer)
        unknown = (other for other in due if other.inbox[0].data == msg and other not in subject.peers)
        chosen = end if end is not None else next(unknown)
        assert chosen in due, f"{subject.model.key} received {msg!r} of {end}; due were {due}"
        subject.learn(chosen, peer)
        assert msg == chosen.inbox[0].data
        chosen.take()
        return None

    def _check_error(self, subject: Subject, error: Any, due: list[End], expected: Errors) -> None:
        what = f"recvfrom on {subject.model.key} raised {error!r} while {due} were due, {expected} was expected"
        if isinstance(error, cc.Again):
            return
        assert type(error) in expected, what
        if not isinstance(error, cc.ConnectionReset):
            return
        end = subject.end_of(error.connection)
        if end is None:
            unknown = [other for other in subject.model.ends if other.reset_is_due and other not in subject.peers]
            assert error.connection is None or unknown, what
            subject.model.broken_handshakes -= subject.model.broken_handshakes > 0
            return
        assert end.reset_is_due, what
        assert not end.inbox, what
        end.reset_is_due = False

    # -- looking -------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.has())
    @rule(who=pick, which=pick, update=st.booleans())
    def statistics(self, who: int, which: int, update: bool) -> None:
        subject = self.subject(who)
        if not subject.peers:
            return
        end = list(subject.peers)[which % len(subject.peers)]
        peer = subject.peers[end]
        if update and subject.model.phase is not Phase.CLOSED:
            expected = subject.model.update_info(end)
            compare(expected, peer.update_info, f"update_info of {end}")
        known = subject.model.statistics.get(end, Statistics())
        found = (peer.get_send_messages(), peer.get_send_bytes(), peer.get_recv_messages(), peer.get_recv_bytes())
        if self.threaded:  # what has moved counts as received, and is in flight no longer
            assert found[:2] == known.values[:2], end
            assert found[2:] >= known.values[2:], end
        else:
            assert found == known.values, end
            assert peer.get_send_in_flight_messages() == known.in_flight, end

    @rule(who=pick)
    def service_state(self, who: int) -> None:
        subject = self.subject(who, "server")
        expected = subject.model.service_call()
        if expected:
            for call in ("update_service_state_info", "get_peer_addr_list", "get_pending_connections"):
                compare(expected, getattr(subject.real, call), f"{call} on {subject.model.key}")
            return
        until(lambda: self._snapshot_is_right(subject), f"{subject.model.key} lists {subject.model.connected()}")

    def _snapshot_is_right(self, subject: Subject) -> bool:
        subject.real.update_service_state_info()
        peers, pending = subject.real.get_peer_addr_list(), subject.real.get_pending_connections()
        ends = subject.model.connected()
        if [subject.end_of(peer) for peer in peers] != [end if end in subject.peers else None for end in ends]:
            return False
        if pending != len(subject.model.waiting()) and not subject.model.broken_handshakes:
            return False
        for end, peer in zip(ends, peers, strict=True):
            subject.learn(end, peer)
        return True

    @rule(who=pick)
    def event_channel(self, who: int) -> None:
        """The descriptors are the same until destroy; receive is ready if, and only if, there is something to say."""
        subject = self.subject(who)
        model = subject.model
        fds = compare(model.get_event_channel(), subject.real.get_event_channel, f"get_event_channel of {model.key}")
        compare(model.arm(), subject.real.event_handle_arm_recv, f"event_handle_arm_recv of {model.key}")
        compare(model.arm(), subject.real.event_handle_arm_send, f"event_handle_arm_send of {model.key}")
        if fds is None or not model.is_active:
            return
        subject.fds = subject.fds or fds
        assert fds == subject.fds, "the descriptors have changed"
        if model.due() or cc.Again not in model.receive_errors():
            until(lambda: self._armed(subject, 0.01), f"receive of {model.key} is ready for {model.ends}")
        elif not model.has_news():
            until(lambda: not self._armed(subject, 0.002), f"receive of {model.key} comes to rest, {model.ends}")

    def _armed(self, subject: Subject, timeout_s: float) -> bool:
        subject.real.event_handle_arm_recv()
        assert subject.fds is not None
        return ready(subject.fds[1], timeout_s)

    @rule(who=pick)
    def service_event_channel(self, who: int) -> None:
        subject = self.subject(who)
        expected = subject.model.service_call()
        compare(expected, subject.real.get_service_event_channel, f"get_service_event_channel of {subject.model.key}")


class ThreadedEndpointOrders(EndpointOrders):
    """The same with the helper thread. Its queues are kept from filling up: "messages" says what happens then."""

    threaded = True
    queue_sizes = st.sampled_from([8, 9, 64])


def ready(fd: int, timeout_s: float) -> bool:
    """Whether epoll finds the descriptor readable within the time."""
    with select.epoll() as poller:
        poller.register(fd, select.EPOLLIN)
        return bool(poller.poll(timeout_s))
