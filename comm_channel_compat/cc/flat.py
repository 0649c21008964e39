"""The C names of generation 2, of DOCA 2.5 and of 2.6, and the core calls beside them, as Python functions.

Inputs are in C order. The result is the code alone, or a tuple of it and the outputs in C order, which are None on
failure; where C returns no code it is the value alone. NULL is None. No call raises a DocaError, except that progress
raises what a callback has raised.

All functions but progress are made from the fact tables, under every spelling there; so are the DOCA_* constants.
"""

from typing import Any

from comch_next import ErrorCode, State
from comch_next.declarations import cc, core
from comm_channel_compat import _core
from comm_channel_compat._flatten import Flat, Types, no_such_name
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc import capabilities
from comm_channel_compat.cc.client import Client
from comm_channel_compat.cc.connection import Connection
from comm_channel_compat.cc.consumer import Consumer
from comm_channel_compat.cc.context import Context
from comm_channel_compat.cc.engine import ProgressEngine
from comm_channel_compat.cc.memory import Buf, BufInventory, Mmap
from comm_channel_compat.cc.producer import Producer
from comm_channel_compat.cc.server import Server
from comm_channel_compat.cc.task import ConsumerTaskPostRecv, ProducerTaskSend, Task, TaskSend


@old_call("doca_pe_progress")
def doca_pe_progress(pe: ProgressEngine) -> int:
    """Run the callback of one task or event, if there is one; return 1 if anything moved. Raises as the callback."""
    return int(pe._compat_progress_unless_refused()) if isinstance(pe, ProgressEngine) else 0


def _start(ctx: Context) -> ErrorCode:
    return ErrorCode.IN_PROGRESS if ctx.start() is State.STARTING else ErrorCode.SUCCESS


def _stop(ctx: Context) -> ErrorCode:
    return ErrorCode.SUCCESS if ctx.stop() is State.IDLE else ErrorCode.IN_PROGRESS


def _export_pci(mmap: Mmap, dev: Any) -> tuple[bytes, int]:
    described = mmap.export_pci(dev)
    return described, len(described)


_TYPES = Types(
    handles={
        **_core.HANDLES,
        "struct doca_pe *": ProgressEngine,
        "struct doca_ctx *": Context,
        "struct doca_task *": Task,
        "struct doca_mmap *": Mmap,
        "struct doca_buf_inventory *": BufInventory,
        "struct doca_buf *": Buf,
        "struct doca_cc_server *": Server,
        "struct doca_cc_client *": Client,
        "struct doca_cc_connection *": Connection,
        "struct doca_cc_producer *": Producer,
        "struct doca_cc_consumer *": Consumer,
        # as DOCA 2.6 named the tasks, and as 2.5 did
        "struct doca_cc_task_send *": TaskSend,
        "struct doca_cc_send_task *": TaskSend,
        "struct doca_cc_producer_task_send *": ProducerTaskSend,
        "struct doca_cc_producer_send_task *": ProducerTaskSend,
        "struct doca_cc_consumer_task_post_recv *": ConsumerTaskPostRecv,
        "struct doca_cc_consumer_post_recv_task *": ConsumerTaskPostRecv,
    },
    callbacks={**core.CALLBACKS, **cc.CALLBACKS},
    nulls={
        ("doca_mmap_create_from_export", "user_data"): None,
        ("doca_mmap_set_free_cb", "opaque"): None,
    },
    places=(capabilities,),
    home=__name__,
)
_CALLS: dict[str, Flat] = {
    "doca_pe_progress": doca_pe_progress,
    "doca_ctx_start": _start,
    "doca_ctx_stop": _stop,
    "doca_mmap_create_from_export": Mmap.create_from_export,
    "doca_mmap_export_pci": _export_pci,
}
_made = _core.c_names(cc, _TYPES, _CALLS)
globals().update(_made)
__all__ = sorted(_made)
__getattr__ = no_such_name("generation 2", _made)
