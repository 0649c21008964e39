"""The contexts of an order of calls, and which of them a call is made on."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from tests.orders_model.choices import (
    MOST_CLIENTS,
    MOST_SERVERS,
)
from tests.orders_model.model import EndState, Phase
from tests.orders_model.stage import Stage, Subject


class Cast(RuleBasedStateMachine):
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
