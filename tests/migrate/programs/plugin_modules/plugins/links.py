"""A plugin with an answer of several parts."""
from plugins.base import Plugin

PORTS = {"p0": True, "p1": False, "pf0hpf": True}


class Links(Plugin, name="ports"):
    def handle(self, context, up=None):
        wanted = [port for port, is_up in PORTS.items() if up is None or is_up == up]
        for index, port in enumerate(wanted, 1):
            context.reply(port, left=len(wanted) - index)
