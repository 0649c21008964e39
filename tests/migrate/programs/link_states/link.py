"""A link as a state machine: one state, one method; generation 1 in its flat spelling."""
from __future__ import annotations

import enum
import time

from doca_comm_channel import *


class State(enum.Enum):
    CLOSED = enum.auto()
    CONFIGURED = enum.auto()
    CONNECTING = enum.auto()
    GREETING = enum.auto()
    UP = enum.auto()
    DRAINING = enum.auto()
    FAILED = enum.auto()

    @property
    def final(self):
        return self in (State.CLOSED, State.FAILED)


class Event(enum.Enum):
    OK = "ok"
    AGAIN = "again"
    LOST = "lost"
    ERROR = "error"

    @classmethod
    def of(cls, rc: int) -> Event:
        match rc:
            case 0:
                return cls.OK
            case code if code in (DOCA_ERROR_AGAIN, DOCA_ERROR_CONNECTION_INPROGRESS):
                return cls.AGAIN
            case code if code in {DOCA_ERROR_CONNECTION_RESET, DOCA_ERROR_CONNECTION_ABORTED}:
                return cls.LOST
        return cls.ERROR


class Link:
    def __init__(self, dev, service: bytes | str):
        self.dev = dev
        self.service = service
        self.state = State.CLOSED
        self.ep = None
        self.peer = None
        self.rc = DOCA_SUCCESS
        self.outbox: list[bytes] = []
        self.inbox: list[bytes] = []
        self.history: list[str] = []
        self.attempts = 0

    def become(self, state: State):
        if state is not self.state:
            self.history.append(f"{self.state.name}>{state.name}")
            self.state = state

    def step(self) -> bool:
        """One step; False when nothing changes any more."""
        match self.state:
            case State.CLOSED if self.attempts < 2:
                self.configure()
            case State.CONFIGURED:
                self.connect()
            case State.CONNECTING:
                self.await_handshake()
            case State.GREETING:
                self.greet()
            case State.UP:
                self.pump()
            case State.DRAINING:
                self.drain()
            case State.CLOSED | State.FAILED:
                return False
        return True

    def run_until(self, *states: State, seconds: float = 60) -> Event:
        end = time.monotonic() + seconds
        while self.state not in states and time.monotonic() < end:
            if not self.step():
                break
        return Event.of(self.rc)

    def configure(self):
        self.attempts += 1
        self.rc, self.ep = doca_comm_channel_ep_create()
        if self.rc == DOCA_SUCCESS:
            self.rc = doca_comm_channel_ep_set_device(self.ep, self.dev)
        if self.rc == DOCA_SUCCESS:
            self.rc = doca_comm_channel_ep_set_max_msg_size(self.ep, 128)
        self.become(State.CONFIGURED if not self.rc else State.FAILED)

    def connect(self):
        self.rc, self.peer = doca_comm_channel_ep_connect(self.ep, self.service)
        match Event.of(self.rc):
            case Event.OK:
                self.become(State.CONNECTING)
            case Event.LOST:
                doca_comm_channel_ep_destroy(self.ep)
                self.ep = None
                self.become(State.CLOSED)
            case Event.ERROR | Event.AGAIN:
                self.become(State.FAILED)

    def await_handshake(self):
        self.rc = doca_comm_channel_peer_addr_update_info(self.peer)
        match Event.of(self.rc):
            case Event.OK:
                self.become(State.GREETING)
            case Event.AGAIN:
                time.sleep(1e-4)
            case _:
                self.become(State.FAILED)

    def greet(self):
        hello = b"HELLO 1"
        self.rc = doca_comm_channel_ep_sendto(self.ep, hello, len(hello), DOCA_CC_MSG_FLAG_NONE, self.peer)
        if Event.of(self.rc) is Event.OK:
            self.become(State.UP)

    def pump(self):
        while self.outbox:
            message = self.outbox[0]
            self.rc = doca_comm_channel_ep_sendto(self.ep, message, len(message), 0, self.peer)
            if self.rc != DOCA_SUCCESS:
                break
            self.outbox = self.outbox[1:]
        self.rc, message, size, sender = doca_comm_channel_ep_recvfrom(self.ep, 128, 0)
        match (Event.of(self.rc), message):
            case (Event.OK, b"BYE"):
                self.become(State.DRAINING)
            case (Event.OK, bytes()):
                self.inbox.append(message[:size])
            case (Event.AGAIN, None):
                time.sleep(1e-4)
            case (Event.LOST | Event.ERROR, None):
                self.become(State.FAILED)

    def drain(self):
        self.rc = doca_comm_channel_peer_addr_update_info(self.peer)
        rc, left = doca_comm_channel_peer_addr_get_send_in_flight_messages(self.peer)
        if self.rc or left == 0:
            self.rc = doca_comm_channel_ep_disconnect(self.ep, self.peer)
            self.peer = None
            self.rc |= doca_comm_channel_ep_destroy(self.ep)
            self.ep = None
            self.become(State.CLOSED)
