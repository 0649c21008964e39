"""The vocabulary of generation 2: doca_cc as in DOCA 2.5 and 2.6, and the core calls that its module has."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.old_api._tables import ALIASES, CONSTANTS, FUNCTIONS
from migrate.old_api.generation_1 import GENERATION_1
from migrate.old_api.vocabulary import Function, Parameter, Vocabulary

PREFIX = "doca_cc_"
_PACKAGE = "doca_cc"
# kind of a handle -> its class, and what the names of its functions begin with
_NOUNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "server": ("Server", ("doca_cc_server_",)),
    "client": ("Client", ("doca_cc_client_",)),
    "connection": ("Connection", ("doca_cc_connection_", "doca_cc_server_", "doca_cc_client_")),
    "producer": ("Producer", ("doca_cc_producer_",)),
    "consumer": ("Consumer", ("doca_cc_consumer_",)),
    "send_task": ("TaskSend", ("doca_cc_task_send_", "doca_cc_send_task_")),
    "producer_task": ("ProducerTaskSend", ("doca_cc_producer_task_send_", "doca_cc_producer_send_task_")),
    "post_task": ("ConsumerTaskPostRecv", ("doca_cc_consumer_task_post_recv_", "doca_cc_consumer_post_recv_task_")),
    "ctx": ("Context", ("doca_ctx_",)),
    "task": ("Task", ("doca_task_",)),
    "engine": ("ProgressEngine", ("doca_pe_",)),
    "mmap": ("Mmap", ("doca_mmap_",)),
    "inventory": ("BufInventory", ("doca_buf_inventory_",)),
    "buf": ("Buf", ("doca_buf_",)),
}
_CREATES = {
    "Server": "doca_cc_server_create",
    "Client": "doca_cc_client_create",
    "Producer": "doca_cc_producer_create",
    "Consumer": "doca_cc_consumer_create",
    "ProgressEngine": "doca_pe_create",
    "Mmap": "doca_mmap_create",
    "BufInventory": "doca_buf_inventory_create",
}
# What returns no code, and NULL for a handle that there is not.
NULLABLE = frozenset({"doca_cc_server_get_server_ctx", "doca_cc_client_get_client_ctx"})
_CORE = ("doca_ctx_", "doca_task_", "doca_pe_", "doca_mmap_", "doca_buf_")
_NOT_EXPORTED = frozenset(
    {
        "doca_buf_chain_list_tail",
        "doca_buf_inventory_expand",
        "doca_buf_list_is_first",
        "doca_buf_list_is_last",
        "doca_buf_set_data_len",
        "doca_ctx_cap_get_num_completion_vectors",
        "doca_ctx_set_completion_vector",
        "doca_ctx_set_datapath_on_dpa",
        "doca_ctx_set_datapath_on_gpu",
        "doca_mmap_dev_get_dpa_handle",
        "doca_mmap_enable_thread_safety",
        "doca_mmap_export_rdma",
        "doca_mmap_set_dmabuf_memrange",
        "doca_mmap_set_dpa_memrange",
        "doca_pe_set_event_mode",
        "doca_pe_set_notification_handle",
    }
)


def _function(generation: str, name: str) -> Function:
    returns, rows = FUNCTIONS[generation, name]
    return Function(name, tuple(Parameter(*row) for row in rows), returns)


def _shared() -> dict[str, Function]:
    """The core calls that generation 1 has, too."""
    return {name: function for name, function in GENERATION_1.flat.items() if not name.startswith("doca_comm_channel_")}


def _flat() -> dict[str, Function]:
    """Every C name of the module; an older spelling of a core call is the proper function."""
    own = {
        name: _function(generation, name)
        for generation, name in FUNCTIONS
        if generation == "cc" or (generation == "core" and name.startswith(_CORE) and name not in _NOT_EXPORTED)
    }
    return own | {alias: own[name] for alias, name in ALIASES.items() if name in own} | _shared()


def _methods(flat: dict[str, Function]) -> Iterator[tuple[tuple[str, str], Function]]:
    """The kind of its first argument has a function as a method, by its C name without prefix; the newest of two."""
    proper = [function for name, function in flat.items() if name == function.name]
    for function in reversed(proper):
        kind = function.kinds.get(function.receiver, "")
        prefixes = _NOUNS[kind][1] if kind in _NOUNS else ()
        prefix = next(filter(function.name.startswith, prefixes), "")
        if prefix:
            yield (kind, function.name.removeprefix(prefix)), function
    yield ("mmap", "create_from_export"), flat["doca_mmap_create_from_export"]


def _build() -> Vocabulary:
    flat = _flat()
    capabilities = {
        name.removeprefix(PREFIX).removeprefix("doca_"): function
        for name, function in flat.items()
        if name.startswith((PREFIX, "doca_mmap_")) and "cap_" in name
    }
    classes = {cls: kind for kind, (cls, _) in _NOUNS.items()}
    classes |= {cls: kind for cls, kind in GENERATION_1.classes.items() if kind not in ("endpoint", "peer")}
    constants = {name: value for (generation, name), value in CONSTANTS.items() if generation in ("cc", "core")}
    shared = {name: GENERATION_1.objects[name] for name in ("devices", "open_device")}
    objects = shared | capabilities | {cls: flat[name] for cls, name in _CREATES.items()}
    helpers, others = GENERATION_1.helpers - {"outcome"}, GENERATION_1.others | {"Event"}
    modules = {
        "": frozenset().union(flat, objects, classes, constants, GENERATION_1.errors, helpers, others),
        "flat": frozenset({*flat, *constants}),
        "capabilities": frozenset(capabilities),
    }
    kinds = {*classes.values()}
    methods = {key: function for key, function in GENERATION_1.methods.items() if key[0] in kinds}
    return Vocabulary(
        packages=dict.fromkeys((_PACKAGE, "comm_channel_compat.cc"), _PACKAGE),
        modules={(_PACKAGE, rest): names for rest, names in modules.items()},
        flat=flat,
        objects=objects,
        methods=methods | dict(_methods(flat)),
        classes=classes,
        constants=constants,
        errors=GENERATION_1.errors,
        builtin_errors=GENERATION_1.builtin_errors,
        helpers=helpers,
        others=others,
    )


GENERATION_2 = _build()
