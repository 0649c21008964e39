"""Calls of Python's own library that may compare what they are given: all that are not known to leave it alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.facts.compared import BY_ARGUMENT, BY_ITEMS, NUMBERING, SETS, Place, Side, is_of_the_program, looked_for
from migrate.facts.forest import Forest, last_name
from migrate.facts.type_tests import TYPE_TESTS
from migrate.python.known_calls import APPLYING, LOOKING_UP, SHOWING
from migrate.python.values import Bound, External, Token, Value, Values

_OF_VALUES = ("builtins.", "operator.")  # functions that are given to others to be called with values
_OF_ERRORS = ("Error", "Exception", "Warning")
# What Python's own functions and methods never do: compare, hash or number what they are given.
_BLIND = SHOWING | LOOKING_UP | TYPE_TESTS | SETS | {name.rpartition(".")[2] for name in APPLYING}
_LEAVING = """
    ChainMap OrderedDict SimpleNamespace UserDict UserList WeakKeyDictionary WeakValueDictionary defaultdict dict
    deque list namedtuple tuple LifoQueue Queue SimpleQueue JoinableQueue MappingProxyType
    append appendleft clear copy extend extendleft get_nowait insert items keys popitem popleft put put_nowait
    reverse rotate send set values
    accumulate aiter all anext any as_completed batched chain combinations combinations_with_replacement cycle
    dropwhile enumerate filter filterfalse from_iterable islice iter len map next pairwise permutations product
    range reduce repeat reversed starmap sum takewhile tee zip zip_longest choice choices sample shuffle
    MethodType WeakMethod attrgetter bool callable cast closing deepcopy delattr dir dumps enter_async_context
    enter_context field finalize format itemgetter join methodcaller nullcontext partial partialmethod push
    push_async_exit ref replace setattr super type vars
    __init__ __new__ Process Thread Timer add_done_callback create_task ensure_future gather
    run run_coroutine_threadsafe run_until_complete set_exception set_result shield start start_new_thread wait
    wait_for
"""
_BLIND |= frozenset(_LEAVING.split())


def presumed(forest: Forest, values: Values) -> Iterator[Place]:
    """Yield the calls of Python's own library that are not known to leave alone what things are equal to.

    Those of functions that are called by another name, or given to such a function, among them.
    """
    numbered: list[tuple[ast.Call, Side]] = []
    for _, node in forest.nodes(ast.Call):
        called = values.of(node.func)
        if called and all(isinstance(value, Token) or is_of_the_program(value) for value in called):
            continue
        given = [values.of(part.value if isinstance(part, ast.Starred) else part) for part in node.args]
        if not NUMBERING.isdisjoint(called):
            numbered += [(node, side) for side in given[:1]]
        items = [values.iterated(side) for side in given]
        for value in called:
            yield from _presumed(node, value, given, items, values, is_named=True)
        for value in frozenset[Value]().union(*given):
            yield from _presumed(node, value, given, items, values)
    if numbered:
        yield Place(numbered[0][0], [side for _, side in numbered])


def _presumed(
    node: ast.Call,
    value: Value,
    given: Sequence[Side],
    items: Sequence[Side],
    values: Values,
    *,
    is_named: bool = False,
) -> Iterator[Place]:
    """Yield what a function of Python's own, by which or with which something is called, may compare.

    is_named: it is called here, and judged by its name if that is written.
    """
    function, bound = (value.function, value.arguments) if isinstance(value, Bound) else (value, ())
    dotted = function.name if isinstance(function, External) else ""
    name = dotted.rpartition(".")[2].removesuffix("()")
    is_judged = is_named and name == last_name(node.func) and (name in BY_ITEMS or (bound and name in BY_ARGUMENT))
    if not name or is_judged or name in _BLIND or name.endswith(_OF_ERRORS):
        return
    owner = frozenset(bound[:1])
    if name in BY_ARGUMENT:
        arguments = given if is_named else [*given, *items]
        owner, *wanted = [owner, *arguments] if bound else arguments or [owner]
        yield looked_for(node, frozenset[Value]().union(*wanted), owner, values, name)
    elif bound or is_named or dotted.startswith(_OF_VALUES):
        yield Place(node, [*given, *items, values.iterated(owner)])
