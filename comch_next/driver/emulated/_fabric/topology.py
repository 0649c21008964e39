"""Which devices the emulated machine pair has, and their limits: the built-in pair, or a TOML file."""

import os
import sys
from typing import Any, NamedTuple

from comch_next._codes import PciFuncType
from comch_next.driver.emulated._kernel.memory import EXHAUSTED
from comch_next.driver.protocol import by_system, pci_parts
from comch_next.errors import InvalidValue, NotFound

__all__ = ["KEYS", "REQUIRED", "WORDS", "Device", "Limits", "Representor", "Topology", "bounds", "current", "long_form"]

# The limits' own limits, where they are not 1 and 65536; a name has its NUL.
_LEAST = {"max_clients": 0, "max_name_len": 2}
_MOST = {
    "default_msg_size": 1 << 20,
    "max_msg_size": 1 << 20,
    "max_buf_size": 1 << 30,
    "max_imm_data_len": 1024,
    "max_connection_memory": 1 << 40,
}
_MOST_OF_DEFAULT = {"default_msg_size": "max_msg_size", "default_queue_size": "max_queue_size"}

# A topology file: the keys of each table and the types of their values, those that have to be there, and the words that
# some of them take. topology.schema.json is made from these.
KEYS: dict[str, dict[str, type]] = {
    "topology": {"limits": dict, "device": list},
    "device": {
        "pci_addr": str,
        "side": str,
        "representor": list,
        "capable": bool,
        "working": bool,
        "answers": bool,
        "limits": dict,
    },
    "representor": {"pci_addr": str, "func_type": str, "vuid": str, "vhca_id": int},
}
REQUIRED = {"topology": ("device",), "device": ("pci_addr", "side"), "representor": ("pci_addr",)}
WORDS = {"side": ("host", "dpu"), "func_type": tuple(PciFuncType.__members__)}
_TYPES = {dict: "a table", list: "a list of tables", str: "text", bool: "true or false", int: "a whole number"}


class Limits(NamedTuple):
    """What a device can do; sizes and lengths in bytes, queues in messages. `max_clients` 0 means no limit.

    Consumers and producers are counted per connection, fast tasks per consumer or producer. `max_connection_memory` is
    how many bytes the queues of one connection may take when the other side's sizes are larger than this side's own.
    """

    default_msg_size: int = 4080
    max_msg_size: int = 65535
    default_queue_size: int = 64
    max_queue_size: int = 8192
    max_clients: int = 512
    max_name_len: int = 128
    max_send_tasks: int = 8192
    max_open: int = 4096
    max_consumers: int = 64
    max_producers: int = 64
    max_fast_tasks: int = 8192
    max_buf_size: int = 1 << 30
    max_imm_data_len: int = 32
    max_connection_memory: int = 1 << 28

    @classmethod
    def stated(cls, table: dict[str, Any]) -> "Limits":
        """The limits that a table states, with defaults that fit; ValueError for one that no device could have."""
        limits = cls()._replace(**table)
        for name, value in limits._asdict().items():
            least, most = bounds(name)
            if type(value) is not int or not least <= value <= most:
                raise ValueError(f"{name} is {value!r}; legal are whole numbers from {least} to {most}")
        for name, maximum in _MOST_OF_DEFAULT.items():
            value, most = getattr(limits, name), getattr(limits, maximum)
            if name in table and value > most:
                raise ValueError(f"{name} is {value}, and {maximum} only {most}")
            limits = limits._replace(**{name: min(value, most)})
        return limits


def bounds(limit: str) -> tuple[int, int]:
    """The least and the largest value of a limit."""
    return _LEAST.get(limit, 1), _MOST.get(limit, 1 << 16)


class Representor(NamedTuple):
    """What stands on the DPU for one function of the host; `pci_addr` is the host's address of it."""

    pci_addr: str
    func_type: PciFuncType = PciFuncType.PF
    vuid: str = ""
    vhca_id: int = 0


class Device(NamedTuple):
    """One device of one side: `representors` only on the DPU, `capable` false for one that cannot do Comch.

    Faults: `working` false for one that cannot be opened, `answers` false for one whose kernel driver fails queries.
    """

    pci_addr: str
    side: str
    representors: tuple[Representor, ...] = ()
    capable: bool = True
    working: bool = True
    answers: bool = True
    limits: Limits = Limits()


class Topology(NamedTuple):
    """Every device of the emulated pair, whichever side this process may see."""

    devices: tuple[Device, ...]

    def visible(self) -> tuple[Device, ...]:
        """The devices of the side named by COMCH_SIDE; without it, both sides' devices."""
        side = os.environ.get("COMCH_SIDE", "")
        if side not in ("", "host", "dpu"):
            raise InvalidValue(f"COMCH_SIDE is {side!r}; legal are host, dpu and empty")
        return tuple(device for device in self.devices if side in ("", device.side))

    def most_consumers(self) -> int:
        """The largest number of consumers that any side may have on a connection."""
        return max(device.limits.max_consumers for device in self.devices)

    def dpu_of(self, host_pci: str) -> Device | None:
        """The DPU device that has a representor for the host function at `host_pci`."""
        for device in self.devices:
            if any(rep.pci_addr == host_pci for rep in device.representors):
                return device
        return None


def long_form(text: object) -> str | None:
    """A PCI address as DDDD:BB:DD.F, from its short or long form; None when it is neither."""
    parts = pci_parts(text)
    return None if parts is None else "{:04x}:{:02x}:{:02x}.{}".format(*parts)


_FUNCTIONS = (("b1:00.0", "PF"), ("b1:00.1", "PF"), ("b1:00.2", "VF"), ("b1:00.3", "SF"))

_BUILT_IN: dict[str, Any] = {
    "device": [
        {
            "pci_addr": "03:00.0",
            "side": "dpu",
            "representor": [{"pci_addr": pci, "func_type": kind} for pci, kind in _FUNCTIONS],
        },
        *({"pci_addr": pci, "side": "host"} for pci, _ in _FUNCTIONS),
    ]
}


def current() -> Topology:
    """The topology in force: the file named by COMCH_TOPOLOGY, else the built-in pair."""
    path = os.environ.get("COMCH_TOPOLOGY")
    if not path:
        return parse(_BUILT_IN, "the built-in topology")
    try:
        table = _read(path)
    except by_system(OSError) as error:
        if error.errno in EXHAUSTED:
            raise  # the file may be sound
        raise NotFound(f"COMCH_TOPOLOGY names {path!r}, which cannot be read: {error}") from error
    except by_system(ValueError, RecursionError) as error:
        raise InvalidValue(f"COMCH_TOPOLOGY names {path!r}, which is not a TOML file: {error}") from error
    return parse(table, path)


def _read(path: str) -> dict[str, Any]:
    # Imported here: most programs read no such file, and would wait for the parser at every start.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    with open(path, "rb") as file:
        table: dict[str, Any] = tomllib.load(file)
    return table


def parse(table: dict[str, Any], source: str) -> Topology:
    """A topology from its table: `limits` for all, and a list of `device`, each with its own `limits`."""
    try:
        _check(table, "topology")
        shared = table.get("limits", {})
        Limits.stated(shared)  # refused even if each device states others
        devices = tuple(_device(row, shared) for row in table["device"])
    except by_system(KeyError, TypeError, ValueError, RecursionError) as error:
        raise InvalidValue(f"{source} is not a topology: {error!r}") from error
    if len({device.pci_addr for device in devices}) != len(devices):
        raise InvalidValue(f"{source} is not a topology: a PCI address occurs twice")
    return Topology(devices)


def _check(row: object, kind: str) -> None:
    """Raise ValueError unless this is a table of that kind."""
    keys = KEYS[kind]
    if not isinstance(row, dict):
        raise ValueError(f"a {kind} is {row!r}; legal is a table")
    if unknown := sorted(row.keys() - keys.keys()):
        raise ValueError(f"unknown keys {unknown} in a {kind}; known are {sorted(keys)}")
    if lacking := [key for key in REQUIRED[kind] if key not in row]:
        raise ValueError(f"a {kind} lacks {' and '.join(lacking)}")
    for key, value in row.items():
        if type(value) is not keys[key]:
            raise ValueError(f"{key} of a {kind} is {value!r}; legal is {_TYPES[keys[key]]}")
        if key in WORDS and value not in WORDS[key]:
            raise ValueError(f"{key} of a {kind} is {value!r}; legal are {', '.join(WORDS[key])}")


def _device(row: dict[str, Any], shared: dict[str, Any]) -> Device:
    _check(row, "device")
    representors = tuple(_representor(rep, number) for number, rep in enumerate(row.get("representor", ())))
    return Device(
        pci_addr=_address(row["pci_addr"]),
        side=row["side"],
        representors=representors,
        capable=row.get("capable", True),
        working=row.get("working", True),
        answers=row.get("answers", True),
        limits=Limits.stated(shared | row.get("limits", {})),
    )


def _representor(row: dict[str, Any], number: int) -> Representor:
    _check(row, "representor")
    pci = _address(row["pci_addr"])
    return Representor(
        pci_addr=pci,
        func_type=PciFuncType[row.get("func_type", "PF")],
        vuid=row.get("vuid", f"COMCH{pci.replace(':', '').replace('.', '')}"),
        vhca_id=row.get("vhca_id", number),
    )


def _address(text: object) -> str:
    pci = long_form(text)
    if pci is None:
        raise ValueError(f"{text!r} is not a PCI address")
    return pci
