"""The emulated driver: the Comch library's states, refusals and limits, on one Linux machine without hardware."""

from comch_next.driver.emulated._client import Clients
from comch_next.driver.emulated._connection import Connections
from comch_next.driver.emulated._context import Contexts
from comch_next.driver.emulated._devices import Devices
from comch_next.driver.emulated._engine import Engines
from comch_next.driver.emulated._port import Ports
from comch_next.driver.emulated._server import Servers
from comch_next.driver.emulated._task import SendTasks

__all__ = ["Driver"]


class Driver:
    """One attribute per noun, as comch_next.driver.protocol.Driver says."""

    name = "emulated"

    def __init__(self) -> None:
        self.devices = Devices()
        self.engines = Engines()
        self.contexts = Contexts()
        self.servers = Servers()
        self.clients = Clients()
        self.connections = Connections()
        self.send_tasks = SendTasks()
        self.ports = Ports()
