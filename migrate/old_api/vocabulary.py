"""What a generation of the old API consists of; one Vocabulary per generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

# C struct -> the kind of handle that a pointer to it is
KINDS = {
    "doca_comm_channel_ep_t": "endpoint",
    "doca_comm_channel_addr_t": "peer",
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
        """Whether the caller passes a value."""
        return "in" in self.direction.split(",")

    @property
    def is_output(self) -> bool:
        """Whether the function fills it."""
        return "out" in self.direction.split(",")

    @property
    def kind(self) -> str:
        """The kind of handle that it is: endpoint, peer, ..., with [] for a list, "" for anything else."""
        return kind_of(self.ctype, int(self.is_output))


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

    @cached_property
    def receiver(self) -> str:
        """The input whose method it is in the objects spelling, "" for a function of the module."""
        first = self.inputs[0] if self.inputs else ""
        return first if first in self.kinds and not self.kinds[first].endswith("[]") else ""


@dataclass(frozen=True)
class Vocabulary:
    """One generation of the old API.

    flat: C names -> functions, older spellings too. objects: functions of the module in the objects spelling, classes
    that can be called among them. methods: (kind of handle, name) -> function. classes: class -> kind of its handles.
    builtin_errors: what except clauses with a class of Python's own catch; DocaError for those that catch many.
    helpers: what the old module has in common with comch_next, beside errors. others: what else it exports.
    """

    packages: frozenset[str]
    submodules: Mapping[str, frozenset[str]]  # "flat" -> the names in it
    flat: Mapping[str, Function]
    objects: Mapping[str, Function]
    methods: Mapping[tuple[str, str], Function]
    classes: Mapping[str, str]
    constants: Mapping[str, int]
    errors: frozenset[str]
    builtin_errors: Mapping[str, tuple[str, ...]]
    helpers: frozenset[str]
    others: frozenset[str]

    @cached_property
    def exports(self) -> frozenset[str]:
        """Every name that a star import of the package binds."""
        named = (self.flat, self.objects, self.classes, self.constants, self.errors, self.helpers, self.others)
        return frozenset().union(*named)

    def module(self, dotted: str) -> frozenset[str] | None:
        """The names of a module of this generation, None for any other module."""
        package, _, rest = dotted.partition(".")
        if package not in self.packages:
            return None
        return self.exports if not rest else self.submodules.get(rest)

    @cached_property
    def by_method(self) -> Mapping[str, Function]:
        """The functions of all methods, by their own names."""
        return {function.name: function for function in self.methods.values()}

    @cached_property
    def method_names(self) -> frozenset[str]:
        """The names of all methods, of whatever kind of handle."""
        return frozenset(name for _, name in self.methods)
