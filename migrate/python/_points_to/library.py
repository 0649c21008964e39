"""The table of what the standard library does with values: what it gives back, calls and keeps.

A summary is a function of (analysis, call); a method's has the object as its first argument. What is in no table gives
OTHER, and takes away what it is given when that could come back.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from migrate.python._points_to.domain import Collection, External, Instance, Plain, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes

Summary: TypeAlias = "Callable[[Attributes, Site], None]"

MAX_PLACE = 3
SUMMARIES: dict[str, Summary] = {}
_INERT = """
    time math os sys logging struct socket select re hashlib hmac secrets json zlib binascii string textwrap
    traceback warnings errno argparse pathlib shutil platform getpass uuid base64 typing abc enum
    tempfile subprocess io csv datetime shlex locale ssl resource mmap ctypes numbers fractions decimal pprint
    configparser doctest timeit cProfile pstats tracemalloc faulthandler linecache ipaddress urllib selectors
"""
_PLAIN = """
    abs all any ascii bin bool bytearray bytes callable chr compile complex delattr dir divmod exit quit float format
    hasattr hash help hex id input int isinstance issubclass len memoryview oct open ord pow print range repr round str
    object object.__init__ object.__init_subclass__ object.__eq__ object.__hash__ object.__repr__ slice type.__init__
"""
INERT = frozenset(_INERT.split())  # modules that keep nothing, call nothing and give nothing back
PLAIN = frozenset(f"builtins.{name}" for name in _PLAIN.split())


def summary(*names: str) -> Callable[[Summary], Summary]:
    """Enter a summary under names."""

    def enter(function: Summary) -> Summary:
        SUMMARIES.update(dict.fromkeys(names, function))
        return function

    return enter


def names(module: str, words: str) -> list[str]:
    """The names of a module, written in one string."""
    return [f"{module}.{word}" for word in words.split()]


# ---------------------------------------------------------------------- parts of summaries


def argument(heap: Attributes, site: Site, index: int, name: str = "") -> Slot:
    """The slot of an argument by its place or keyword; an empty one when it is not there."""
    if name in site.keywords:
        return site.keywords[name]
    for place, (slot, star) in enumerate(site.positional):
        if star:
            item = Slot()
            heap.unpack(slot, index - place, item)
            return item
        if place == index:
            return slot
    return Slot()


def behind(heap: Attributes, site: Site, index: int, result: Slot, name: str = "") -> None:
    """Call an argument with the arguments behind it."""
    by_name = name in site.keywords
    keywords = {key: slot for key, slot in site.keywords.items() if key != name}
    given = site.positional[index if by_name else index + 1 :]
    later = Site(site.node, site.frame, given, keywords, site.splats, result, called(site))
    heap.call(argument(heap, site, index, name), later)


def apply(heap: Attributes, site: Site, function: Slot, result: Slot, *arguments: Slot) -> None:
    """Call a slot with these arguments."""
    heap.call(
        function,
        Site(site.node, site.frame, [(slot, False) for slot in arguments], result=result, place=called(site)),
    )


def apply_star(heap: Attributes, site: Site, function: Slot, result: Slot, args: Slot, kwargs: Slot) -> None:
    """Call a slot with a tuple of arguments and a dictionary of keywords."""
    heap.call(
        function,
        Site(site.node, site.frame, [(args, True)], splats=[kwargs], result=result, place=called(site)),
    )


def called(site: Site) -> tuple[int | str, ...]:
    """The place of what is made in a call that the library makes; calls of calls of calls are one."""
    return (*site.place, "called")[:MAX_PLACE]


def given(heap: Attributes, site: Site, start: int = 0) -> list[Slot]:
    """The positional arguments from a place on; those behind a star are one, with what is in them."""
    return [elements(heap, slot) if star else slot for slot, star in site.positional[start:]]


def elements(heap: Attributes, *sources: Slot) -> Slot:
    """What iterating over slots gives."""
    slot = Slot()
    for source in sources:
        heap.iterate(source, slot)
    return slot


def owners(heap: Attributes, source: Slot, act: Callable[[Value], None]) -> None:
    """Act on everything in a slot that has contents."""

    def check(value: Value) -> None:
        if isinstance(value, Collection | Instance) or value is Plain.OTHER:
            act(value)

    heap.watch(source, check)


def awaited(heap: Attributes, source: Slot) -> Slot:
    """What awaiting a slot gives."""
    slot = Slot()
    heap.await_(source, slot)
    return slot


def new(heap: Attributes, site: Site, kind: str, *some: Slot) -> None:
    """Let the result be a collection with these elements."""
    collection, _ = heap.make(site.node, kind, site.frame, *some, place=site.place)
    heap.add(site.result, collection)


def row(heap: Attributes, site: Site, *items: Slot) -> Slot:
    """A slot with a tuple of these items, made by the call."""
    collection, contents = heap.make(site.node, "tuple", site.frame, place=(*site.place, "row"))
    contents.length = len(items)
    for index, item in enumerate(items):
        heap.flow(item, heap.item(contents, index))
    return heap.constant(collection)


# ---------------------------------------------------------------------- the plainest


def _inert(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.OTHER)


def _unknown(heap: Attributes, site: Site) -> None:
    heap.leave(site)


def _same(heap: Attributes, site: Site) -> None:
    heap.flow(argument(heap, site, 0), site.result)


def _decorator(heap: Attributes, site: Site) -> None:
    """Give back what is decorated; with keywords alone, what will."""
    if site.positional:
        heap.flow(argument(heap, site, 0), site.result)
    else:
        heap.add(site.result, External("identity"))


def _identity(heap: Attributes, site: Site) -> None:
    heap.add(site.result, External("identity"))


def _second(heap: Attributes, site: Site) -> None:
    heap.flow(argument(heap, site, 1), site.result)


def _exception(heap: Attributes, site: Site) -> None:
    """Keep the arguments of an exception in its `args`."""
    heap.add(site.result, Plain.OTHER)
    args, _ = heap.make(site.node, "tuple", site.frame, *given(heap, site))
    heap.add(heap.field(Plain.OTHER, "args"), args)


def _exception_of(heap: Attributes, site: Site) -> None:
    """Keep the arguments that a class of the program's own passes on."""

    def keep(value: Value) -> None:
        if isinstance(value, Instance):
            heap.keep_arguments(value, replace(site, positional=site.positional[1:]))

    heap.watch(argument(heap, site, 0), keep)


for _function, _words in {
    _inert: ".index .count"
    " .remove .discard .clear .isdisjoint .issubset .issuperset .startswith .endswith .task_done .qsize .empty .full"
    " .sort_keys .is_alive .is_set .wait .acquire .release .cancel .done .cancelled .fileno .assertEqual .assertIs"
    " .assertIsNone .assertIsNotNone .assertTrue .assertFalse .assertIn .assertNotIn .assertNotEqual .assertIsNot"
    " atexit.unregister .assertIsInstance .assertLess .assertGreater .subTest builtins.object"
    " contextlib.ExitStack contextlib.AsyncExitStack contextlib.suppress unittest.mock.Mock"
    " unittest.mock.MagicMock unittest.main logging.getLogger",
    _unknown: "builtins.eval builtins.exec"
    " importlib.reload pickle.dumps pickle.dump runpy.run_path runpy.run_module"
    " importlib.util.module_from_spec importlib.metadata.entry_points pkgutil.resolve_name",
    _identity: "typing.NewType functools.wraps",
    _decorator: "functools.lru_cache dataclasses.dataclass",
    _same: "identity functools.cache functools.total_ordering"
    " contextlib.contextmanager contextlib.asynccontextmanager typing.final typing.overload typing.no_type_check"
    " typing.runtime_checkable abc.abstractmethod abc.abstractproperty enum.unique"
    " weakref.proxy types.coroutine asyncio.coroutine .__iter__ .__aiter__"
    " unittest.skip unittest.expectedFailure functools.update_wrapper copy.copy .copy .__copy__ .getter"
    " .detach"
    " contextlib.AbstractContextManager.__enter__ contextlib.AbstractAsyncContextManager.__aenter__",
    _second: "typing.cast typing.assert_type asyncio.sleep",
}.items():
    summary(*_words.split())(_function)
for _name, _class in vars(builtins).items():
    if isinstance(_class, type) and issubclass(_class, BaseException):
        SUMMARIES[f"builtins.{_name}"] = _exception
        SUMMARIES[f"builtins.{_name}.__init__"] = _exception_of
