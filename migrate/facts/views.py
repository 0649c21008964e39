"""Kinds of one object: a context or a task of its own was shown for what is a single object now."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from functools import cached_property

from migrate.facts.tokens import Handle, handles_among
from migrate.python.values import Token, Values


class Views:
    """Answers for handles that can be shown as something more general.

    pairs: the kinds of these, each with the kind of that. shown: the latter.
    """

    def __init__(self, values: Values, pairs: Set[tuple[str, str]]) -> None:
        self._values, self.pairs = values, pairs
        self.shown = frozenset(general for _, general in pairs)

    def meet(self, tokens: Iterable[Token]) -> bool:
        """Whether some handle is among tokens as what it is, and as what it can be shown as."""
        among = _by_origin(handles_among(tokens)).values()
        return any(kinds.issuperset(pair) for pair in self.pairs for kinds in among)

    def others(self, handle: Handle) -> Set[str]:
        """Return the kinds that the object of a handle has beside that of the handle.

        All of which it can be a view, if it is not seen of which it is.
        """
        shown = {general for own, general in self.pairs if own == handle.kind}
        owners = {own for own, general in self.pairs if general == handle.kind}
        return shown | (owners & self._kinds.get(handle.origin, set()) or owners)

    @cached_property
    def _kinds(self) -> Mapping[Hashable, set[str]]:
        return _by_origin(handles_among(self._values.tokens))


def _by_origin(handles: Iterable[Handle]) -> Mapping[Hashable, set[str]]:
    """Return the kinds of handles by their origins."""
    kinds: dict[Hashable, set[str]] = {}
    for handle in handles:
        kinds.setdefault(handle.origin, set()).add(handle.kind)
    return kinds
