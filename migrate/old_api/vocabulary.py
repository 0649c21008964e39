"""What a generation of the old API consists of; one Vocabulary per generation, and all of them joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, reduce
from typing import Any

from migrate.old_api._tables import CALLBACKS

# C struct -> the kind of handle that a pointer to it is
KINDS = {
    "doca_comm_channel_ep_t": "endpoint",
    "doca_comm_channel_ep_t-1x": "blocking endpoint",
    "doca_comm_channel_addr_t": "peer",
    "doca_cc_server": "server",
    "doca_cc_client": "client",
    "doca_cc_connection": "connection",
    "doca_cc_producer": "producer",
    "doca_cc_consumer": "consumer",
    "doca_cc_task_send": "send_task",
    "doca_cc_send_task": "send_task",
    "doca_cc_producer_task_send": "producer_task",
    "doca_cc_producer_send_task": "producer_task",
    "doca_cc_consumer_task_post_recv": "post_task",
    "doca_cc_consumer_post_recv_task": "post_task",
    "doca_ctx": "ctx",
    "doca_task": "task",
    "doca_pe": "engine",
    "doca_mmap": "mmap",
    "doca_buf": "buf",
    "doca_buf_inventory": "inventory",
    "doca_dev": "device",
    "doca_dev_rep": "representor",
    "doca_devinfo": "devinfo",
    "doca_devinfo_rep": "repinfo",
    "doca_log_backend": "backend",
    "doca_logger_backend": "backend",
}


def kind_of(ctype: str, pointers: int = 0) -> str:
    """The kind of handle that a C type is, with [] for a list, "" for none; pointers: how many stars only return it."""
    words = ctype.removeprefix("const ").removeprefix("struct ").replace("*", " ").split()
    kind = KINDS.get(words[0], "") if len(words) == 1 else ""
    depth = ctype.count("*") - pointers
    return kind + "[]" * (depth - 1) if kind and depth > 0 else ""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a C function; direction: "in", "out" or "in,out"."""

    name: str
    direction: str
    ctype: str

    @property
    def is_input(self) -> bool:
        """Whether the caller passes a value; what is passed by value stays what it is, whatever the direction."""
        return "in" in self.direction.split(",") or not self.is_output

    @property
    def is_output(self) -> bool:
        """Whether the function fills it."""
        return "out" in self.direction.split(",") and self.ctype.endswith("*")

    @property
    def kind(self) -> str:
        """The kind of handle that it is: endpoint, peer, ..., with [] for a list, "" for anything else."""
        return kind_of(self.ctype, int(self.is_output))

    @property
    def callback(self) -> tuple[Parameter, ...]:
        """What a callback is called with, if it is one."""
        rows = CALLBACKS.get(self.ctype.removesuffix(" *"), ())
        return tuple(Parameter(name, "in", ctype) for name, ctype in rows)

    @property
    def is_user_data(self) -> bool:
        """Whether it is what a program keeps with a handle."""
        return "union doca_data" in self.ctype


@dataclass(frozen=True, eq=False)
class Function:
    """An old function, by its proper name."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: str = "doca_error_t"

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The parameters that a caller passes, in C order."""
        return tuple(parameter.name for parameter in self.parameters if parameter.is_input)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The parameters that the function fills, in C order."""
        return tuple(parameter.name for parameter in self.parameters if parameter.is_output)

    @property
    def returns_code(self) -> bool:
        """Whether the C function returns a result code; else what it returns is its only result."""
        return self.returns == "doca_error_t"

    @cached_property
    def results(self) -> tuple[str, ...]:
        """What a caller gets beside the code: the outputs, or "return"."""
        return self.outputs if self.returns_code else ("return",)

    @cached_property
    def gives(self) -> bool:
        """Whether a handle is among the results."""
        return any(name in self.kinds for name in self.results)

    @cached_property
    def takes(self) -> bool:
        """Whether a caller passes a handle."""
        return any(name in self.kinds for name in self.inputs)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The parameters and results that are handles, with their kinds."""
        kinds = {parameter.name: parameter.kind for parameter in self.parameters}
        kinds["return"] = kind_of(self.returns)
        return {name: kind for name, kind in kinds.items() if kind}

    @property
    def is_view(self) -> bool:
        """Whether it only shows its handle as something more general."""
        return self.name.endswith(("_as_ctx", "_as_task"))

    @cached_property
    def is_later(self) -> bool:
        """Whether what it is given comes back later: in callbacks, or as the user data of a handle."""
        return any(parameter.callback or parameter.is_user_data for parameter in self.parameters)

    @cached_property
    def user_data(self) -> str:
        """The result, if any, that is what the program keeps with a handle."""
        outputs = (parameter.name for parameter in self.parameters if parameter.is_output and parameter.is_user_data)
        return "return" if "union doca_data" in self.returns else next(outputs, "")

    @cached_property
    def receiver(self) -> str:
        """The input whose method it is in the objects spelling, "" for a function of the module or a constructor."""
        if self.name.endswith("_create"):
            return ""
        first = self.inputs[0] if self.inputs else ""
        return first if first in self.kinds and not self.kinds[first].endswith("[]") else ""


@dataclass(frozen=True)
class Vocabulary:
    """One generation of the old API, or several.

    packages: import names -> the package that each stands for. modules: (package, the rest of the dotted name) -> the
    names in it; "" for the package itself. flat: C names -> functions, older spellings too. objects: functions of the
    module in the objects spelling, classes that can be called among them. methods: (kind of handle, name) -> function.
    classes: class -> kind of its handles. builtin_errors: what except clauses with a class of Python's own catch;
    DocaError for those that catch many.
    helpers: what the old module has in common with comch_next, beside errors. others: what else it exports.
    renamed: what comch_next has under another name, with the same attributes.
    """

    packages: Mapping[str, str]
    modules: Mapping[tuple[str, str], frozenset[str]]
    flat: Mapping[str, Function]
    objects: Mapping[str, Function]
    methods: Mapping[tuple[str, str], Function]
    classes: Mapping[str, str]
    constants: Mapping[str, int]
    errors: frozenset[str]
    builtin_errors: Mapping[str, tuple[str, ...]]
    helpers: frozenset[str]
    others: frozenset[str]
    renamed: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def exports(self) -> frozenset[str]:
        """Every name that a star import of some package binds."""
        return frozenset().union(*self.stars.values())

    @cached_property
    def stars(self) -> Mapping[str, frozenset[str]]:
        """What a star import of each package binds, by its import names."""
        return {name: self.modules[package, ""] for name, package in self.packages.items()}

    @cached_property
    def stand_ins(self) -> Mapping[str, str]:
        """The module of comm_channel_compat that stands for each old package."""
        return {package: name for name, package in self.packages.items() if name != package}

    def module(self, dotted: str) -> frozenset[str] | None:
        """The names of an old module, None for any other module."""
        return self.modules.get(self._split(dotted))

    def package(self, dotted: str) -> str:
        """The package that an old module is of, "" for any other module."""
        split = self._split(dotted)
        return split[0] if split in self.modules else ""

    def owns(self, dotted: str) -> bool:
        """Whether a module is an old package, or would be inside of one."""
        return bool(self._split(dotted)[0])

    def package_in(self, package: str, name: str) -> str:
        """The package that a module inside of another package is of, "" when there is no such module."""
        outer = (known for known, own in self.packages.items() if own == package)
        return next(filter(None, (self.package(f"{known}.{name}") for known in outer)), "")

    def _split(self, dotted: str) -> tuple[str, str]:
        known = (name for name in self.packages if f"{dotted}.".startswith(f"{name}."))
        outer = max(known, key=len, default="")
        return self.packages.get(outer, ""), dotted[len(outer) + 1 :]

    @cached_property
    def by_method(self) -> Mapping[str, Function]:
        """The functions of all methods, by their own names."""
        return {function.name: function for function in self.methods.values()}

    @cached_property
    def views(self) -> frozenset[tuple[str, str]]:
        """The kinds of handles that can be shown as something more general, each with the kind of that."""
        found = (function for function in self.flat.values() if function.is_view)
        return frozenset((function.kinds[function.receiver], function.kinds["return"]) for function in found)

    @cached_property
    def method_names(self) -> frozenset[str]:
        """The names of all methods, of whatever kind of handle."""
        return frozenset(name for _, name in self.methods)


def joined(*vocabularies: Vocabulary) -> Vocabulary:
    """Make one vocabulary of several generations; what they share is equal in them."""

    def both(first: Any, second: Any) -> Any:
        return first | second

    names = [row.name for row in fields(Vocabulary)]
    return Vocabulary(**{name: reduce(both, (getattr(each, name) for each in vocabularies)) for name in names})
