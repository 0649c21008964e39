"""The old DOCA channel APIs on the modern one. Old programs import this package as ``doca_comm_channel``."""

# Named for the sections of the old guide, one file each:
#   capabilities  endpoint  peer_addr  event_channel  service_state      the objects
#   flat             the C names as functions, and every DOCA_* constant
#   libraries        where the C libraries lie that stand for DOCA's
#   __main__         runs an old script unchanged; behind it _launcher/, which needs none of the rest
# Behind them:
#   comch_next.Channel(one_sided=True), which answers as generation 1 did
#   _peers           peers by connection  _devices  the core calls      _flatten  makes a C function of a call
#   _refusals        codes in the place of exceptions
#   _old_calls       warnings and the report  _account  what a report tells       _report  its forms
#   _observed        what it tells tools of
#   _shim/           the one folder that the launcher puts on the path

from comm_channel_compat._launcher.python import is_running

if not is_running(__name__):  # the launcher replaces this process: what it imported would be waited for in vain
    from typing import TYPE_CHECKING

    from comch_next import __version__ as __version__
    from comch_next import errors, outcome
    from comch_next.errors import *
    from comm_channel_compat import _old_calls, flat
    from comm_channel_compat._conversion import unwrap, wrap
    from comm_channel_compat._devices import Device, DevInfo, RepInfo, Representor, devices, open_device
    from comm_channel_compat._flatten import no_such_name
    from comm_channel_compat._old_calls import LegacyCallWarning
    from comm_channel_compat.capabilities import (
        get_max_message_size,
        get_max_recv_queue_size,
        get_max_send_queue_size,
        get_max_service_name_len,
        get_service_max_num_connections,
    )
    from comm_channel_compat.endpoint import Endpoint
    from comm_channel_compat.flat import *
    from comm_channel_compat.peer_addr import PeerAddr

    __all__ = [
        "DevInfo",
        "Device",
        "Endpoint",
        "LegacyCallWarning",
        "PeerAddr",
        "RepInfo",
        "Representor",
        "devices",
        "get_max_message_size",
        "get_max_recv_queue_size",
        "get_max_send_queue_size",
        "get_max_service_name_len",
        "get_service_max_num_connections",
        "open_device",
        "outcome",
        "unwrap",
        "wrap",
    ]
    __all__ += errors.__all__
    __all__ += flat.__all__
    __all__.sort()
    if not TYPE_CHECKING:  # a type checker would take any name for one of the module
        __getattr__ = no_such_name(__name__, __all__)
    if _old_calls.report_file:  # now, under the import's lock: the first calls may be those of several threads
        from comm_channel_compat import _account

        _account.the_account()
