"""Receive once and wait for a message, in place of a wait in a poller right before that.

Needs: a client that has been let in, which nothing but a message or the end of its connection wakes; a wait without an
end for its event channel alone, armed before.
"""

from __future__ import annotations

from migrate.old_api.generation_1 import EP
from migrate.rules.idioms._site import Idiom, Site
from migrate.text.code import Edits, Template

_AT_ONCE = ", timeout=0)"


class Waiting(Idiom):
    """A receive, and the statements before it that wait for its message."""

    code = "CCM106"

    def __call__(self, site: Site) -> Edits | None:
        template, wait = site.change.edits.expressions.get(site.call.node), site.wait
        if template is None or wait is None or not wait.steps or not template.text.endswith(_AT_ONCE):
            return None
        if not site.is_alone or not all(map(site.is_one_line, wait.steps)):
            return None
        receiving = Template(template.text.removesuffix(_AT_ONCE) + ")", template.parts)
        return Edits({site.call.node: receiving}, dict.fromkeys([*wait.steps, *site.setup(wait)], Template("")))


IDIOMS: dict[str, Idiom] = {EP + "recvfrom": Waiting()}
