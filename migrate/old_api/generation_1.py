"""The vocabulary of generation 1: doca_comm_channel, and the core calls that its module has."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.old_api._tables import ALIASES, CONSTANTS, ERROR_CLASSES, FUNCTIONS
from migrate.old_api.vocabulary import Function, Parameter, Vocabulary

EP = "doca_comm_channel_ep_"
PEER = "doca_comm_channel_peer_addr_"
CAPABILITY = "doca_comm_channel_get_"
# Functions that only the objects spelling has.
OPEN_DEVICE, OPEN_REPRESENTOR = "open_device", "open_representor"

_PACKAGE = "doca_comm_channel"
_CORE = ("doca_devinfo_", "doca_dev_", "doca_error_", "doca_get_error_", "doca_log_")
_NOT_EXPORTED = frozenset(
    {
        "doca_dev_accelerate_resource_reclaim",
        "doca_devinfo_cap_is_accelerate_resource_reclaim_supported",
        "doca_devinfo_cap_is_hotplug_manager_supported",
        "doca_devinfo_cap_is_notification_moderation_supported",
        "doca_devinfo_get_active_rate",
        "doca_devinfo_get_ipv4_addr",
        "doca_devinfo_get_ipv6_addr",
        "doca_devinfo_get_is_hotplug_manager_supported",
        "doca_devinfo_get_is_mmap_export_dpu_supported",
        "doca_devinfo_get_is_mmap_from_export_dpu_supported",
        "doca_devinfo_get_lid",
        "doca_devinfo_get_mac_addr",
        "doca_devinfo_get_pci_func_type",
        "doca_devinfo_get_sf_index",
        "doca_devinfo_get_vhca_id",
        "doca_log_backend_create_with_buf",
        "doca_log_create_buffer_backend",
    }
)
_CODE, _NUMBER = "doca_error_t", "int"
MACROS = {
    "DOCA_IS_ERROR": Function("DOCA_IS_ERROR", (Parameter("error", "in", _CODE),), "bool"),
    "DOCA_ERROR_PROPAGATE": Function(
        "DOCA_ERROR_PROPAGATE", (Parameter("first", "in", _CODE), Parameter("then", "in", _CODE)), _NUMBER
    ),
}
_CLASSES = {
    "Endpoint": "endpoint",
    "PeerAddr": "peer",
    "Device": "device",
    "Representor": "representor",
    "DevInfo": "devinfo",
    "RepInfo": "repinfo",
}
_CATCHING_MANY = ("BaseException", "ConnectionError", "EnvironmentError", "Exception", "IOError", "OSError")
# Python's own exception classes, and the error classes that extend them; TimeOut is left out, as nothing waits.
BUILTIN_ERRORS = {
    "BlockingIOError": {"Again", "ConnectionInprogress", "InProgress"},
    "BrokenPipeError": {"Shutdown"},
    "ConnectionAbortedError": {"ConnectionAborted"},
    "ConnectionResetError": {"ConnectionReset"},
    "FileExistsError": {"AlreadyExist"},
    "LookupError": {"NotFound", "Empty"},
    "MemoryError": {"NoMemory"},
    "NotImplementedError": {"NotSupported"},
    "PermissionError": {"NotPermitted", "Authentication"},
    "RuntimeError": {"Unknown", "InUse", "NotSupported", "Initialization", "BadState", "UnsupportedVersion", "Driver",
                     "Unexpected", "Full", "Skipped"},
    "ValueError": {"InvalidValue", "TooBig", "BadConfig"},
    **{name: {"DocaError"} for name in _CATCHING_MANY},
}  # fmt: skip
OWN = {  # what has no C function
    OPEN_DEVICE: (("pci_addr", "in", "const char *"), ("dev", "out", "struct doca_dev **")),
    OPEN_REPRESENTOR: (
        ("dev", "in", "struct doca_dev *"),
        ("pci_addr", "in", "const char *"),
        ("dev_rep", "out", "struct doca_dev_rep **"),
    ),
}


def _function(generation: str, name: str) -> Function:
    returns, rows = FUNCTIONS[generation, name]
    return Function(name, tuple(Parameter(*row) for row in rows), returns)


def _flat() -> dict[str, Function]:
    """Every C name of the module; an older spelling is the proper function."""
    exported = {
        name: generation
        for generation, name in FUNCTIONS
        if generation == "comm_channel"
        or (generation == "core" and name.startswith(_CORE) and name not in _NOT_EXPORTED)
    }
    functions = {name: _function(generation, name) for name, generation in exported.items()}
    return functions | {alias: functions[name] for alias, name in ALIASES.items() if name in functions} | MACROS


_RENAMED = {"doca_devinfo_rep_create_list": "representors"}
_PREFIXES = ("doca_devinfo_rep_", "doca_devinfo_", "doca_dev_rep_", "doca_dev_", EP, PEER)


def _methods(flat: dict[str, Function], own: dict[str, Function]) -> Iterator[tuple[tuple[str, str], Function]]:
    """The kind of its first argument has a function as a method, by its C name without prefix."""
    names = {name: next(filter(name.startswith, _PREFIXES), "") for name, row in flat.items() if name == row.name}
    for name, prefix in names.items():
        function = flat[name]
        if prefix and function.receiver:
            rest = name.removeprefix("doca_devinfo_" if name.startswith("doca_devinfo_rep_cap_") else prefix)
            yield (function.kinds[function.receiver], _RENAMED.get(name, rest)), function
    yield ("device", "open_representor"), own[OPEN_REPRESENTOR]


def _build() -> Vocabulary:
    flat = _flat()
    own = {name: Function(name, tuple(Parameter(*row) for row in rows)) for name, rows in OWN.items()}
    capabilities = {
        name.removeprefix("doca_comm_channel_"): function
        for name, function in flat.items()
        if name == function.name and name.startswith(CAPABILITY)
    }
    errors = frozenset({"DocaError", *ERROR_CLASSES.values()})
    constants = {
        name: value for (generation, name), value in CONSTANTS.items() if generation in ("comm_channel", "core")
    }
    objects = capabilities | {
        "Endpoint": flat[EP + "create"],
        "devices": flat["doca_devinfo_create_list"],
        OPEN_DEVICE: own[OPEN_DEVICE],
    }
    helpers = frozenset({"ErrorCode", "code_name", "code_names", "describe", "from_code", "outcome"})
    others = frozenset({"LegacyCallWarning", "unwrap", "wrap"})
    modules = {
        "": frozenset().union(flat, objects, _CLASSES, constants, errors, helpers, others),
        "flat": frozenset({*flat, *constants}),
        "endpoint": frozenset({"Endpoint"}),
        "peer_addr": frozenset({"PeerAddr"}),
        "capabilities": frozenset(capabilities),
        "errors": errors | {"ErrorCode"},
    }
    return Vocabulary(
        packages=dict.fromkeys((_PACKAGE, "comm_channel_compat"), _PACKAGE),
        modules={(_PACKAGE, rest): names for rest, names in modules.items()},
        flat=flat,
        objects=objects,
        methods=dict(_methods(flat, own)),
        classes=_CLASSES,
        constants=constants,
        errors=errors,
        builtin_errors={name: tuple(sorted(extending)) for name, extending in BUILTIN_ERRORS.items()},
        helpers=helpers,
        others=others,
    )


GENERATION_1 = _build()
