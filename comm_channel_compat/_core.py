"""The core calls that programs of every generation use: devices, the texts of codes, the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from comch_next import ErrorCode, InvalidValue, code_name, describe, log
from comch_next.declarations import core
from comm_channel_compat._devices import Device, DevInfo, RepInfo, Representor, devices
from comm_channel_compat._flatten import Flat, Signature, Types, flat_names

__all__ = ["HANDLES", "c_names", "counted"]

_SUCCESS = int(ErrorCode.SUCCESS)


def counted(call: Callable[..., list[Any]]) -> Callable[..., tuple[list[Any], int]]:
    """Make a call that returns a list return its length, too."""

    def with_length(*args: Any) -> tuple[list[Any], int]:
        values = call(*args)
        return values, len(values)

    return with_length


def _sized(call: Callable[[Any], str]) -> Callable[[Any, int], str]:
    def sized(info: Any, size: int) -> str:
        value = call(info)
        if size <= len(value.encode()):
            raise InvalidValue(f"{value!r} and its NUL do not fit in {size} bytes")
        return value

    return sized


def _close(opened: Device | Representor) -> None:
    """C refuses a second close."""
    opened.modern.close(strict=True)


def _nothing(*_: object) -> None:
    """Done already."""


def DOCA_IS_ERROR(error: int) -> bool:
    """The macro: whether a code is anything but DOCA_SUCCESS."""
    return error != _SUCCESS


def DOCA_ERROR_PROPAGATE(first: int, then: int) -> int:
    """The macro's value: the first error of two codes."""
    return then if first == _SUCCESS else first


_MACROS: Mapping[str, Flat] = {macro.__name__: macro for macro in (DOCA_IS_ERROR, DOCA_ERROR_PROPAGATE)}

HANDLES: Mapping[str, type] = {
    "struct doca_dev *": Device,
    "struct doca_dev_rep *": Representor,
    "struct doca_devinfo *": DevInfo,
    "struct doca_devinfo_rep *": RepInfo,
    "struct doca_devinfo **": list,
    "struct doca_devinfo_rep **": list,
    "struct doca_log_backend *": log.Backend,
}

# Those that are not methods of their first argument.
_CALLS: Mapping[str, Flat] = {
    "doca_devinfo_create_list": counted(devices),
    "doca_devinfo_destroy_list": _nothing,
    "doca_devinfo_rep_create_list": counted(Device.representors),
    "doca_devinfo_rep_destroy_list": _nothing,
    "doca_devinfo_get_iface_name": _sized(DevInfo.get_iface_name),
    "doca_devinfo_get_ibdev_name": _sized(DevInfo.get_ibdev_name),
    "doca_devinfo_rep_get_vuid": _sized(RepInfo.get_vuid),
    "doca_devinfo_rep_get_iface_name": _sized(RepInfo.get_iface_name),
    "doca_dev_close": _close,
    "doca_dev_rep_close": _close,
    "doca_error_get_name": code_name,
    "doca_error_get_descr": describe,
    "doca_log_backend_create_standard": _nothing,
    "doca_log_backend_create_with_file": log.Backend,
    "doca_log_backend_create_with_file_sdk": log.Backend,
    "doca_log_backend_create_with_fd": log.Backend,
    "doca_log_backend_create_with_syslog": log.Backend,
    "doca_log_level_get_global_lower_limit": lambda: log.standard.lower_limit,
    "doca_log_level_set_global_lower_limit": log.standard.set_level_lower_limit,
    "doca_log_level_set_global_upper_limit": log.standard.set_level_upper_limit,
    "doca_log_level_set_global_sdk_limit": log.standard.set_sdk_level,
    "doca_log_register_source": log.register_source,
    "doca_log_unregister_source": log.unregister_source,
}


class _Declarations(Protocol):
    """A module of comch_next.declarations."""

    FUNCTIONS: dict[str, Signature]
    ALIASES: dict[str, str]
    CONSTANTS: dict[str, int]


def c_names(generation: _Declarations, types: Types, calls: Mapping[str, Flat]) -> dict[str, Any]:
    """Make every C name of a generation and of the core calls beside it; `calls` are its known ones."""
    functions = {**generation.FUNCTIONS, **core.FUNCTIONS}
    aliases = {**generation.ALIASES, **core.ALIASES}
    named = flat_names(functions, types, {**_CALLS, **calls}, aliases)
    return {**_MACROS, **named, **core.CONSTANTS, **generation.CONSTANTS}
