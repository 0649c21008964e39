"""The server context."""

from comch_next.driver.native._calls import as_text
from comch_next.driver.native._context import Callback, expect_callback
from comch_next.driver.native._control import ControlContext, TaskPool
from comch_next.driver.native._device import Dev, DevRep
from comch_next.driver.native._handle import live
from comch_next.driver.native._library import ffi, passed
from comch_next.driver.protocol import uninterrupted

__all__ = ["Server", "Servers"]

_CHANGED = "doca_comch_event_connection_status_changed_cb_t"


class Server(ControlContext, tag="doca_comch_server"):
    """A handle; `rep` is its representor."""

    kind = "doca_comch_server"
    alloc_init = "doca_comch_server_task_send_alloc_init"
    is_server = True

    rep: DevRep


class Servers(TaskPool):
    """The noun Servers of the driver protocol."""

    context_kind = Server

    @uninterrupted
    def create(self, dev: object, rep: object, name: str) -> Server:
        call = "doca_comch_server_create"
        device, representor = live(dev, Dev, call), live(rep, DevRep, call)
        cell = ffi.new("struct doca_comch_server **")
        with device.lock, representor.lock:
            pointers = live(device, Dev, call).pointer, live(representor, DevRep, call).pointer
            passed(self.library[call], call, *pointers, as_text(name, call), cell)
            made = Server(self.library, cell[0], device, [device.life, representor.life])
        made.rep = representor
        return made

    def get_device_rep(self, server: object) -> DevRep:
        return live(server, Server, "doca_comch_server_get_device_rep").rep

    def event_connection_status_changed_register(self, server: object, up: Callback, down: Callback) -> None:
        call = "doca_comch_server_event_connection_status_changed_register"
        context = live(server, Server, call)
        expect_callback(up, call)
        expect_callback(down, call)
        context.register(
            call,
            (_CHANGED, lambda context, pointer, successful: context.changed(pointer, True, bool(successful))),
            (_CHANGED, lambda context, pointer, successful: context.changed(pointer, False, bool(successful))),
        )
        context.up, context.down = up, down

    @uninterrupted
    def disconnect(self, server: object, connection: object) -> None:
        call = "doca_comch_server_disconnect"
        context = live(server, Server, call)
        with context.lock:
            live(context, Server, call)  # again: another thread may have destroyed it
            passed(self.library[call], call, context.pointer, context.own(connection, call).pointer)
            if context.engine is not None:
                context.engine.life.raise_error()
