"""Makes a C function of a Python call: arguments checked by their C types, result codes instead of exceptions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from comch_next import DocaError, ErrorCode, InvalidValue, NotConnected
from comch_next.api import Function, Param
from comch_next.log import Backend
from comm_channel_compat._arguments import instance, integer
from comm_channel_compat._devices import Device, DevInfo, RepInfo, Representor
from comm_channel_compat.endpoint import Endpoint
from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["flatten"]

Flat = Callable[..., Any]

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


def _take(function: str, param: Param, value: object) -> object:
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


def flatten(row: Function, call: Flat) -> Flat:
    """The C function of `row`: it takes the inputs in C order and gives the code alone, or with the outputs.

    `call` takes the same inputs and returns the outputs: nothing, one, or a tuple. A function whose C
    counterpart gives no result code gives its value, None on failure.
    """
    inputs, outputs = row.inputs, len(row.outputs)
    bare = row.returns != "doca_error_t"
    # Made beforehand: when there is no memory, there is none for a tuple either.
    no_memory = None if bare else _with_outputs(int(ErrorCode.NO_MEMORY), (None,) * outputs)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(param.name, kind) for param in inputs])

    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != len(inputs):
            try:
                args = signature.bind(*args, **kwargs).args
            except TypeError as error:
                raise TypeError(f"{row.name}: {error}") from None
        try:
            result = call(*(_take(row.name, *pair) for pair in zip(inputs, args, strict=True)))
        except DocaError as error:
            return None if bare else _with_outputs(int(error.code), (None,) * outputs)
        except MemoryError:
            return no_memory
        if bare:
            return _plain(result)
        values = () if outputs == 0 else result if outputs > 1 else (result,)
        return _with_outputs(0, tuple(map(_plain, values)))

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = _documentation(row)
    function.__signature__ = signature  # type: ignore[attr-defined]  # help() and bind() show the C inputs
    return function


def _documentation(row: Function) -> str:
    params = ", ".join(f"{param.ctype} {param.name}".replace("* ", "*") for param in row.params)
    return f"C: {row.returns} {row.name}({params})"


def _with_outputs(code: int, outputs: tuple[Any, ...]) -> Any:
    return (code, *outputs) if outputs else code


def _plain(value: Any) -> Any:
    """C has numbers where Python has bool and enums."""
    return int(value) if isinstance(value, (bool, IntEnum)) else value
