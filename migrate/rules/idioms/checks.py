"""Raise and catch once, in place of flat calls in a row whose codes are each checked to leave in the same way.

Needs: the checks only leave (they print, close, return, raise or exit), with the same statements; after them nothing
reads the code other than as SUCCESS, nor the outputs of a failed call; nothing else stands between the calls, whose
arguments raise nothing of their own. Setters after a constructor and the wait after a connect are included.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP
from migrate.old_api.generations import VOCABULARY
from migrate.rules._roles import CREATE
from migrate.rules.idioms._checked import Pair, Step, parse
from migrate.rules.idioms._leaving import Leaving
from migrate.rules.idioms._loop import code_of
from migrate.rules.idioms._reading import Reading
from migrate.rules.idioms._site import Idiom, Site
from migrate.rules.idioms.connect import for_ever, is_left, waits_for
from migrate.rules.idioms.create import is_setter, options, takes_options, with_options
from migrate.text.code import Edits, Template


@dataclass(frozen=True)
class _Part:
    """A step, and what goes along with it."""

    step: Step
    value: Template
    pairs: Sequence[Pair]
    setters: Sequence[Call] = ()

    def text(self) -> Template:
        """Return the statement that takes the place of all."""
        return replace(self.step, value=self.value).text()


class Checks(Idiom):
    """A run of calls and their checks."""

    code = "CCM105"
    marks_taken = True

    def __call__(self, site: Site) -> Edits | None:
        if not site.call.returns_code or not site.quiet.is_called_inside(site.call.node):
            return None
        parts = list(self._parts(site))
        pairs = [pair for part in parts for pair in part.pairs]
        if len(pairs) < 2:
            return None
        leaving = Leaving(site, pairs[-1].check, parts[0].step.code.id)
        reading = Reading(site, [part.step for part in parts], pairs)
        if not leaving.is_plain or not reading.is_possible:
            return None
        statements = dict.fromkeys((statement for pair in pairs for statement in pair), Template(leaving.unit))
        for part in parts:
            text = part.text()
            statements[part.step.statement] = Template(leaving.unit + text.text, text.parts)
        first = statements[parts[0].step.statement]
        statements[parts[0].step.statement] = Template(f"try:{leaving.newline}{first.text}", first.parts)
        statements[pairs[-1].check] = leaving.handler()
        expressions: dict[ast.expr, Template] = leaving.codes()
        expressions |= dict.fromkeys(reading.successes, Template("{comch}.ErrorCode.SUCCESS"))
        return Edits(expressions, statements)

    def _parts(self, site: Site) -> Iterator[_Part]:
        """Yield the parts of the run that a call begins."""
        start = site.loop.statement if site.loop is not None else site.statement
        block = [start, *site.behind(start)]
        last: _Part | None = None
        for statement, check in zip(block[::2], block[1::2], strict=False):
            if not isinstance(check, ast.If) or (last is not None and not _is_like(check, last.pairs[0].check)):
                break
            if statement in site.polls.steps:
                break  # which goes with what it waits for
            pair = Pair(statement, check)
            joined = self._joined(site, last, pair) if last is not None else None
            if joined is None:
                step = parse(site, pair)
                if step is None or not all(map(site.quiet.is_harmless, step.value.parts.values())):
                    break
                if last is not None:
                    if step.code.id != last.step.code.id:
                        break
                    yield last
                joined = _Part(step, step.value, [pair])
            last = joined
        if last is not None:
            yield last

    def _joined(self, site: Site, last: _Part, pair: Pair) -> _Part | None:
        """Return a part with one more pair, which goes along with it."""
        call, target = last.step.call, next(iter(last.step.targets), None)
        own = replace(site, call=call, change=site.changes[call.node])
        if target is None:
            return None
        if call.function == EP + "connect":
            loop, waiting = waits_for(own, pair.statement, target), for_ever(last.value)
            if loop is None or waiting is None or code_of(loop.target) != last.step.code.id or loop.tail is not None:
                return None
            if not own.is_undisturbed or not is_left(own, loop.statement, [pair.check.body[0]]):
                return None
            return replace(last, value=waiting, pairs=[*last.pairs, pair])
        step = parse(site, pair)
        if step is None or call.function != CREATE or not takes_options(last.step.value):
            return None
        setters = [*last.setters, step.call]
        if step.targets or not is_setter(site, step.call, target) or step.code.id != last.step.code.id:
            return None
        values = options(site, setters)
        if len(values) < len(setters):
            return None
        return _Part(last.step, with_options(last.step.value, values), [*last.pairs, pair], setters)


def _is_like(check: ast.If, first: ast.If) -> bool:
    """Whether two checks leave in the same words."""
    return list(map(ast.dump, check.body)) == list(map(ast.dump, first.body))


IDIOMS: dict[str, Idiom] = {function.name: Checks() for function in VOCABULARY.flat.values()}
