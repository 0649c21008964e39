import asyncio

from dcc import Engine, States, cc, check, completed, core, ffi, new, open_device, send


async def main():
    dev, engine = open_device("b1:00.0"), Engine()
    inbox = asyncio.Queue()
    client = new(cc.doca_cc_client_create, dev, b"aio")
    ctx = cc.doca_cc_client_as_ctx(client)
    states = States(ctx)
    received = ffi.callback("recv_t", lambda event, data, size, peer: inbox.put_nowait(ffi.buffer(data, size)[:]))
    check(cc.doca_cc_client_task_send_set_conf(client, completed, completed, 4))
    check(cc.doca_cc_client_event_msg_recv_register(client, received))
    check(core.doca_pe_connect_ctx(engine.pe, ctx))
    rc = core.doca_ctx_start(ctx)
    print("start", rc)
    engine.sleep()
    await states.reach(2)
    peer = new(cc.doca_cc_client_get_connection, client)
    for word in (b"one", b"two", b"three"):
        _, answer = await asyncio.gather(send(cc.doca_cc_client_task_send_alloc_init, client, peer, word),
                                         asyncio.wait_for(inbox.get(), 60))
        print(answer)
        await asyncio.sleep(0.05)
    core.doca_ctx_stop(ctx)
    engine.sleep()
    await states.reach(0)
    check(cc.doca_cc_client_destroy(client))
    engine.close()
    check(core.doca_dev_close(dev))


asyncio.run(main())
