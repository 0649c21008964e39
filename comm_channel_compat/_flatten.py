"""Makes a C function of a Python call: arguments checked by their C types, result codes instead of exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, NamedTuple

from comch_next import DocaError, ErrorCode, InvalidValue, NotConnected
from comch_next.arguments import instance, integer
from comch_next.log import Backend
from comm_channel_compat._devices import Device, DevInfo, RepInfo, Representor
from comm_channel_compat.endpoint import Endpoint
from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["flatten"]

Flat = Callable[..., Any]


class _Param(NamedTuple):
    """One C parameter; direction is "in", "out" or "in,out"."""

    name: str
    direction: str
    ctype: str


_HANDLES: dict[str, type] = {
    "struct doca_comm_channel_ep_t *": Endpoint,
    "struct doca_comm_channel_addr_t *": PeerAddr,
    "struct doca_dev *": Device,
    "struct doca_dev_rep *": Representor,
    "struct doca_devinfo *": DevInfo,
    "struct doca_devinfo_rep *": RepInfo,
    "struct doca_devinfo **": list,
    "struct doca_devinfo_rep **": list,
    "struct doca_log_backend *": Backend,
}
_BITS = {"int": 31, "uint16_t": 16, "uint32_t": 32, "uint64_t": 64, "size_t": 64}


def _take(function: str, param: _Param, value: object) -> object:
    """An argument as the Python call wants it, or the error that the C call has for it."""
    ctype = param.ctype.removeprefix("const ")
    if ctype == "doca_error_t":
        return value
    if value is None and function == "doca_comm_channel_ep_destroy":
        raise NotConnected(f"{function}: {param.name} is NULL")
    if value is None and function == "doca_comm_channel_ep_disconnect" and param.name == "peer_addr":
        return None  # which is refused by the state of the endpoint
    if value is None:
        raise InvalidValue(f"{function}: {param.name} is NULL")
    if ctype in _HANDLES:
        return instance(value, _HANDLES[ctype], param.name)
    if ctype in _BITS:
        return integer(value, param.name, most=2 ** _BITS[ctype] - 1)
    if ctype == "char *" and not isinstance(value, (str, bytes)):
        raise InvalidValue(f"{function}: {param.name} is {value!r}; legal is text")
    return value


def flatten(name: str, returns: str, rows: Iterable[tuple[str, str, str]], call: Flat) -> Flat:
    """Make a C function: it takes the inputs in C order and returns the code alone, or with the outputs.

    `rows` are its parameters in C order, each (name, direction, C type). `call` takes the same inputs and returns
    the outputs: nothing, one, or a tuple. A function whose C counterpart returns no result code returns its value,
    None on failure.
    """
    params = [_Param(*row) for row in rows]
    inputs = [param for param in params if param.direction.startswith("in")]
    outputs = sum(param.direction.endswith("out") for param in params)
    bare = returns != "doca_error_t"
    # Made beforehand: when there is no memory, there is none for a tuple either.
    no_memory = None if bare else _with_outputs(int(ErrorCode.NO_MEMORY), (None,) * outputs)

    def run(args: tuple[Any, ...]) -> Any:
        try:
            result = call(*(_take(name, *pair) for pair in zip(inputs, args, strict=True)))
        except DocaError as error:
            return None if bare else _with_outputs(int(error.code), (None,) * outputs)
        except MemoryError:
            return no_memory
        if bare:
            return _plain(result)
        values = () if outputs == 0 else result if outputs > 1 else (result,)
        return _with_outputs(0, tuple(map(_plain, values)))

    function = _with_parameters([param.name for param in inputs], run)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _documentation(name, returns, params)
    return function


def _with_parameters(names: list[str], run: Callable[[tuple[Any, ...]], Any]) -> Flat:
    """Make a function with parameters of these names, which calls `run` with their values."""
    values = "".join(f"{name}, " for name in names)
    function: Flat = eval(f"lambda {', '.join(names)}: _run(({values}))", {"_run": run, "__name__": __name__})
    return function


def _documentation(name: str, returns: str, params: Iterable[_Param]) -> str:
    listed = ", ".join(f"{param.ctype} {param.name}".replace("* ", "*") for param in params)
    return f"C: {returns} {name}({listed})"


def _with_outputs(code: int, outputs: tuple[Any, ...]) -> Any:
    return (code, *outputs) if outputs else code


def _plain(value: Any) -> Any:
    """C has numbers where Python has bool and enums."""
    return int(value) if isinstance(value, (bool, IntEnum)) else value
