"""doca_cc and asyncio: the engine's notification handle is a reader of the loop."""
import asyncio
import sys

import doca_cc


class Engine:
    """Progress when the handle says so."""

    def __init__(self, loop):
        self.loop = loop
        self.pe = doca_cc.ProgressEngine()
        self.handle = self.pe.get_notification_handle()
        loop.add_reader(self.handle, self.ready)
        self.changed = asyncio.Event()

    def arm(self):
        self.pe.request_notification()
        while self.pe.progress():
            self.changed.set()

    def ready(self):
        self.pe.clear_notification(0)
        while self.pe.progress():
            pass
        self.changed.set()
        self.arm()

    async def until(self, condition):
        while not condition():
            self.changed.clear()
            self.arm()
            if condition():
                return
            await self.changed.wait()

    def close(self):
        self.loop.remove_reader(self.handle)
        self.pe.destroy()


class End:
    def __init__(self, engine, context):
        self.engine, self.context = engine, context
        self.ctx = context.as_ctx()
        self.inbox = asyncio.Queue()
        engine.pe.connect_ctx(self.ctx)
        context.task_send_set_conf(self.completed, self.completed, 8)
        context.event_msg_recv_register(self.received)

    def completed(self, task, task_user_data, ctx_user_data):
        future = task.as_task().get_user_data()
        status = task.as_task().get_status()
        task.as_task().free()
        if not future.cancelled():
            future.set_result(int(status))

    def received(self, event, recv_buffer, msg_len, connection):
        self.inbox.put_nowait((recv_buffer.decode(), connection))

    async def send(self, text, connection):
        task = self.context.task_send_alloc_init(connection, text.encode())
        done = asyncio.get_running_loop().create_future()
        task.as_task().set_user_data(done)
        task.as_task().submit()
        self.engine.arm()
        return await done

    async def stop(self):
        if self.ctx.stop() != doca_cc.DOCA_CTX_STATE_IDLE:
            await self.engine.until(lambda: self.ctx.get_state() == doca_cc.DOCA_CTX_STATE_IDLE)
        self.context.destroy()


async def serve():
    engine = Engine(asyncio.get_running_loop())
    dev = doca_cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    end = End(engine, doca_cc.Server(dev, rep, "aio"))
    live = set()
    end.context.event_connection_register(lambda e, c, ok: live.add(c), lambda e, c, ok: live.discard(c))
    end.ctx.start()
    print("listening", flush=True)
    engine.arm()
    rounds = 0
    while True:
        text, connection = await end.inbox.get()
        if text == "end":
            break
        rounds += 1
        print(text, await end.send(text[::-1], connection))
    await engine.until(lambda: not live)
    print("rounds", rounds)
    await end.stop()
    engine.close()
    rep.close()
    dev.close()


async def talk():
    engine = Engine(asyncio.get_running_loop())
    dev = doca_cc.open_device("b1:00.0")
    end = End(engine, doca_cc.Client(dev, "aio"))
    end.ctx.start()
    await engine.until(lambda: end.ctx.get_state() == doca_cc.DOCA_CTX_STATE_RUNNING)
    connection = end.context.get_connection()
    for text in ("abc", "level", "12345"):
        await end.send(text, connection)
        answer, sender = await asyncio.wait_for(end.inbox.get(), 60)
        print(text, "->", answer, sender is connection)
    print("status", await end.send("end", connection))
    await end.stop()
    engine.close()
    dev.close()


asyncio.run(serve() if sys.argv[1:] == ["serve"] else talk())
