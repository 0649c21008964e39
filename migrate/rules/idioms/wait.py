"""Receive once and wait for a message, in place of a wait in a poller right before that.

Needs: a client that has been accepted, so that only a message or the end of its connection wakes it; a wait without a
time limit for its event channel alone, armed before. The poller is a variable of one function, or a field of the
client's object that its constructor has filled; it is removed when nothing waits in it any more.
"""

from __future__ import annotations

import re

from migrate.old_api.generation_1 import EP
from migrate.rules.idioms._site import Idiom, Site
from migrate.text.code import Edits, Template

_FORMS = ((r"(.+), timeout=0\)", r"\1)"), (r"(\S+\.try_receive\(.+)\)", r"\1, timeout=None)"))


class Waiting(Idiom):
    """A receive, and the statements before it that wait for its message."""

    code = "CCM106"

    def __call__(self, site: Site) -> Edits | None:
        template, wait = site.change.edits.expressions.get(site.call.node), site.wait
        if template is None or wait is None or not wait.steps:
            return None
        pattern, replacement = _FORMS[site.call.returns_code]
        match = re.fullmatch(pattern, template.text)
        if match is None or not site.is_alone or not all(map(site.source.is_alone, wait.steps)):
            return None
        receiving = Template(match.expand(replacement), template.parts)
        setup = site.setup(wait) if not wait.others else []
        return Edits({site.call.node: receiving}, dict.fromkeys([*wait.steps, *setup], Template("")))


IDIOMS: dict[str, Idiom] = {EP + "recvfrom": Waiting()}
