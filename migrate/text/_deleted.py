"""Names that `del` unbinds or that have a fallback: what takes the place of their uses has to be bound as they are."""

from __future__ import annotations

import re
from collections.abc import Set

from migrate.python.scopes import Names, Variable
from migrate.text._uses import root_of
from migrate.text.code import Edits
from migrate.text.render import Trouble

_TAKEN = re.compile(r"\{comch\}\.(\w+)\b(?!\.)")


def under_own_names(edits: Edits, names: Names, own: Set[Variable]) -> tuple[Edits, dict[Variable, str], list[Trouble]]:
    """Write `Endpoint(...)` for `comch.Channel(...)` where all uses of a variable take the same from the new module.

    Returns the edits, what each variable stands for, and the uses for which there is no such name.
    """
    expressions, taken, troubles = dict(edits.expressions), {}, []
    for variable in sorted(own, key=lambda variable: variable.name):
        named = [node for node, template in expressions.items() if "{comch}" in template.text]
        uses = [node for node in named if (root := root_of(node)) and names.of.get(root) is variable]
        found = {new for node in uses for new in _TAKEN.findall(expressions[node].text)}
        if len(found) != 1 or any(expressions[node].text.count("{comch}") != 1 for node in uses):
            troubles += [Trouble(node, "CCM004") for node in uses]
            continue
        taken[variable] = new = found.pop()
        for node in uses:
            text = expressions[node].text.replace(f"{{comch}}.{new}", variable.name)
            expressions[node] = expressions[node]._replace(text=text)
    return edits._replace(expressions=expressions), taken, troubles
