"""The C names of generation 1, and the core calls beside them, as Python functions.

Inputs stand in C order; an in/out parameter is an input and an output. The result is the code alone, or a tuple
of it and the outputs in C order, which are None on failure. NULL is None. No call raises a DocaError.

All but the two calls of the hot path are made from the fact tables, under every spelling that these know; so
are the DOCA_* constants.
"""

from collections.abc import Callable
from typing import Any

from comch_next import ErrorCode, InvalidValue, code_name, describe, log
from comch_next.arguments import Buffer
from comch_next.pull import quick_method
from comm_channel_compat import capabilities
from comm_channel_compat._devices import Device, DevInfo, RepInfo, Representor, devices
from comm_channel_compat._flatten import flatten
from comm_channel_compat._hot import INVALID_VALUE, RECVFROM_CODE, SENDTO_CODE, Received
from comm_channel_compat._tables import ALIASES, CONSTANTS, FUNCTIONS
from comm_channel_compat._warn import warns_as
from comm_channel_compat.endpoint import Endpoint
from comm_channel_compat.peer_addr import PeerAddr

_SUCCESS = int(ErrorCode.SUCCESS)
_PREFIX = "doca_comm_channel_"


# The hot path, written out


@warns_as("doca_comm_channel_ep_sendto")
@quick_method(SENDTO_CODE)
def doca_comm_channel_ep_sendto(
    local_ep: Endpoint,
    msg: Buffer,
    len: int,  # noqa: A002  # the C name
    flags: int,
    peer_addr: PeerAddr,
) -> int:
    """Queue a copy of the first `len` bytes of the message."""
    try:
        return local_ep._sendto_code(msg, len, flags, peer_addr)
    except (AttributeError, TypeError):  # no endpoint, or the class itself
        if isinstance(local_ep, Endpoint):
            raise
        return INVALID_VALUE


@warns_as("doca_comm_channel_ep_recvfrom")
@quick_method(RECVFROM_CODE)
def doca_comm_channel_ep_recvfrom(
    local_ep: Endpoint,
    len: int,  # noqa: A002  # the C name
    flags: int,
) -> Received:
    """The oldest message of up to `len` bytes: code, message, its length, peer."""
    try:
        return local_ep._recvfrom_code(len, flags)
    except (AttributeError, TypeError):  # no endpoint, or the class itself
        if isinstance(local_ep, Endpoint):
            raise
        return INVALID_VALUE, None, None, None


# The rest, from the tables


def _counted(call: Callable[..., list[Any]]) -> Callable[..., tuple[list[Any], int]]:
    def counted(*args: Any) -> tuple[list[Any], int]:
        found = call(*args)
        return found, len(found)

    return counted


def _sized(call: Callable[[Any], str]) -> Callable[[Any, int], str]:
    def sized(info: Any, size: int) -> str:
        value = call(info)
        if size <= len(value.encode()):
            raise InvalidValue(f"{value!r} and its NUL do not fit in {size} bytes")
        return value

    return sized


def _nothing(*_: object) -> None:
    """Done already."""


_CORE: dict[str, Callable[..., Any]] = {
    "doca_devinfo_create_list": _counted(devices),
    "doca_devinfo_destroy_list": _nothing,
    "doca_devinfo_rep_create_list": _counted(Device.representors),
    "doca_devinfo_rep_destroy_list": _nothing,
    "doca_dev_open": DevInfo.open,
    "doca_dev_close": Device.close,
    "doca_dev_rep_open": RepInfo.open,
    "doca_dev_rep_close": Representor.close,
    "doca_dev_as_devinfo": Device.as_devinfo,
    "doca_dev_rep_as_devinfo": Representor.as_devinfo,
    "doca_devinfo_get_iface_name": _sized(DevInfo.get_iface_name),
    "doca_devinfo_get_ibdev_name": _sized(DevInfo.get_ibdev_name),
    "doca_devinfo_rep_get_vuid": _sized(RepInfo.get_vuid),
    "doca_devinfo_rep_get_iface_name": _sized(RepInfo.get_iface_name),
    "doca_error_get_name": code_name,
    "doca_error_get_descr": describe,
    "doca_log_backend_create_standard": _nothing,
    "doca_log_backend_create_with_file": log.Backend,
    "doca_log_backend_create_with_file_sdk": log.Backend,
    "doca_log_backend_create_with_fd": log.Backend,
    "doca_log_backend_create_with_syslog": log.Backend,
    "doca_log_backend_set_level_lower_limit": log.Backend.set_level_lower_limit,
    "doca_log_backend_set_level_upper_limit": log.Backend.set_level_upper_limit,
    "doca_log_backend_set_sdk_level": log.Backend.set_sdk_level,
    "doca_log_level_get_global_lower_limit": lambda: log.standard.lower_limit,
    "doca_log_level_set_global_lower_limit": log.standard.set_level_lower_limit,
    "doca_log_level_set_global_upper_limit": log.standard.set_level_upper_limit,
    "doca_log_level_set_global_sdk_limit": log.standard.set_sdk_level,
    "doca_log_register_source": log.register_source,
    "doca_log_unregister_source": log.unregister_source,
}


def _generation_1(name: str) -> Callable[..., Any]:
    rest = name.removeprefix(_PREFIX)
    if rest == "ep_create":
        return Endpoint
    if rest == "ep_get_peer_addr_list":
        return _counted(Endpoint.get_peer_addr_list)
    homes: dict[str, Any] = {"peer_addr_": PeerAddr, "ep_": Endpoint, "": capabilities}
    prefix = next(prefix for prefix in homes if rest.startswith(prefix))
    call: Callable[..., Any] = getattr(homes[prefix], rest.removeprefix(prefix))
    return call


def _core(name: str) -> Callable[..., Any] | None:
    """The call of that name, where old scripts need it: the calls about infos are these classes' methods."""
    of_rep = getattr(RepInfo, name.removeprefix("doca_devinfo_rep_"), None)
    of_dev: Callable[..., Any] | None = getattr(DevInfo, name.removeprefix("doca_devinfo_"), None)
    return _CORE.get(name) or of_rep or of_dev


def DOCA_IS_ERROR(error: int) -> bool:
    """The macro: whether a code is anything but DOCA_SUCCESS."""
    return error != _SUCCESS


def DOCA_ERROR_PROPAGATE(first: int, then: int) -> int:
    """The macro's value: the first error of two codes."""
    return then if first == _SUCCESS else first


def _make() -> dict[str, Any]:
    made: dict[str, Any] = {
        written.__name__: written
        for written in (
            *(doca_comm_channel_ep_sendto, doca_comm_channel_ep_recvfrom),
            *(DOCA_IS_ERROR, DOCA_ERROR_PROPAGATE),
        )
    }
    for name, (returns, params) in FUNCTIONS.items():
        call = _generation_1(name) if name.startswith(_PREFIX) else _core(name)
        if call is not None and name not in made:
            made[name] = warns_as(name)(flatten(name, returns, params, call))
    made.update({alias: made[name] for alias, name in ALIASES.items() if name in made})
    return {**made, **CONSTANTS}


_made = _make()
globals().update(_made)
__all__ = sorted(_made)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # Python itself asks for such, at every import
        raise AttributeError(name)
    import difflib  # only here, for programs that ask in vain

    close = difflib.get_close_matches(name, _made, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise AttributeError(f"generation 1 has no {name!r}{hint}")
