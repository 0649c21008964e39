"""Views of a handle as something more general, which comch_next needs none for."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.rules._form import Deferred, Form
from migrate.rules._site import Site


@dataclass(frozen=True)
class Itself(Form):
    """The handle, in place of the call."""

    def names(self) -> frozenset[str]:
        return frozenset()

    def plain(self, site: Site) -> str:
        return f"{{{site.handle}}}"

    def deferred(self, site: Site) -> Deferred:
        raise NotImplementedError

    def flat(self, site: Site) -> str:
        return self.plain(site)  # None is None
