"""Summaries: argparse, whose parsers of a project fill one namespace, and call what their options name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Class, Collection, Instance, Module, Plain, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.library import apply, argument, row, summary
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes

ARGUMENTS = Collection(ast.Constant(None), "arguments")


@summary(".set_defaults")
def _set_defaults(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.NONE)
    for name, slot in site.keywords.items():
        heap.flow(slot, heap.field(ARGUMENTS, name))


@summary(".add_argument")
def _add_argument(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.OTHER)
    kept = heap.field(ARGUMENTS, _destination(site))
    for name in ("default", "const"):
        heap.flow(site.keywords.get(name, heap.none if name == "default" else Slot()), kept)
    if "type" in site.keywords:
        apply(heap, site, site.keywords["type"], kept, heap.other)
    else:
        heap.add(kept, Plain.OTHER)
    if "action" in site.keywords:
        heap.watch(site.keywords["action"], lambda value: _act(heap, site, value))


def _act(heap: Attributes, site: Site, action: Value) -> None:
    """Call an object of the program's own class of actions, as the parser does."""
    if isinstance(action, Class):
        made = Slot()
        heap.call(heap.constant(action), Site(site.node, site.frame, keywords=site.keywords, result=made))
        apply(heap, site, made, Slot(), heap.other, heap.constant(ARGUMENTS), heap.other, heap.other)


def _destination(site: Site) -> str:
    """The name that the parser stores an option under, "*" when that is computed."""
    call = site.written or ast.Call(site.node, [], [])
    given = [keyword.value for keyword in call.keywords if keyword.arg == "dest"] or call.args
    words = [part.value for part in given if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    if len(words) < len(given) or not words:
        return "*"
    long = [word for word in words if word.startswith("--")]
    return (long or words)[0].lstrip("-").replace("-", "_")


@summary(".parse_args", ".parse_intermixed_args")
def _parse(heap: Attributes, site: Site) -> None:
    heap.add(site.result, ARGUMENTS)


@summary(".parse_known_args", ".parse_known_intermixed_args")
def _parse_known(heap: Attributes, site: Site) -> None:
    heap.flow(row(heap, site, heap.constant(ARGUMENTS), heap.other), site.result)


@summary("builtins.vars")
def _vars(heap: Attributes, site: Site) -> None:
    """Give the fields of a namespace or object as a dictionary; of anything else, what nobody knows."""

    def show(value: Value) -> None:
        if isinstance(value, Collection) and value.kind in ("namespace", "arguments"):
            heap.add(site.result, heap.dictionary(value))
        elif isinstance(value, Module) and value.path is not None:
            heap.namespace(value.path, site.result)
        elif isinstance(value, Instance):
            heap.sink(heap.constant(value), site.node)
            heap.own_dictionary(value, site.result)
        else:
            heap.sink(heap.constant(value), site.node)
            heap.add(site.result, Plain.UNKNOWN)

    heap.watch(argument(heap, site, 0), show)
    if not site.positional and isinstance(site.frame.node, ast.Module):
        heap.namespace(site.frame.path, site.result)
    elif not site.positional:
        heap.add(site.result, Plain.UNKNOWN)
