"""Read an endpoint's properties from its server or client; queue sizes were rounded, so their value is written out."""

from __future__ import annotations

from migrate import _legacy
from migrate._legacy import EP
from migrate._rule import Answer, Context, Gives, Reads, Refuses, Rule
from migrate._shapes import Handle

SMALLEST = 8


def rounded(size: int) -> int:
    """The queue size that the old library made of a setting."""
    return max(SMALLEST, 1 << (size - 1).bit_length())


def _queue_size(call: _legacy.Call, context: Context) -> Answer:
    sites = {each.site for each in context.flow.shapes(call.arguments["ep"]) if isinstance(each, Handle)}
    sizes = set()
    for setter in context.flow.calls.values():
        if setter.name == call.name.replace("_get_", "_set_") and setter.handles:
            shapes = context.flow.shapes(setter.handles[0][0])
            if any(isinstance(each, Handle) and each.site in sites for each in shapes):
                sizes.add(context.flow.constant(list(setter.arguments.values())[1]))
    size = sizes.pop() if len(sizes) == 1 and len(sites) == 1 else None
    return Gives(str(rounded(size))) if isinstance(size, int) and size > 0 else Refuses("CCM043")


RULES: dict[str, Rule] = {
    EP + "get_device": Reads("{ep}", "device"),
    EP + "get_device_rep": Reads("{ep}", "device_rep"),
    EP + "get_max_msg_size": Reads("{ep}", "max_msg_size"),
    EP + "get_send_queue_size": _queue_size,
    EP + "get_recv_queue_size": _queue_size,
}
