import asyncio

from dcc import Engine, States, cc, check, completed, core, ffi, new, open_device, send


async def main():
    dev, engine = open_device("03:00.0"), Engine()
    inbox, gone = asyncio.Queue(), asyncio.Event()
    reps, n = ffi.new("void ***"), ffi.new("uint32_t *")
    check(core.doca_devinfo_rep_create_list(dev, 0, reps, n))
    rep = new(core.doca_dev_rep_open, reps[0][0])
    check(core.doca_devinfo_rep_destroy_list(reps[0]))
    server = new(cc.doca_cc_server_create, dev, rep, b"aio")
    ctx = cc.doca_cc_server_as_ctx(server)
    states = States(ctx)

    @ffi.callback("recv_t")
    def received(event, data, size, peer):
        inbox.put_nowait((peer, ffi.buffer(data, size)[:]))

    @ffi.callback("conn_t")
    def joined(event, peer, ok):
        pass

    @ffi.callback("conn_t")
    def left(event, peer, ok):
        gone.set()

    check(core.doca_ctx_set_user_data(ctx, {"u64": 42}))
    check(cc.doca_cc_server_task_send_set_conf(server, completed, completed, 4))
    check(cc.doca_cc_server_event_msg_recv_register(server, received))
    check(cc.doca_cc_server_event_connection_register(server, joined, left))
    check(core.doca_pe_connect_ctx(engine.pe, ctx))
    check(core.doca_ctx_start(ctx))
    print("listening", flush=True)
    for _ in range(3):
        peer, data = await asyncio.wait_for(inbox.get(), 60)
        mine = await send(cc.doca_cc_server_task_send_alloc_init, server, peer, data.upper())
        print("answered", data, mine)
    await asyncio.wait_for(gone.wait(), 60)
    core.doca_ctx_stop(ctx)
    engine.sleep()
    await states.reach(0)
    check(cc.doca_cc_server_destroy(server))
    print("slept and woke:", engine.wakeups > 0)
    engine.close()
    check(core.doca_dev_rep_close(rep))
    check(core.doca_dev_close(dev))


asyncio.run(main())
