"""Makes C functions of Python calls: arguments checked by their C types, result codes instead of exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any, NamedTuple, NoReturn

from comch_next import DocaError, ErrorCode, InvalidValue
from comch_next.arguments import instance, integer, shown
from comch_next.pull import passing
from comm_channel_compat._old_calls import old_call
from comm_channel_compat._refusals import code_of

__all__ = ["Flat", "Types", "flat_names", "flatten", "no_attribute", "no_such_name"]

Flat = Callable[..., Any]
Signature = tuple[str, tuple[tuple[str, str, str], ...]]  # what it returns, and (name, direction, C type) of each

_BITS = {"uint8_t": 8, "int": 31, "uint16_t": 16, "uint32_t": 32, "uint64_t": 64, "size_t": 64}
# C functions beside the channel's, by the beginning of their names, and what a program in Python does instead.
_ABSENT = {
    "doca_argp_": "parse arguments with argparse",
    "doca_log": "log with logging, to a backend of doca_log_backend_create_with_file or the like",
    "doca_version": "it is the C library's; importlib.metadata.version has this package's",
    "doca_mmap_export_rdma": "it is for RDMA; doca_mmap_export_pci is for the other side",
    "doca_mmap_set_dmabuf_memrange": "it is for memory of graphics cards; doca_mmap_set_memrange takes a buffer",
    **dict.fromkeys(
        (f"doca_devinfo_get_{name}" for name in ("ipv", "mac_addr", "lid")), "it is a property of a port of the network"
    ),
    "doca_ctx_set_datapath_on_": "it is for kernels on another processor; see comch_next.dpa",
}
_OWN = ("union doca_data", "void *")  # of the program, which gets back what it gave
_ANYTHING = ("doca_error_t", "union doca_data")  # NULL included


class _Param(NamedTuple):
    """One C parameter; direction is "in", "out" or "in,out"."""

    name: str
    direction: str
    ctype: str

    @property
    def is_input(self) -> bool:
        return self.direction.startswith("in") or not self.is_output

    @property
    def is_output(self) -> bool:
        return self.direction.endswith("out") and self.ctype.endswith("*")  # what is passed by value stays what it is


class Types(NamedTuple):
    """What the C types of a generation are in Python."""

    handles: Mapping[str, type]  # pointer to a struct -> its class
    callbacks: Mapping[str, tuple[str, ...]] = {}  # type of a callback -> the C types of its parameters
    nulls: Mapping[tuple[str, str], type[DocaError] | None] = {}  # where NULL is not INVALID_VALUE; None: it is legal
    places: tuple[object, ...] = ()  # where calls without a handle are
    home: str = __name__  # the module that has the functions, where pickling looks for them

    def find(self, name: str, signature: Signature) -> Flat | None:
        """Return the Python call of a C function: a class, a method of its first argument, or a function."""
        params = [_Param(*row) for row in signature[1]]
        if name.endswith("_create"):
            return self.handles.get(params[-1].ctype.removesuffix("*")) if params else None
        owner = self.handles.get(params[0].ctype.removeprefix("const ")) if params else None
        words = name.split("_")
        rests = ["_".join(words[start:]) for start in range(1, len(words))]
        homes = self.places if owner is None else (owner, *self.places)
        found = (getattr(home, rest, None) for home in homes for rest in rests)
        return next(filter(callable, found), None)


def flat_names(
    functions: Mapping[str, Signature], types: Types, calls: Mapping[str, Flat], aliases: Mapping[str, str]
) -> dict[str, Flat]:
    """Make every function that has a Python call, under every spelling of its name; `calls` are those that are known.

    A call that is a C function already is taken as it is.
    """
    made: dict[str, Flat] = {}
    for name, signature in functions.items():
        call = calls.get(name) or types.find(name, signature)
        if call is not None:
            done = getattr(call, "__name__", "") == name
            made[name] = call if done else _old(name, signature, flatten(name, *signature, call, types))
    return {**made, **{alias: made[name] for alias, name in aliases.items() if name in made}}


def _old(name: str, signature: Signature, function: Flat) -> Flat:
    return old_call(name, is_coded=signature[0] == "doca_error_t")(function)


def no_such_name(generation: str, names: Iterable[str]) -> Callable[[str], Any]:
    """Make the `__getattr__` of a module of these C names: it raises the error for one that the module lacks."""

    def refuse(name: str) -> NoReturn:
        if name.startswith("__"):  # Python itself asks for such, at every import
            raise AttributeError(name)
        instead = next((reason for start, reason in _ABSENT.items() if name.startswith(start)), None)
        if instead:
            raise no_attribute(f"{generation} has no {name!r} in Python: {instead}", name)
        import difflib  # only here, for programs that ask in vain

        close = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise no_attribute(f"{generation} has no {name!r}{hint}", name)

    return refuse


def no_attribute(text: str, name: str) -> AttributeError:
    """The error for a missing name. Without `obj` the interpreter adds no suggestion of its own."""
    return AttributeError(text, name=name, obj=None)


def _take(function: str, param: _Param, value: Any, types: Types) -> object:
    """An argument as the Python call wants it, or the error that the C call has for it."""
    ctype = param.ctype.removeprefix("const ")
    if ctype in _ANYTHING:
        return value
    if value is None:
        refusal = types.nulls.get((function, param.name), InvalidValue)
        if refusal is not None:
            raise refusal(f"{function}: {param.name} is NULL")
        return None
    if ctype in types.handles:
        return instance(value, types.handles[ctype], param.name)
    if ctype in types.callbacks:
        return _plain_callback(function, param, value, types.callbacks[ctype])
    if ctype in _BITS:
        return integer(value, param.name, most=2 ** _BITS[ctype] - 1)
    if ctype == "char *" and not isinstance(value, (str, bytes)):
        raise InvalidValue(f"{function}: {param.name} is {shown(value)}; legal is text")
    return value


def _plain_callback(function: str, param: _Param, callback: Any, ctypes: tuple[str, ...]) -> Flat:
    if not callable(callback):
        raise InvalidValue(f"{function}: {param.name} is {shown(callback)}; legal is a function")
    return passing(lambda *args: tuple(map(_plain, args, ctypes)), callback)


def flatten(name: str, returns: str, rows: Iterable[tuple[str, str, str]], call: Flat, types: Types) -> Flat:
    """Make a C function: it takes the inputs in C order and returns the code alone, or with the outputs.

    `rows` are its parameters in C order, each (name, direction, C type). `call` takes the same inputs and returns
    the outputs: nothing, one, or a tuple. Of a function that has none it may return a code that is not a failure. A
    function whose C counterpart returns no result code returns its value; 0 or NULL on failure.
    """
    params = [_Param(*row) for row in rows]
    inputs = [param for param in params if param.is_input]
    outputs = [param.ctype.removesuffix("*").rstrip() for param in params if param.is_output]
    bare = returns != "doca_error_t"
    failed = 0 if returns in _BITS else None
    # Made beforehand: when there is no memory, there is none for a tuple either.
    no_memory = failed if bare else _with_outputs(int(ErrorCode.NO_MEMORY), (None,) * len(outputs))

    def run(args: tuple[Any, ...]) -> Any:
        try:
            taken = [_take(name, param, arg, types) for param, arg in zip(inputs, args, strict=True)]
            result = call(*taken)
        except DocaError as error:
            code = code_of(error)
            return failed if bare else _with_outputs(code, (None,) * len(outputs))
        except MemoryError:
            return no_memory
        if bare:
            return _plain(result, returns)
        if not outputs:
            return int(result) if isinstance(result, ErrorCode) else 0
        return _with_outputs(0, tuple(map(_plain, result if len(outputs) > 1 else (result,), outputs)))

    function = _with_parameters([param.name for param in inputs], run, returns)
    function.__name__ = function.__qualname__ = name
    function.__module__ = types.home
    function.__doc__ = _documentation(name, returns, params)
    return function


def _with_parameters(names: list[str], run: Callable[[tuple[Any, ...]], Any], returns: str) -> Flat:
    """Make a function with parameters of these names, which calls `run` with their values.

    Who watches its frames finds what the C function returns.
    """
    values = "".join(f"{name}, " for name in names)
    found = {"_run": run, "_returns": returns, "__name__": __name__}
    function: Flat = eval(f"lambda {', '.join(names)}: _run(({values}))", found)
    return function


def _documentation(name: str, returns: str, params: Iterable[_Param]) -> str:
    listed = ", ".join(f"{param.ctype} {param.name}".replace("* ", "*") for param in params)
    return f"C: {returns} {name}({listed})"


def _with_outputs(code: int, outputs: tuple[Any, ...]) -> Any:
    return (code, *outputs) if outputs else code


def _plain(value: Any, ctype: str) -> Any:
    """C has numbers where Python has bool and enums."""
    is_own = ctype.removeprefix("const ") in _OWN
    return int(value) if isinstance(value, (bool, IntEnum)) and not is_own else value
