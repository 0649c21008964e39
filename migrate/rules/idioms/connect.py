"""Connect and wait until the service has let the client in, in place of a loop right behind that asks whether it has.

Needs: nothing else in the loop, and nothing that could run meanwhile; nobody looks at the connection, nor uses the
context but to close it, when it has not come up: `connect` has left it by then.
"""

from __future__ import annotations

import ast

from migrate.old_api.generation_1 import EP, PEER
from migrate.rules.idioms._loop import parse
from migrate.rules.idioms._site import Idiom, Site
from migrate.text.code import Edits, Template

_HARMLESS = frozenset({EP + "destroy"})
_AT_ONCE, _FOR_EVER = "timeout=0)", "timeout=None)"


class Connect(Idiom):
    """A connect, and a loop that waits for it."""

    code = "CCM103"

    def __call__(self, site: Site) -> Edits | None:
        template = site.change.edits.expressions.get(site.call.node)
        target = site.target
        behind = next(iter(site.behind(site.statement)), None)
        loop = parse(behind) if isinstance(behind, ast.While) else None
        if template is None or target is None or loop is None or not template.text.endswith(_AT_ONCE):
            return None
        asking = site.facts.calls.get(loop.value) if isinstance(loop.value, ast.Call) else None
        if asking is None or asking.function != PEER + "update_info" or not site.is_same(asking.receiver, target):
            return None
        if loop.target is not None or loop.returns or not site.is_again(loop, "ConnectionInprogress", 13):
            return None
        is_wait = all(map(site.quiet.is_wait, loop.waits)) and site.quiet.is_stable(target) and site.is_undisturbed
        if not is_wait or not site.source.is_alone(loop.statement) or not self._is_left(site, loop.statement):
            return None
        text = template.text.removesuffix(_AT_ONCE) + _FOR_EVER
        return Edits({site.call.node: Template(text, template.parts)}, {loop.statement: site.tail(loop)})

    def _is_left(self, site: Site, failing: ast.stmt) -> bool:
        """Whether the program does nothing with a connection that has not come up, nor with its context."""
        receiver = site.call.receiver
        assert receiver is not None
        origins = site.facts.handles(receiver)
        nodes = site.aftermath.nodes(failing, origins)
        if nodes is None:
            return False
        for node in nodes:
            if isinstance(node, ast.expr) and origins & site.facts.handles(node):
                call = site.facts.calls.get(node) if isinstance(node, ast.Call) else None
                if "peer" in {kind.removesuffix("[]") for kind in site.facts.kinds(node)}:
                    return False
                if call is not None and call.function not in _HARMLESS:
                    return False
        return True


IDIOMS: dict[str, Idiom] = {EP + "connect": Connect()}
