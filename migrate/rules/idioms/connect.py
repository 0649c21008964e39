"""Connect and wait until the service has accepted the client, in place of a loop after connect that polls for it.

Needs: nothing else in the loop, and nothing that could run meanwhile. If the connection does not come up, nothing reads
it, nor uses the context except to close it: `connect` has left it by then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.old_api.generation_1 import EP, PEER
from migrate.rules.idioms._loop import Loop, parse
from migrate.rules.idioms._site import Idiom, Site
from migrate.text.code import Edits, Template

_HARMLESS = frozenset({EP + "destroy"})
_ASK = PEER + "update_info"
_AT_ONCE, _FOR_EVER = "timeout=0)", "timeout=None)"


class Connect(Idiom):
    """A connect, and a loop that waits for it."""

    code = "CCM103"

    def __call__(self, site: Site) -> Edits | None:
        template, target = site.change.edits.expressions.get(site.call.node), site.target
        behind = next(iter(site.behind(site.statement)), None)
        if template is None or target is None or site.call.returns_code:
            return None
        waiting = for_ever(template)
        loop = waits_for(site, behind, target)
        if waiting is None or loop is None or not site.is_undisturbed or not is_left(site, loop.statement):
            return None
        return Edits({site.call.node: waiting}, {loop.statement: site.tail(loop)})


def for_ever(template: Template) -> Template | None:
    """Return the template of a connect that waits."""
    if not template.text.endswith(_AT_ONCE):
        return None
    return Template(template.text.removesuffix(_AT_ONCE) + _FOR_EVER, template.parts)


def waits_for(site: Site, statement: ast.stmt | None, target: ast.expr) -> Loop | None:
    """Return a loop that does nothing but wait for the connection that a target holds."""
    loop = parse(statement) if isinstance(statement, ast.While) and site.source.is_alone(statement) else None
    asking = site.facts.calls.get(loop.value) if loop is not None and isinstance(loop.value, ast.Call) else None
    if loop is None or asking is None or asking.function != _ASK or not site.is_same(asking.receiver, target):
        return None
    is_stored = loop.target is not None or loop.returns
    is_coded = site.call.returns_code and loop.target is not None and not loop.returns and not loop.primed
    if (is_stored and not is_coded) or not site.is_again(loop, "ConnectionInprogress", 13):
        return None
    return loop if all(map(site.quiet.is_wait, loop.waits)) and site.quiet.is_stable(target) else None


def is_left(site: Site, failing: ast.stmt, leaving: Iterable[ast.stmt] = ()) -> bool:
    """Whether the program does nothing with a connection that has not come up, nor with its context but close it."""
    receiver = site.call.receiver
    assert receiver is not None
    origins = site.facts.handles(receiver)
    region = site.aftermath.region(failing, origins, leaving)
    if region is None or site.aftermath.is_used(region, origins, "peer"):
        return False
    return not site.aftermath.is_called(region, origins, _HARMLESS)


IDIOMS: dict[str, Idiom] = {EP + "connect": Connect()}
