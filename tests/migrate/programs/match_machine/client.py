"""Retries by walrus; what an exception means is decided by match. Objects."""
import sys
import time

import doca_comm_channel as cc
from doca_comm_channel import DocaError, Endpoint


def code_of(call, *args):
    """The call's error, or None."""
    try:
        call(*args)
    except DocaError as error:
        return error
    return None


def explain(error):
    match error:
        case None:
            return "fine"
        case cc.ConnectionInprogress() | cc.Again():
            return "later"
        case cc.ConnectionAborted(code=code):
            return f"refused {int(code)}"
        case cc.DocaError(name=name):
            return name


def wait(call, *args, limit=500000):
    while explain(error := code_of(call, *args)) == "later" and (limit := limit - 1):
        time.sleep(1e-4)
    return error


def main(lines):
    ep = Endpoint()
    print("without a device:", explain(code_of(ep.connect, "match_machine")))
    ep.set_device(dev := cc.open_device("b1:00.0"))
    print("nobody there:", explain(code_of(ep.connect, "match_device")))
    peer = ep.connect("match_machine")
    print("connected:", explain(wait(peer.update_info)))
    for line in lines:
        while isinstance(error := code_of(ep.sendto, line, peer), cc.Again):
            time.sleep(1e-4)
        if error is not None:
            print("send:", explain(error))
            break
        answer = None
        turns = 500000
        while answer is None and (turns := turns - 1):
            try:
                answer, _ = ep.recvfrom(256)
            except cc.Again:
                time.sleep(1e-4)
        match answer and answer.split():
            case [b"ok"]:
                print("done")
            case [b"ok", title]:
                print("printing", title.decode())
            case [b"error", *_]:
                print("refused:", answer.decode())
            case [count, b"words"]:
                print("accepted", int(count))
            case other:
                print("?", other)
    ep.disconnect(peer)
    ep.destroy()
    dev.close()
    return 0


if __name__ == "__main__":
    sys.exit(main([b"line early", b"open report", b"line a b c", b"open again", b"close", b"off"]))
