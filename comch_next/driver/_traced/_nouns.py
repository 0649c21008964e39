"""What the traced nouns share: every call goes through as it is, but for those that a noun overrides."""

from collections.abc import Callable
from typing import Any

from comch_next.driver._traced._tracer import Flight, Tracer
from comch_next.driver.protocol import by_system
from comch_next.errors import DocaError

__all__ = ["Noun", "Tasks"]


class Noun:
    """A noun of the driver."""

    def __init__(self, noun: Any, tracer: Tracer) -> None:
        self._noun = noun
        self._tracer = tracer

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._noun, name)
        setattr(self, name, call)
        return call


class Tasks(Noun):
    """Tasks of one kind; the kinds define how a submission is recorded. One of a task that has been freed is not."""

    def submitted(self, flight: Flight, submit: Callable[..., None], *flags: int) -> None:
        """Submit the task and record how that went."""
        raise NotImplementedError

    def submit(self, task: Any) -> None:
        self._submit(task, self._noun.submit)

    def try_submit(self, task: Any) -> None:
        self._submit(task, self._noun.try_submit)

    def submit_ex(self, task: Any, flags: int) -> None:
        self._submit(task, self._noun.submit_ex, flags)

    def _submit(self, task: Any, submit: Callable[..., None], *flags: int) -> None:
        flight = self._flight(task)
        if flight is None:
            submit(task, *flags)
        else:
            flight.scope.at_once(self.submitted, flight, submit, *flags)

    def _flight(self, task: Any) -> Flight | None:
        """None for a task that has been freed, or an invalid one: the driver refuses it."""
        try:
            found: Flight | None = self._noun.get_user_data(task)
        except by_system(AttributeError, DocaError):
            return None
        return found

    def set_user_data(self, task: Any, user_data: object) -> None:
        flight = self._flight(task)
        if flight is None:
            self._noun.set_user_data(task, user_data)
        else:
            flight.user_data = user_data

    def get_user_data(self, task: Any) -> Any:
        flight = self._flight(task)
        return self._noun.get_user_data(task) if flight is None else flight.user_data
