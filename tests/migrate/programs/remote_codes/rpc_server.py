import doca_comm_channel as cc
import rpclib

METHODS = dict(rpclib.ARITHMETIC)


def rpc(function=None, *, name=None):
    if function is None:
        return lambda f: rpc(f, name=name)
    METHODS[name or function.__name__] = function
    return function


class Stop(Exception):
    pass


@rpc
def upper(text):
    return text.upper()


@rpc(name="max")
def maximum(*values):
    return max(values)


@rpc
def stop():
    raise Stop


def main():
    dev = rpclib.open_device("03:00.0")
    rep = rpclib.open_rep(dev, "b1:00.0")
    ep = rpclib.endpoint(dev, rep, msg=4080, send=32, recv=32)
    rpclib.settle(cc.doca_comm_channel_ep_listen, ep, "rpc")
    print("listening with", len(METHODS), "methods", flush=True)
    served = failed = 0
    while True:
        request, peer = rpclib.read(ep)
        try:
            result = {"id": request["id"], "result": METHODS[request["method"]](*request["args"])}
            served += 1
        except Stop:
            rpclib.write(ep, peer, {"id": request["id"], "result": None})
            break
        except Exception as error:
            result = {"id": request["id"], "error": f"{type(error).__name__}: {error}"}
            failed += 1
        rpclib.write(ep, peer, result)
    print("served", served, "failed", failed)
    bye, peer = rpclib.read(ep)
    print("bye", bye)
    for call, thing in (
        (cc.doca_comm_channel_ep_destroy, ep),
        (cc.doca_dev_rep_close, rep),
        (cc.doca_dev_close, dev),
    ):
        rc = call(thing)
        if rpclib.verdict(rc) != rpclib.FINE:
            print(call.__name__, rc)
    try:
        rpclib.settle(cc.doca_comm_channel_ep_destroy, None)
    except rpclib.RpcError as error:
        print(error, error.rc)


main()
