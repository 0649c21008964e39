"""asyncio on both sides: `chat.py NAME -l` waits for a guest, `chat.py NAME` is one; lines go back and forth."""
import asyncio
import sys

from doca import *

SIDE = "server" if "-l" in sys.argv else "client"
as_ctx = function(cc, f"doca_cc_{SIDE}_as_ctx", P, P)
conf = function(cc, f"doca_cc_{SIDE}_task_send_set_conf", c_int, P, SENT, SENT, c_uint32)
alloc = function(cc, f"doca_cc_{SIDE}_task_send_alloc_init", c_int, P, P, c_char_p, c_uint32, POINTER(P))
on_recv = function(cc, f"doca_cc_{SIDE}_event_msg_recv_register", c_int, P, RECEIVED)
destroy = function(cc, f"doca_cc_{SIDE}_destroy", c_int, P)


class Chat:
    def __init__(self):
        self.pe, self.end, self.peer, self.fd = P(), P(), P(), c_int()
        self.lines, self.waiters = asyncio.Queue(), []
        self.dev = open_device(b"03:00.0" if SIDE == "server" else b"b1:00.0")
        check(pe_create(byref(self.pe)))
        check(get_handle(self.pe, byref(self.fd)))
        self.received = RECEIVED(lambda event, data, n, peer: self.lines.put_nowait(string_at(data, n).decode()))
        self.up, self.down = CONNECTION(self.joined), CONNECTION(self.left)
        self.make()
        self.ctx = as_ctx(self.end)
        check(conf(self.end, free, free, 4))
        check(on_recv(self.end, self.received))
        check(connect_ctx(self.pe, self.ctx))

    def make(self):
        if SIDE == "client":
            create = function(cc, "doca_cc_client_create", c_int, P, c_char_p, POINTER(P))
            check(create(self.dev, b"chat", byref(self.end)))
            return
        create = function(cc, "doca_cc_server_create", c_int, P, P, c_char_p, POINTER(P))
        register = function(cc, "doca_cc_server_event_connection_register", c_int, P, CONNECTION, CONNECTION)
        reps, n, self.rep = POINTER(P)(), c_uint32(), P()
        check(rep_list(self.dev, 0, byref(reps), byref(n)))
        check(rep_open(reps[0], byref(self.rep)))
        check(rep_destroy(reps))
        check(create(self.dev, self.rep, b"chat", byref(self.end)))
        check(register(self.end, self.up, self.down))

    def joined(self, event, peer, ok):
        self.peer = P(peer)

    def left(self, event, peer, ok):
        self.lines.put_nowait(None)

    def wake(self):
        check(clear(self.pe, self.fd))
        self.turn()

    def turn(self):
        """Arm first, then look: what comes between the two wakes us."""
        check(request(self.pe))
        while progress(self.pe):
            pass
        for condition, future in self.waiters[:]:
            if condition() and not future.done():
                future.set_result(None)
                self.waiters.remove((condition, future))

    async def until(self, condition):
        self.turn()
        if not condition():
            future = asyncio.get_running_loop().create_future()
            self.waiters.append((condition, future))
            await asyncio.wait_for(future, 60)

    async def __aenter__(self):
        asyncio.get_running_loop().add_reader(self.fd.value, self.wake)
        rc = start(self.ctx)
        check(0 if rc == 26 else rc)
        if SIDE == "server":
            print("listening", flush=True)
            await self.until(lambda: self.peer)
        else:
            await self.until(lambda: state(self.ctx) == 2)
            get = function(cc, "doca_cc_client_get_connection", c_int, P, POINTER(P))
            check(get(self.end, byref(self.peer)))
        return self

    async def __aexit__(self, *error):
        stop(self.ctx)
        await self.until(lambda: state(self.ctx) == 0)
        asyncio.get_running_loop().remove_reader(self.fd.value)
        check(destroy(self.end))
        check(pe_destroy(self.pe))
        if SIDE == "server":
            check(rep_close(self.rep))
        check(dev_close(self.dev))

    def say(self, line):
        task, data = P(), line.encode()
        check(alloc(self.end, self.peer, data, len(data), byref(task)))
        check(submit(as_task(task)))
        self.turn()

    async def hear(self):
        return await asyncio.wait_for(self.lines.get(), 60)


async def main(name):
    async with Chat() as chat:
        if SIDE == "client":
            chat.say(f"hello from {name}")
        while (line := await chat.hear()) is not None:
            print("<", line)
            count = int(line.split()[-1]) if line[-1].isdigit() else 0
            if SIDE == "client" and count == 3:
                break
            chat.say(f"{name} says {count + 1}")
        else:
            print("(has left)")


asyncio.run(main(sys.argv[1]))
