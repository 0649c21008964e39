"""What the orders of calls choose from."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.orders_model.model import EndState
from tests.orders_model.stage import LATE

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
