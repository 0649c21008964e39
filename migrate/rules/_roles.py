"""Which class of comch_next an endpoint becomes: by the calls that reach it."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from functools import lru_cache

from migrate.facts.program import Facts
from migrate.old_api.generation_1 import EP

LISTEN, CONNECT, CREATE = EP + "listen", EP + "connect", EP + "create"
_OF_SERVICES = frozenset(
    EP + rest
    for rest in (
        *("set_device_rep", "get_device_rep", "get_service_event_channel"),
        *("update_service_state_info", "get_peer_addr_list", "get_pending_connections"),
    )
)
# Members whose function is another one in Channel, with a class whose function serves every endpoint that has them.
_OF_ALL = {"listen": "Server", "connect": "Client", "disconnect": ""}


def owner_of(member: str) -> str:
    """The class that has a member's function for endpoints of several classes, "" when there is none."""
    return _OF_ALL.get(member, "Channel")


def role_of(calls: frozenset[str]) -> str:
    """Server for what only listens, Client for what only connects and is asked nothing else, or Channel."""
    if LISTEN in calls and CONNECT not in calls:
        return "Server"
    if CONNECT in calls and LISTEN not in calls and not calls & _OF_SERVICES:
        return "Client"
    return "Channel"


def role(facts: Facts, origins: frozenset[Hashable]) -> str:
    """The class of the endpoints of some origins, "" when they differ or nobody sees where one is made."""
    if any(isinstance(origin, ast.arg) for origin in origins):
        return ""
    roles = {role_of(facts.calls_on(origin)) for origin in origins}
    return roles.pop() if len(roles) == 1 else ""


def project_role(facts: Facts, *, is_tested: bool = False) -> str:
    """The class of every endpoint that the project makes; when they differ Channel, or in a test what all extend."""
    found = _project_role(facts)
    return "Context" if is_tested and found == "Channel" else found


@lru_cache(maxsize=1)  # every annotation asks
def _project_role(facts: Facts) -> str:
    origins = {reference.call.node for reference in facts.references
               if reference.call is not None and reference.call.function == CREATE}  # fmt: skip
    return role(facts, frozenset(origins)) or "Channel"
