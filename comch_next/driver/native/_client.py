"""The client context: it has one connection, from its start to its end."""

from comch_next.driver.native._calls import as_text
from comch_next.driver.native._connection import Connection
from comch_next.driver.native._control import ControlContext, TaskPool
from comch_next.driver.native._device import Dev
from comch_next.driver.native._handle import live
from comch_next.driver.native._library import ffi, passed
from comch_next.driver.protocol import uninterrupted

__all__ = ["Client", "Clients"]


class Client(ControlContext, tag="doca_comch_client"):
    """A handle."""

    kind = "doca_comch_client"
    alloc_init = "doca_comch_client_task_send_alloc_init"
    is_server = False


class Clients(TaskPool):
    """The noun Clients of the driver protocol."""

    context_kind = Client

    @uninterrupted
    def create(self, dev: object, name: str) -> Client:
        call = "doca_comch_client_create"
        device, cell = live(dev, Dev, call), ffi.new("struct doca_comch_client **")
        with device.lock:
            passed(self.library[call], call, live(device, Dev, call).pointer, as_text(name, call), cell)
            return Client(self.library, cell[0], device, [device.life])

    def get_connection(self, client: object) -> Connection:
        call = "doca_comch_client_get_connection"
        context, cell = live(client, Client, call), ffi.new("struct doca_comch_connection **")
        with context.lock:
            passed(self.library[call], call, live(context, Client, call).pointer, cell)
            return context.begin(cell[0])
