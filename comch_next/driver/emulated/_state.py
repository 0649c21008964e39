"""What a context may do when: the life of a context as two tables (guide: DOCA Core Context State Machine).

A context is IDLE while it is configured. Servers and producers start at once; a client passes through STARTING until
its server has accepted it, a consumer until the other side has been notified of it, or they fall back. STOPPING lasts
while peers are being notified and tasks are being given back. A trigger that has no row for a state is refused with
BAD_STATE.

Not in the tables, because they depend on more than the state: a context starts only with a progress engine,
a capable device and its mandatory callbacks, and reaches IDLE only when every task has been freed.
"""

from enum import Enum, auto

from comch_next._codes import State

__all__ = ["CALLS", "CAUSES", "LEGAL", "TRANSITIONS", "Trigger"]


class Trigger(Enum):
    """What moves a context; the program causes the first four, the fabric and progress the others."""

    START_NOW = auto()
    START_LATER = auto()
    STOP_CLEAN = auto()  # nothing outstanding, no connection
    STOP_BUSY = auto()
    CONNECTED = auto()
    REFUSED = auto()
    FATAL = auto()
    DRAINED = auto()


CAUSES = {  # the call by which the program causes it
    Trigger.START_NOW: "ctx_start",
    Trigger.START_LATER: "ctx_start",
    Trigger.STOP_CLEAN: "ctx_stop",
    Trigger.STOP_BUSY: "ctx_stop",
}

IDLE, STARTING, RUNNING, STOPPING = State.IDLE, State.STARTING, State.RUNNING, State.STOPPING

TRANSITIONS: dict[tuple[State, Trigger], State] = {
    (IDLE, Trigger.START_NOW): RUNNING,
    (IDLE, Trigger.START_LATER): STARTING,
    (STARTING, Trigger.CONNECTED): RUNNING,
    (STARTING, Trigger.REFUSED): IDLE,
    (STARTING, Trigger.STOP_CLEAN): IDLE,
    (STARTING, Trigger.STOP_BUSY): STOPPING,
    (RUNNING, Trigger.STOP_CLEAN): IDLE,
    (RUNNING, Trigger.STOP_BUSY): STOPPING,
    (RUNNING, Trigger.FATAL): STOPPING,
    (STOPPING, Trigger.STOP_CLEAN): STOPPING,  # IDLE is reached through progress only
    (STOPPING, Trigger.STOP_BUSY): STOPPING,
    (STOPPING, Trigger.DRAINED): IDLE,
}

CALLS: dict[str, frozenset[State]] = {
    "connect_ctx": frozenset({IDLE}),
    "set_max_msg_size": frozenset({IDLE}),
    "set_recv_queue_size": frozenset({IDLE}),
    "task_send_set_conf": frozenset({IDLE}),
    "event_msg_recv_register": frozenset({IDLE}),
    "event_connection_status_changed_register": frozenset({IDLE}),
    "event_consumer_register": frozenset({IDLE}),
    "set_imm_data_len": frozenset({IDLE}),
    "task_post_recv_set_conf": frozenset({IDLE}),
    "port_open": frozenset({IDLE}),
    "task_send_alloc_init": frozenset({RUNNING, STOPPING}),
    "task_post_recv_alloc_init": frozenset({RUNNING, STOPPING}),
    "task_submit": frozenset({RUNNING, STOPPING}),
    "server_disconnect": frozenset({RUNNING}),
    "client_get_connection": frozenset({STARTING, RUNNING, STOPPING}),
}

# The same by state: what is legal now.
LEGAL: dict[State, frozenset[str]] = {
    state: frozenset(call for call, states in CALLS.items() if state in states) for state in State
}
