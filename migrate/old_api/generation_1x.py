"""The vocabulary of generation 1 before DOCA 1.5: its own calls, flat, and the core calls beside them."""

from __future__ import annotations

from migrate.old_api._tables import CONSTANTS, FUNCTIONS
from migrate.old_api.generation_1 import GENERATION_1
from migrate.old_api.vocabulary import Function, Parameter, Vocabulary

SUFFIX = "-1x"  # of the names of functions that DOCA 1.5 has, too
GENERATION = "comm_channel_1x"
ATTRIBUTES = "doca_comm_channel_init_attr"  # which only programs of that time name
PACKAGE = "doca_comm_channel"
# The structs of that time have the same fields in comch_next.
_RENAMED = {ATTRIBUTES: "InitAttr", "doca_comm_channel_peer_addr_info": "PeerInfo"}
# What the headers name without all that it takes to run it.
_NOT_GIVEN = frozenset({"doca_comm_channels_poll", "DOCA_CC_INIT_FLAG_NONBLOCK"})
# An endpoint of that time is another kind of handle.
_ENDPOINT = "struct doca_comm_channel_ep_t ", "struct doca_comm_channel_ep_t-1x "


def _function(name: str) -> Function:
    returns, rows = FUNCTIONS[GENERATION, name]
    parameters = (Parameter(param, direction, ctype.replace(*_ENDPOINT)) for param, direction, ctype in rows)
    return Function(name + SUFFIX, tuple(parameters), returns)


def _build() -> Vocabulary:
    core = {name: function for name, function in GENERATION_1.flat.items() if not name.startswith(PACKAGE)}
    named = [name for generation, name in FUNCTIONS if generation == GENERATION and name not in _NOT_GIVEN]
    own = {name: _function(name) for name in named}
    constants = dict(GENERATION_1.constants)
    constants |= {name: value for (generation, name), value in CONSTANTS.items() if generation == GENERATION}
    others = frozenset({"LegacyCallWarning", *_NOT_GIVEN})
    names = frozenset({*core, *own, *constants, *_RENAMED, *others})
    return Vocabulary(
        packages=dict.fromkeys((PACKAGE, "comm_channel_compat.blocking"), PACKAGE),
        modules={(PACKAGE, ""): names, (PACKAGE, "flat"): names},
        flat=core | own,
        objects={},
        methods={key: function for key, function in GENERATION_1.methods.items() if key[0] not in ("endpoint", "peer")},
        classes={},
        constants=constants,
        errors=frozenset(),
        builtin_errors={},
        helpers=frozenset(),
        others=others,
        renamed=_RENAMED,
    )


GENERATION_1X = _build()
