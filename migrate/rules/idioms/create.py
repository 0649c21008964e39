"""Pass the options to the constructor, in place of statements right after it that set them one by one.

Needs: nothing stands between; no value is None, which the constructor takes for unset, and each may be evaluated
earlier; nothing reads the context when one of the options has been refused.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping

from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP, OPEN_DEVICE, OPEN_REPRESENTOR
from migrate.rules._roles import CREATE
from migrate.rules.idioms._site import Idiom, Site
from migrate.text.code import Edits, Template

_HANDLES = {"device": "device", "device_rep": "representor"}
_SIZES = ("max_msg_size", "send_queue_size", "recv_queue_size")
_OPTIONS = {f"{EP}set_{option}": option for option in (*_HANDLES, *_SIZES)}
_OPENING = frozenset({OPEN_DEVICE, OPEN_REPRESENTOR})
_ONE_SIDED = "one_sided=True)"


class Options(Idiom):
    """The setters behind a constructor."""

    code = "CCM102"
    marks_taken = True

    def __call__(self, site: Site) -> Edits | None:
        template, target = site.change.edits.expressions.get(site.call.node), site.target
        if template is None or target is None or site.call.returns_code or not takes_options(template):
            return None
        setters = list(self._setters(site, target))
        values = options(site, [call for _, call in setters])
        statements = [statement for statement, _ in setters][: len(values)]
        if not values or not self._is_unread(site, statements[0]):
            return None
        return Edits({site.call.node: with_options(template, values)}, dict.fromkeys(statements, Template("")))

    def _setters(self, site: Site, target: ast.expr) -> Iterator[tuple[ast.stmt, Call]]:
        for statement in site.behind(site.statement):
            call = site.facts.calls.get(statement.value) if isinstance(statement, ast.Expr) else None  # type: ignore[call-overload]
            if call is None or call.returns_code or not is_setter(site, call, target):
                return
            if not site.source.is_alone(statement):
                return
            yield statement, call

    def _is_unread(self, site: Site, failing: ast.stmt) -> bool:
        """Whether nothing reads the context once an option has been refused."""
        origins: frozenset[Hashable] = frozenset({site.call.node})
        region = site.aftermath.region(failing, origins)
        return region is not None and not site.aftermath.is_used(region, origins, "endpoint")


def is_setter(site: Site, call: Call, target: ast.expr) -> bool:
    """Whether a call sets an option of the context that a target holds."""
    return call.function in _OPTIONS and site.is_same(call.receiver, target)


def options(site: Site, setters: Iterable[Call]) -> dict[str, ast.expr]:
    """Return the options that a constructor can take over from the first of the calls that set them."""
    values: dict[str, ast.expr] = {}
    for call in setters:
        option = _OPTIONS[call.function]
        if option in values or not _is_given(site, option, call.arguments[option], list(values)):
            break
        values[option] = call.arguments[option]
    return values


def _is_given(site: Site, option: str, value: ast.expr, before: list[str]) -> bool:
    """Whether a value is certainly one, and evaluating it before the constructor is what it was after it."""
    facts = site.facts
    if option in _SIZES:
        return type(facts.constant(value)) is int
    if option == "device" and not set(before).isdisjoint(_SIZES):
        return False  # the constructor would measure the sizes by it
    if facts.kinds(value) != {_HANDLES[option]} or facts.may_be_none(value):
        return False
    opening = facts.calls.get(value) if isinstance(value, ast.Call) else None
    if opening is None:
        return facts.is_simple(value) and not isinstance(value, ast.Constant)
    is_first = set(before).isdisjoint(_SIZES)  # else a size is refused before anything is opened
    return opening.function in _OPENING and is_first and all(map(facts.is_simple, opening.arguments.values()))


def takes_options(template: Template) -> bool:
    """Whether a template makes a context, with nothing but the default options."""
    return template.text.endswith(_ONE_SIDED)


def with_options(template: Template, values: Mapping[str, ast.expr]) -> Template:
    """Return the template with options."""
    given = ", ".join(f"{option}={{{option}}}" for option in values)
    return Template(template.text.removesuffix(_ONE_SIDED) + f"{given}, {_ONE_SIDED}", values)


IDIOMS: dict[str, Idiom] = {CREATE: Options()}
