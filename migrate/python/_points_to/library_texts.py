"""Summaries: what makes texts, and what writes, logs and catches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Instance, Plain, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.library import SUMMARIES, Summary, argument, names, row, summary
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes


# ---------------------------------------------------------------------- making


@summary(
    *names("builtins", "str repr ascii format bytes"), *names("textwrap", "shorten fill wrap indent dedent"),
    *names("traceback", "format_exception format_exception_only TracebackException TracebackException.from_exception"),
    "pprint.pformat", "pprint.saferepr", "reprlib.repr", "json.dumps", "html.escape", "re.sub", "re.escape",
    "shlex.quote", ".format_map", ".substitute", ".safe_substitute", ".writerow", ".writerows",
)  # fmt: skip
def _text(heap: Attributes, site: Site) -> None:
    """Make a text of everything that is given."""
    heap.add(site.result, Plain.OTHER)
    _show(heap, site, site.result)


@summary(".join")
def _join(heap: Attributes, site: Site) -> None:
    """Make one text of many, which takes nothing but texts; or wait for a queue, of which nothing is shown."""
    heap.add(site.result, Plain.OTHER)
    _take_texts(heap, site, site.result)


@summary(".format")
def _format(heap: Attributes, site: Site) -> None:
    """Fill a text; or a formatter or handler of logging formats a record."""

    def formats(value: Value) -> None:
        if isinstance(value, Instance):
            heap.flow(heap.output, site.result)

    _text(heap, site)
    heap.watch(argument(heap, site, 0), formats)


def _show(heap: Attributes, site: Site, result: Slot) -> None:
    _take_texts(heap, site, result)
    heap.shows += [(site.node, slot) for slot, star in site.positional if not star]
    heap.shows += [(site.node, slot) for slot in site.keywords.values()]


def _take_texts(heap: Attributes, site: Site, result: Slot) -> None:
    for slot in site.slots():
        heap.show(slot, result)
    for node in site.written.args if site.written else ():
        heap.show_caught(site.frame, node, result)


# ---------------------------------------------------------------------- writing


def _writes(text: Summary) -> Summary:
    def write(heap: Attributes, site: Site) -> None:
        heap.add(site.result, Plain.OTHER)
        _show(heap, site, heap.output)
        text(heap, site)

    return write


def _plain(heap: Attributes, site: Site) -> None:
    if "exc_info" in site.keywords:
        _traceback(heap, site)


def _traceback(heap: Attributes, site: Site) -> None:
    error = Slot()
    heap.handled(site.frame, site.node, error)
    heap.show(error, heap.output)


def _logged(heap: Attributes, site: Site) -> None:
    """Log a message with the traceback; or give the exception of a future."""
    _traceback(heap, site)
    if len(site.positional) == 1 and not site.keywords:
        heap.in_flight(site.result)


_LEVELS = "debug info warning warn error critical fatal log"
for _name in (*names("", _LEVELS), *names("logging", _LEVELS), "builtins.print", ".write", ".writelines", ".print"):
    SUMMARIES[_name] = _writes(_plain)
for _name in (".exception", "logging.exception"):
    SUMMARIES[_name] = _writes(_logged)
SUMMARIES["traceback.print_exc"] = SUMMARIES["traceback.print_exception"] = _writes(_traceback)


# ---------------------------------------------------------------------- reading


@summary(*names("", "getvalue getMessage formatException formatMessage readouterr"))
def _written(heap: Attributes, site: Site) -> None:
    """Give what was written anywhere."""
    heap.add(site.result, Plain.OTHER)
    heap.flow(heap.output, site.result)


@summary("traceback.format_exc")
def _format_exc(heap: Attributes, site: Site) -> None:
    error = Slot()
    heap.handled(site.frame, site.node, error)
    heap.add(site.result, Plain.OTHER)
    heap.show(error, site.result)


@summary("warnings.warn")
def _warns(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.OTHER)
    _show(heap, site, heap.output)
    _show(heap, site, heap.field(Plain.OTHER, "message"))  # of what `catch_warnings` records


@summary("sys.exception")
def _exception(heap: Attributes, site: Site) -> None:
    heap.add_all(site.result, (Plain.OTHER, Plain.NONE))
    heap.handled(site.frame, site.node, site.result)


@summary("sys.exc_info")
def _exc_info(heap: Attributes, site: Site) -> None:
    error = Slot()
    _exception(heap, Site(site.node, site.frame, result=error))
    heap.flow(row(heap, site, heap.other, error, heap.other), site.result)


def _expecting(name: str, kinds: int) -> Summary:
    """A context manager that keeps what it catches, or what is logged meanwhile, under a name."""

    def expect(heap: Attributes, site: Site) -> None:
        calls(heap, site)
        kept, _ = heap.make(site.node, "namespace", site.frame)
        heap.add(heap.field(kept, name), Plain.OTHER)
        heap.caught(argument(heap, site, kinds), heap.field(kept, name))
        if len(site.positional) == kinds + 1:
            heap.add(site.result, kept)

    calls = SUMMARIES["pytest.raises" if kinds == 0 else ".assertRaises"]
    return expect


for _name in (".assertRaises", ".assertRaisesRegex"):
    SUMMARIES[_name] = _expecting("exception", 1)
SUMMARIES["pytest.raises"] = _expecting("value", 0)


@summary(".assertLogs")
def _logs(heap: Attributes, site: Site) -> None:
    kept, _ = heap.make(site.node, "namespace", site.frame)
    heap.flow(heap.output, heap.field(kept, "output"))
    heap.add(site.result, kept)
